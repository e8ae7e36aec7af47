import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Arch } from './bare.js';
import { asPerson, follow, saidUnder } from './documented.js';
import { secondsSince } from './outcomes.js';
import type { Guest } from './guest.js';
import { BROKEN, NEXT } from './packages.js';

/** What the checks share: the machine, the packages on it, and figures worth a line. */
export interface Trial {
  readonly guest: Guest;
  readonly figures: Map<string, string>;
  readonly arch: Arch;
  /** The version that is tried. */
  readonly version: string;
}

export interface Check {
  readonly name: string;
  readonly run: (trial: Trial) => Promise<void>;
}

const CONFIG = '/etc/cutcard/cutcard.yaml';
const JOURNAL = '/var/lib/cutcard/table.journal';
const AS_SERVICE = 'runuser -u cutcard --';

const property = async (guest: Guest, name: string): Promise<string> =>
  (await guest.must(`systemctl show -P ${name} cutcard`)).trim();

/** The two lines under "Install" of INSTALL.md. */
const INSTALL_TABLE = 'sudo apt install --no-install-recommends chrony ./cutcard_*_arm64.deb';
const INSTALL_SETTINGS = 'sudo apt install ./cutcard-appliance_*_all.deb';

const since = (fromMs: number): string => `${secondsSince(fromMs)} s`;

/** Waits until the service says it watches the table. */
export const armed = async (guest: Guest): Promise<void> => {
  await guest.until('systemctl show -P ActiveState cutcard', /^active$/m);
};

interface Standing {
  readonly phase: string;
  readonly round: unknown;
  readonly out: unknown;
}

/** What the table's own page says of it. The page comes a little after the table is armed. */
export const standing = async (guest: Guest): Promise<Standing> => {
  const text = await guest.until(
    `/usr/bin/node -e "fetch('http://127.0.0.1:8080/api/table').then(async (r) => ` +
      `console.log(JSON.stringify(await r.json())))"`,
    /^\{/,
  );
  const state: unknown = JSON.parse(text);
  const at = (...keys: readonly string[]): unknown =>
    keys.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null
          ? Object.getOwnPropertyDescriptor(value, key)?.value
          : undefined,
      state,
    );
  return { phase: String(at('view', 'phase')), round: at('view', 'round'), out: at('view', 'out') };
};

/** Last row's number and whether the chain holds, by the program's own word. */
export const verified = async (guest: Guest): Promise<number> => {
  const said = await guest.must(`${AS_SERVICE} cutcard journal verify ${JOURNAL} --json`);
  const rows = /"(?:seq|rows|to|last)":\s*(\d+)/.exec(said)?.[1];
  ok(rows !== undefined, `no row number in:\n${said}`);
  return Number(rows);
};

const memory = async ({ guest, figures }: Trial): Promise<void> => {
  const pid = await property(guest, 'MainPID');
  const mb = async (field: string): Promise<string> =>
    (await guest.must(`awk '/^${field}:/ { print int($2 / 1024) }' /proc/${pid}/status`)).trim();
  const group = Number(await property(guest, 'MemoryPeak'));
  figures.set(
    'memory of the controller',
    `${await mb('VmRSS')} MB resident, ${await mb('RssAnon')} MB of it its own, the rest files`,
  );
  figures.set('memory of the service, peak', `${Math.round(group / 1048576)} MB`);
  const armedMs = await guest.must(
    `journalctl -u cutcard -o cat | grep -o '"ms":[0-9]*' | tail -1`,
  );
  figures.set('start to armed, emulated', `${armedMs.replace(/\D/g, '')} ms`);
};

const IDENTITY = '/var/lib/cutcard/identity';
const REQUEST = `sudo -u cutcard cutcard provision request HOUSE/PIT/TABLE --dir ${IDENTITY}`;
const SIGN = [
  'cutcard provision authority init north-ca --dir ~/authority',
  `sudo sh -c "cat ${IDENTITY}/*.csr" >~/table.csr`,
  'cutcard provision authority sign ~/table.csr HOUSE/PIT/TABLE --dir ~/authority' +
    ' --out /tmp/table.crt',
  'cp ~/authority/ca.crt /tmp/ca.crt',
].join(' && ');

export const INSTALL: readonly Check[] = [
  {
    name: 'the bare machine has neither Node nor a compiler',
    run: async ({ guest }) => {
      for (const program of ['node', 'gcc', 'cc', 'make', 'cutcard']) {
        notStrictEqual((await guest.run(`command -v ${program}`)).code, 0, program);
      }
    },
  },
  {
    name: 'apt installs the package with Debian’s own Node',
    run: async ({ guest, figures, arch }) => {
      const fromMs = performance.now();
      await guest.must(asPerson('cp /mnt/parcel/current/*.deb .'));
      const said = await follow(guest, {
        ...{ page: 'INSTALL', heading: 'Install', words: { arm64: arch } },
        instead: { [INSTALL_SETTINGS]: null },
      });
      figures.set('apt install', since(fromMs));
      match(said, /no table is set up yet/);
      match(await guest.must('cutcard --version'), /^\d+\.\d+\.\d+/);
      match(await guest.must('node --version'), /^v20\./);
    },
  },
  {
    name: 'user, groups, folders, rules, manual and completion are there',
    run: async ({ guest }) => {
      const groups = (await guest.must('id -nG cutcard')).trim().split(' ').sort();
      deepStrictEqual(groups, ['cutcard', 'dialout', 'gpio', 'i2c']);
      strictEqual(
        (await guest.must('stat -c "%U:%G %a" /var/lib/cutcard /etc/cutcard')).trim(),
        'cutcard:cutcard 750\nroot:cutcard 750',
      );
      await guest.must('test -e /usr/lib/udev/rules.d/60-cutcard.rules');
      await guest.must('udevadm verify /usr/lib/udev/rules.d/60-cutcard.rules');
      match(
        await guest.must('man -P cat cutcard | head -40'),
        /controller for a casino card table/,
      );
      const completed =
        'source /usr/share/bash-completion/completions/cutcard; COMP_WORDS=(cutcard journal v); ' +
        'COMP_CWORD=2; _cutcard; echo "${COMPREPLY[@]}"';
      match(await guest.must(completed), /\bverify\b/);
    },
  },
  {
    name: 'without a configuration the service waits and nothing has failed',
    run: async ({ guest }) => {
      strictEqual(await property(guest, 'ActiveState'), 'inactive');
      strictEqual(await property(guest, 'Result'), 'success');
      match(await guest.must('systemctl is-enabled cutcard'), /^enabled/);
    },
  },
  {
    name: 'a wrong configuration is refused once, with exit code 78 and no retry',
    run: async ({ guest }) => {
      await guest.must(`echo 'config: 1' >${CONFIG}; chgrp cutcard ${CONFIG}`);
      notStrictEqual((await guest.run('systemctl start cutcard')).code, 0);
      await guest.until('systemctl show -P ActiveState cutcard', /^failed$/m);
      strictEqual(await property(guest, 'ExecMainStatus'), '78');
      strictEqual(await property(guest, 'NRestarts'), '0');
      await guest.must(`rm ${CONFIG}; systemctl reset-failed cutcard`);
    },
  },
  {
    name: 'identity, configuration, start: the documented commands arm the table',
    run: async (trial) => {
      const { guest, figures } = trial;
      const fromMs = performance.now();
      await follow(guest, {
        ...{ page: 'INSTALL', heading: 'Set up' },
        words: {
          ...{ 'HOUSE/PIT/TABLE': 'example-house/pit-1/bac-01' },
          ...{ 'CERTIFICATE --ca CA': '/tmp/table.crt --ca /tmp/ca.crt' },
        },
        instead: {
          // The authority's machine, in a corner of this one.
          [REQUEST]: `${REQUEST} && ${SIGN}`,
          // The example is a table on virtual hardware: what there is to fill in fits already.
          'sudo nano /etc/cutcard/cutcard.yaml': null,
          'sudo journalctl -u cutcard -f': null,
        },
      });
      await armed(guest);
      figures.set('set up and start', since(fromMs));
      await guest.until('journalctl -u cutcard -o cat', /armed: the table is watched/);
      strictEqual((await standing(guest)).phase, 'closed');
      await memory(trial);
    },
  },
  {
    name: 'the service is locked in: no capability, no write outside of its folder',
    run: async ({ guest }) => {
      const pid = await property(guest, 'MainPID');
      match(await guest.must(`grep CapEff /proc/${pid}/status`), /0{16}/);
      match(await guest.must(`grep NoNewPrivs /proc/${pid}/status`), /1/);
      match(await guest.must(`grep -E '^Seccomp:' /proc/${pid}/status`), /2/);
      const said = await guest.must('systemd-analyze security --no-pager cutcard | tail -1');
      const exposure = Number(/: ([\d.]+) /.exec(said)?.[1]);
      ok(exposure <= 2, said);
    },
  },
];

export const FAILURES: readonly Check[] = [
  {
    name: 'a hung controller is ended by the watchdog and comes back to the same state',
    run: async ({ guest, figures }) => {
      const before = await standing(guest);
      const pid = await property(guest, 'MainPID');
      const restarts = Number(await property(guest, 'NRestarts'));
      const fromMs = performance.now();
      await guest.must(`kill -STOP ${pid}`);
      await guest.until(
        `test "$(systemctl show -P MainPID cutcard)" != ${pid} && ` +
          'systemctl show -P ActiveState cutcard',
        /^active$/m,
      );
      figures.set('hang to armed again', since(fromMs));
      // One more at least: a host that stands still for a minute hangs the controller by itself.
      ok(Number(await property(guest, 'NRestarts')) > restarts);
      match(await guest.must('journalctl -u cutcard -o cat'), /[Ww]atchdog timeout/);
      deepStrictEqual(await standing(guest), before);
      await verified(guest);
    },
  },
  {
    name: 'after a power cut the machine comes up armed, unclean, in the same state',
    run: async ({ guest, figures }) => {
      const before = await standing(guest);
      const rows = await verified(guest);
      await guest.powerCut();
      const bootMs = await guest.on();
      await armed(guest);
      figures.set('power cut to a shell, emulated', `${Math.round(bootMs / 1000)} s`);
      const up = await guest.must(
        'systemctl show -P ActiveEnterTimestampMonotonic cutcard | sed "s/......$//"',
      );
      figures.set('power on to armed, guest’s clock', `${up.trim()} s`);
      const after = await standing(guest);
      deepStrictEqual(after, before);
      ok((await verified(guest)) > rows);
      match(await guest.must('journalctl -b -u cutcard -o cat'), /"unclean":true/);
    },
  },
];

export const UPDATES: readonly Check[] = [
  {
    name: 'an upgrade keeps journal and configuration and goes on in the same state',
    run: async ({ guest, figures, arch, version }) => {
      const before = await standing(guest);
      const rows = await verified(guest);
      const config = await guest.must(`sha256sum ${CONFIG}`);
      const fromMs = performance.now();
      await guest.must(asPerson('cp /mnt/parcel/current/*.deb /mnt/parcel/next/*.deb .'));
      const said = await follow(guest, {
        ...{ page: 'INSTALL', heading: 'Update' },
        words: { arm64: arch, '0.1.0': version, '0.2.0': NEXT },
      });
      figures.set('upgrade until it is kept', since(fromMs));
      match(said, /is in use/);
      match(await guest.must('cutcard --version'), /^9\.0\.0/);
      await armed(guest);
      strictEqual(await guest.must(`sha256sum ${CONFIG}`), config);
      ok((await verified(guest)) > rows);
      deepStrictEqual(await standing(guest), before);
    },
  },
  {
    name: 'a version that does not run is not taken: the old one is back, journal whole',
    run: async ({ guest, figures, arch }) => {
      const before = await standing(guest);
      const rows = await verified(guest);
      const fromMs = performance.now();
      await guest.must(asPerson('cp /mnt/parcel/broken/*.deb .'));
      const { code, output } = await guest.run(
        asPerson(`sudo CUTCARD_UPGRADE_WAIT_S=900 cutcard-upgrade cutcard_${BROKEN}_${arch}.deb`),
      );
      figures.set('bad upgrade until the old version is back', since(fromMs));
      strictEqual(code, 1, output);
      match(output, /is in use again/);
      match(await guest.must('cutcard --version'), /^9\.0\.0/);
      await armed(guest);
      ok((await verified(guest)) > rows);
      deepStrictEqual(await standing(guest), before);
    },
  },
];

export const APPLIANCE: readonly Check[] = [
  {
    name: 'the appliance’s settings are in force: watchdog, log cap, time, no USB storage',
    run: async ({ guest }) => {
      // As with the service's limits (emulated.conf): a minute of a busy host is no hang.
      await guest.must(
        'mkdir -p /etc/systemd/system.conf.d && printf "[Manager]\\nRuntimeWatchdogSec=10min\\n" ' +
          '>/etc/systemd/system.conf.d/90-emulated.conf',
      );
      await follow(guest, {
        ...{ page: 'INSTALL', heading: 'Install', instead: { [INSTALL_TABLE]: null } },
      });
      match(
        await guest.must('systemd-analyze cat-config systemd/system.conf'),
        /^RuntimeWatchdogSec=14s$/m,
      );
      await guest.until('systemctl show -P RuntimeWatchdogUSec', /^10min$/m);
      match(
        await guest.must('systemd-analyze cat-config systemd/journald.conf'),
        /SystemMaxUse=64M/,
      );
      strictEqual((await guest.must('sysctl -n kernel.panic')).trim(), '10');
      await guest.until('systemctl is-active chrony', /^active/m);
      match(await guest.must(`${AS_SERVICE} chronyc -n tracking`), /Leap status/);
      notStrictEqual((await guest.run('modprobe usb-storage')).code, 0);
    },
  },
  {
    name: 'a service manager that hangs: the machine’s watchdog resets it, and it comes back armed',
    run: async ({ guest, figures }) => {
      const before = await standing(guest);
      strictEqual((await guest.must('cat /sys/class/watchdog/watchdog0/state')).trim(), 'active');
      await guest.must(
        'busctl set-property org.freedesktop.systemd1 /org/freedesktop/systemd1 ' +
          'org.freedesktop.systemd1.Manager RuntimeWatchdogUSec t 30000000',
      );
      const fromMs = performance.now();
      // Frozen with all its threads, as the first process takes no signal.
      await guest.falls('sync; echo 1 >/sys/fs/cgroup/init.scope/cgroup.freeze');
      figures.set('service manager hung until the reset', since(fromMs));
      await guest.on();
      await armed(guest);
      deepStrictEqual(await standing(guest), before);
      match(await guest.must('journalctl -b -u cutcard -o cat'), /"unclean":true/);
    },
  },
];

export const REMOVAL: readonly Check[] = [
  {
    name: 'remove keeps journal and configuration and says so',
    run: async ({ guest }) => {
      const line = saidUnder('INSTALL', 'Remove', 'sudo apt remove cutcard');
      const said = await guest.must(asPerson(line));
      match(said, /kept: \/var\/lib\/cutcard/);
      await guest.must(`test -s ${JOURNAL} && test -s ${CONFIG}`);
      notStrictEqual((await guest.run('command -v cutcard')).code, 0);
      notStrictEqual((await guest.run('systemctl is-active cutcard')).code, 0);
    },
  },
  {
    name: 'installed again it finds its journal and is armed at once',
    run: async ({ guest, arch }) => {
      await guest.must(asPerson('cp /mnt/parcel/next/*.deb .'));
      await guest.must(asPerson(`sudo apt install ./cutcard_${NEXT}_${arch}.deb`));
      await armed(guest);
      match(await guest.must('systemctl is-enabled cutcard'), /^enabled/);
      await verified(guest);
    },
  },
  {
    name: 'purge says what it deletes, and deletes it',
    run: async ({ guest }) => {
      const line = saidUnder('INSTALL', 'Remove', 'sudo apt purge cutcard');
      const said = await guest.must(asPerson(line));
      match(said, /deleting \/var\/lib\/cutcard:/);
      match(said, /bytes {2}\.\/table\.journal/);
      await guest.must(
        'for kept in /var/lib/cutcard /var/lib/cutcard-upgrade /etc/cutcard; do ' +
          'test ! -e $kept || exit 1; done',
      );
      notStrictEqual((await guest.run('systemctl is-enabled cutcard')).code, 0);
    },
  },
];
