import { describe, it } from 'vitest';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { GPIO_CONTRACT, type GpioBench, plainLine } from '../../contract/gpio.js';

const virtualBench = (): GpioBench => {
  const bus = new VirtualGpio();
  return {
    bus,
    chip: 'virtual',
    isExact: true,
    drive: (offset, high) => {
      bus.drive(plainLine('virtual', offset), high, Number(process.hrtime.bigint()));
      return Promise.resolve();
    },
    level: (offset) => Promise.resolve(bus.level(plainLine('virtual', offset))),
  };
};

// The same contract holds on a kernel's lines: `npm run test:arm` runs it on gpiochip and onoff.
describe('GPIO lines over virtual', () => {
  it.each(GPIO_CONTRACT)('%s', async (_name, check) => {
    const bench = virtualBench();
    await check(bench);
    bench.bus.close();
  });
});
