import { match, strictEqual } from 'node:assert/strict';
import type { Check } from './checks.js';
import type { Guest } from './guest.js';

const CONFIG = '/etc/cutcard/cutcard.yaml';
const SIM = '/sys/kernel/config/gpio-sim/board';
const LINES = 64;

/** A simulated chip under the name that a Pi 4 gives its own: the board file stays as it is. */
const solder = [
  'modprobe gpio-sim',
  'mountpoint -q /sys/kernel/config || mount -t configfs config /sys/kernel/config',
  `mkdir -p ${SIM}/bank0`,
  `echo ${LINES} >${SIM}/bank0/num_lines`,
  `echo pinctrl-bcm2711 >${SIM}/bank0/label`,
  `echo 1 >${SIM}/live`,
].join(' && ');

/** The folder whose `sim_gpioN/pull` is a finger on a button. */
const lines = async (guest: Guest): Promise<string> =>
  (
    await guest.must(
      `echo /sys/devices/platform/$(cat ${SIM}/dev_name)/$(cat ${SIM}/bank0/chip_name)`,
    )
  ).trim();

const page = (field: string): string =>
  `/usr/bin/node -e "fetch('http://127.0.0.1:8080/api/table').then(async (r) => ` +
  `console.log((await r.json()).view.${field}))"`;

/** docs/DEVBOARD.md, page by page, as somebody does it who has just flashed a board. */
export const DEVBOARD: readonly Check[] = [
  {
    name: 'a development board: the lines belong to the service’s group',
    run: async ({ guest }) => {
      await guest.must(solder);
      await guest.until('stat -c "%G %a" /dev/gpiochip0', /^gpio 660$/m);
    },
  },
  {
    name: 'a development board: its configuration is good and the table is armed on it',
    run: async ({ guest, figures }) => {
      const fromMs = performance.now();
      await guest.must(
        `sed -i 's/^board: .*/board: dev-buttons/; s/^  shuffler: .*/  shuffler: none/; ` +
          `s/^  crew: .*/  crew: 1/' ${CONFIG}`,
      );
      await guest.must(`runuser -u cutcard -- cutcard config check ${CONFIG}`);
      await guest.must(
        'mkfifo /run/keys; systemd-run -q --unit=panel sh -c ' +
          '"sleep infinity >/run/keys & cutcard panel </run/keys"',
      );
      await guest.must('systemctl restart cutcard');
      await guest.until('journalctl -u panel -o cat', /the table is there/);
      figures.set(
        'development board, armed',
        `${Math.round((performance.now() - fromMs) / 1000)} s`,
      );
    },
  },
  {
    name: 'a development board: keys lead to the next step, a button is a lid',
    run: async ({ guest }) => {
      await guest.must('echo open-table >/run/keys');
      await guest.until('journalctl -u panel -o cat', /open-table: taken/);
      await guest.until(page('phase'), /opening|shuffle-due/);
      const folder = await lines(guest);
      const press = (line: number, down: boolean): Promise<string> =>
        guest.must(`echo pull-${down ? 'down' : 'up'} >${folder}/sim_gpio${line}/pull`);
      await press(22, true);
      await guest.until(
        'runuser -u cutcard -- cutcard journal show /var/lib/cutcard/table.journal',
        /tamper\.lid/,
      );
      strictEqual((await guest.must('systemctl is-active cutcard')).trim(), 'active');
      match(await guest.must(`cat ${folder}/sim_gpio16/value`), /^[01]$/m);
    },
  },
];
