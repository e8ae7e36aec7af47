import { match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../firmware-bridge/files.js';
import { secondsSince } from '../appliance/outcomes.js';
import type { Guest } from '../appliance/guest.js';
import { BROKEN, NEXT } from './bundles.js';
import type { Card } from './card.js';
import { IMPATIENT_S, type Machine, PATIENT_S } from './machine.js';

export interface Trial {
  readonly guest: Guest;
  readonly machine: Machine;
  readonly card: Card;
  readonly figures: Map<string, string>;
  /** Scratch folder of this run. */
  readonly folder: string;
}

export interface Check {
  readonly name: string;
  readonly run: (trial: Trial) => Promise<void>;
}

const CONFIG = `config: 1
place: { site: example-house, pit: pit-1, table: bac-01 }
procedure: pa/627a-minibaccarat
table: { decks: 8 }
board: virtual
journal: /var/lib/cutcard/table.journal
deviceKeyFile: /var/lib/cutcard/identity/signing.key
broker:
  url: mqtts://broker.example:8883
  caFile: /var/lib/cutcard/identity/ca.crt
  certFile: /var/lib/cutcard/identity/device.crt
  keyFile: /var/lib/cutcard/identity/device.key
page: { listen: 127.0.0.1:8080 }
`;

/** Boot partitions of the two slots. */
const A = 2;
const B = 3;
const SLOT = '/usr/lib/cutcard/os/boot-slot';
/** Written to the other root by then: a tenth of it. */
const SECTORS = 40_000;
const JOURNAL = '/var/lib/cutcard/table.journal';

const since = (fromMs: number): string => `${secondsSince(fromMs)} s`;
const property = async (guest: Guest, name: string, unit = 'cutcard'): Promise<string> =>
  (await guest.must(`systemctl show -P ${name} ${unit}`)).trim();
const armed = async (guest: Guest): Promise<void> => {
  await guest.until('systemctl show -P ActiveState cutcard', /^active$/m);
};
const slotRuns = async ({ guest, machine }: Trial, partition: number): Promise<void> => {
  strictEqual(machine.partition, partition);
  const name = partition === A ? 'A' : 'B';
  strictEqual((await guest.must(`${SLOT} get-current`)).trim(), name);
  const device = `/dev/disk/by-partuuid/cad7ab1e-0${partition === A ? 5 : 6}`;
  const wanted = await guest.must(`readlink -f ${device}`);
  strictEqual(await guest.must('findmnt -no SOURCE /'), wanted.trimEnd());
};
const version = async (guest: Guest): Promise<string> =>
  (await guest.must('. /etc/os-release; echo "$IMAGE_VERSION"')).trim();
const firstSlot = (card: Card): string =>
  /\[all\]\n(?:[^[]*\n)?boot_partition=(\d)/.exec(card.autoboot)?.[1] ?? '';
const keptGood = async (guest: Guest): Promise<void> => {
  await guest.until('systemctl show -P ActiveState slot-health', /^(inactive|failed)$/m);
  match(await guest.must('journalctl -b -u slot-health -o cat'), /slot [AB]: good/);
};
const verified = async (guest: Guest): Promise<void> => {
  await guest.must(`cutcard journal verify ${JOURNAL}`);
};
/** Orderly, as a technician ends it; the emulated board ends with it. */
const off = (guest: Guest): Promise<void> => guest.falls('systemctl poweroff');
const install = async (guest: Guest, name: string): Promise<string> => {
  await guest.must(`rm -f /data/*.raucb; cp /mnt/parcel/${name}.raucb /data/`);
  return guest.must(`rauc install /data/${name}.raucb 2>&1`);
};

/** The slot gives itself up and restarts: nobody asks it to. */
const restartsByItself = async (guest: Guest): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await guest.falls('true');
      return;
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      if (/machine is off/.test(why)) return guest.powerCut();
      if (tries === 3) throw error;
    }
  }
};

/** The technician's table beside the card: the authority signs what the first start asked for. */
const sign = ({ card, folder }: Trial): void => {
  const at = (name: string): string => join(folder, name);
  const cutcard = (...args: readonly string[]): void => {
    const cli = join(packageRoot(), 'dist/bundle/cli.js');
    execFileSync(process.execPath, [cli, 'provision', 'authority', ...args], { stdio: 'pipe' });
  };
  card.copyOut(A, 'next.csr', at('next.csr'));
  cutcard('init', 'example-ca', '--dir', at('ca'));
  const who = 'example-house/pit-1/bac-01';
  cutcard('sign', at('next.csr'), who, '--dir', at('ca'), '--out', at('device.crt'));
  card.put(A, at('device.crt'), 'device.crt');
  card.put(A, at('ca/ca.crt'), 'ca.crt');
};

const FIRST: readonly Check[] = [
  {
    name: 'first start with cutcard-setup.yaml: keys and request are made, what lacks is named',
    run: async (trial) => {
      const { guest, card, folder, figures } = trial;
      writeFileSync(join(folder, 'cutcard-setup.yaml'), CONFIG);
      card.put(A, join(folder, 'cutcard-setup.yaml'), 'cutcard-setup.yaml');
      figures.set('first power on to a shell', `${Math.round((await guest.on()) / 1000)} s`);
      await slotRuns(trial, A);
      await guest.until('systemctl show -P ActiveState first-boot', /^(active|failed)$/m);
      match(await guest.must('journalctl -b -u first-boot -o cat'), /there is no file .*ca\.crt/);
      await guest.until('systemctl show -P ActiveState cutcard', /^failed$/m);
      strictEqual(await property(guest, 'ExecMainStatus'), '78');
      match(await guest.must('journalctl -b -u cutcard -o cat'), /there is no file .*device\.crt/);
    },
  },
  {
    name: 'the rest of the card is in use, and nothing else failed at the start',
    run: async ({ guest }) => {
      const mb = Number(await guest.must('findmnt -bno SIZE /data')) / 1e6;
      ok(mb > 4000, `data has ${mb} MB of a card of 8 GB`);
      const failed = await guest.must('systemctl --failed --no-legend --plain | cut -d" " -f1');
      strictEqual(failed.trim(), 'cutcard.service');
    },
  },
  {
    name: 'the root is read-only, data is not; no USB storage, no password, no open port',
    run: async ({ guest }) => {
      match(await guest.must('findmnt -no FSTYPE,OPTIONS /'), /^squashfs\s+ro\b/);
      for (const place of ['/', '/usr', '/etc', '/var/lib']) {
        notStrictEqual((await guest.run(`touch ${place}/written`)).code, 0, place);
      }
      for (const place of ['/etc/cutcard', '/var/lib/cutcard', '/data', '/var/log', '/tmp']) {
        await guest.must(`touch ${place}/written && rm ${place}/written`);
      }
      match(await guest.must('findmnt -no SOURCE /var/lib/cutcard'), /\[\/cutcard\]/);
      notStrictEqual((await guest.run('modprobe usb-storage')).code, 0);
      notStrictEqual((await guest.run('modprobe uas')).code, 0);
      strictEqual((await guest.run('cut -d: -f2 /etc/shadow | grep -v "^[!*]"')).output, '');
      const open = await guest.must('ss -Hlntu');
      const outside = open.split('\n').filter((line) => line !== '' && !/127\.|\[::1\]/.test(line));
      // DHCP answers alone.
      strictEqual(outside.join('\n').replaceAll(/.*:(546|68)\b.*\n?/g, ''), '');
    },
  },
  {
    name: 'certificate on the card: the table is armed, and the slot is kept',
    run: async (trial) => {
      const { guest, figures } = trial;
      await off(guest);
      sign(trial);
      const fromMs = performance.now();
      await guest.on();
      await armed(guest);
      figures.set('power on to armed', since(fromMs));
      await guest.until('journalctl -b -u cutcard -o cat', /armed: the table is watched/);
      await guest.must('test -e /data/first-boot.done');
      await keptGood(guest);
      await verified(guest);
    },
  },
];

const UPDATES: readonly Check[] = [
  {
    name: 'an update signed by somebody else is refused, and nothing changed',
    run: async ({ guest }) => {
      const before = await guest.must(
        'cat /boot/select/autoboot.txt; rauc status --output-format=json',
      );
      const { code, output } = await guest.run('rauc install /mnt/parcel/stranger.raucb 2>&1');
      notStrictEqual(code, 0);
      match(output, /signature|certificate/i);
      strictEqual(
        await guest.must('cat /boot/select/autoboot.txt; rauc status --output-format=json'),
        before,
      );
    },
  },
  {
    name: 'an update goes into the other slot, is tried, and is kept once the table is watched',
    run: async (trial) => {
      const { guest, figures } = trial;
      let fromMs = performance.now();
      await install(guest, NEXT);
      figures.set('rauc install', since(fromMs));
      strictEqual((await guest.must(`${SLOT} get-primary`)).trim(), 'B');
      fromMs = performance.now();
      await guest.falls(`${SLOT} try`);
      await guest.on();
      await slotRuns(trial, B);
      strictEqual(await version(guest), NEXT);
      // Not kept yet: any restart would take the slot before.
      match(await guest.must('cat /boot/select/autoboot.txt'), /\[all\][^[]*boot_partition=2/);
      await armed(guest);
      await keptGood(guest);
      figures.set('restart into the update until it is kept', since(fromMs));
      await verified(guest);
      match(await guest.must('cat /boot/select/autoboot.txt'), /\[all\][^[]*boot_partition=3/);
    },
  },
  {
    name: 'an update whose controller does not arm gives itself up: the slot before is back, armed',
    run: async (trial) => {
      const { guest, machine, figures } = trial;
      await install(guest, BROKEN);
      const fromMs = performance.now();
      await guest.falls(`${SLOT} try`);
      machine.healthWaitS = IMPATIENT_S;
      await guest.on();
      machine.healthWaitS = PATIENT_S;
      await slotRuns(trial, A);
      strictEqual(await version(guest), BROKEN);
      await restartsByItself(guest);
      await guest.on();
      figures.set('restart into a bad update until the slot before is back', since(fromMs));
      await slotRuns(trial, B);
      strictEqual(await version(guest), NEXT);
      await armed(guest);
      await verified(guest);
      strictEqual((await guest.must(`${SLOT} get-state A`)).trim(), 'bad');
      strictEqual((await guest.must(`${SLOT} get-primary`)).trim(), 'B');
    },
  },
  {
    name: 'power cut in the middle of an installation: the slot before starts, armed',
    run: async (trial) => {
      const { guest } = trial;
      await guest.must(`rm -f /data/*.raucb; cp /mnt/parcel/${NEXT}.raucb /data/ && sync`);
      const written =
        "awk '{ print $7 }' /sys/class/block/$(basename $(readlink -f " +
        '/dev/disk/by-partuuid/cad7ab1e-05))/stat';
      const before = Number(await guest.must(written));
      await guest.must(`systemd-run --unit=installing rauc install /data/${NEXT}.raucb`);
      await guest.until(`test $(${written}) -gt ${before + SECTORS} && echo half`, /half/);
      await guest.powerCut();
      await guest.on();
      await slotRuns(trial, B);
      await armed(guest);
      await verified(guest);
    },
  },
  {
    name: 'power cut in a trial: the slot before starts (a kernel that cannot tell the firmware)',
    run: async (trial) => {
      const { guest } = trial;
      await install(guest, NEXT);
      await guest.falls(`${SLOT} try`);
      await guest.on();
      await slotRuns(trial, A);
      await guest.powerCut();
      await guest.on();
      await slotRuns(trial, B);
      await armed(guest);
    },
  },
  {
    name: 'power cut in a trial: the slot before starts (a kernel that tells the firmware)',
    run: async (trial) => {
      const { guest, card } = trial;
      await install(guest, NEXT);
      // The door of Raspberry Pi's kernel, played by any file; the firmware is the test's.
      await guest.falls(`CUTCARD_FIRMWARE=/dev/null ${SLOT} try`);
      strictEqual(firstSlot(card), String(B));
      await guest.on();
      await slotRuns(trial, A);
      await guest.powerCut();
      await guest.on();
      await slotRuns(trial, B);
      await armed(guest);
      await verified(guest);
      await off(guest);
    },
  },
];

export const CHECKS: readonly Check[] = [...FIRST, ...UPDATES];
