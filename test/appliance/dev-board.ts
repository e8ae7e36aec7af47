import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { armed, type Check, standing, type Trial, verified } from './checks.js';
import { asPerson, commandsUnder, follow, saidUnder } from './documented.js';
import type { Guest } from './guest.js';
import { type Hands, walk } from './walk.js';

const PAGE = 'DEVBOARD';
const SIM = '/sys/kernel/config/gpio-sim/board';
const LINES = 64;
const UNIT = '/etc/systemd/system/board.service';

/** A simulated chip under the name that a Pi 4 gives its own: the board file stays as it is. */
const solder = [
  'modprobe gpio-sim',
  'mountpoint -q /sys/kernel/config || mount -t configfs config /sys/kernel/config',
  `mkdir -p ${SIM}/bank0`,
  `echo ${LINES} >${SIM}/bank0/num_lines`,
  `echo pinctrl-bcm2711 >${SIM}/bank0/label`,
  `echo 1 >${SIM}/live`,
].join(' && ');

/** The chip is there before the table starts, as on a board. */
const unit = [
  '[Unit]',
  'Before=cutcard.service',
  '[Service]',
  'Type=oneshot',
  'RemainAfterExit=yes',
  `ExecStart=/bin/sh -c '${solder}'`,
  '[Install]',
  'WantedBy=multi-user.target',
].join('\n');

/** The lines that WIRING and the board file give the buttons. */
const BUTTON = { A: 17, B: 27, lid: 22 } as const;
const GATE = 16;

const CHIP = `/sys/devices/platform/$(cat ${SIM}/dev_name)/$(cat ${SIM}/bank0/chip_name)`;

/** A shell line that presses or lets go a button: `sim_gpioN/pull` is the finger. */
const finger = (button: keyof typeof BUTTON, down: boolean): string =>
  `echo pull-${down ? 'down' : 'up'} >${CHIP}/sim_gpio${BUTTON[button]}/pull`;

/** Press A, press B, let A go, let B go, at an even pace: the folders are looked up before. */
const CARD = [
  `cd ${CHIP}`,
  ...[`echo pull-down >sim_gpio${BUTTON.A}/pull`, `echo pull-down >sim_gpio${BUTTON.B}/pull`],
  ...[`echo pull-up >sim_gpio${BUTTON.A}/pull`, `echo pull-up >sim_gpio${BUTTON.B}/pull`],
].join(' && sleep 0.05 && ');

const level = (line: number): string => `cat ${CHIP}/sim_gpio${line}/value`;

const ask = (field: string): string =>
  `/usr/bin/node -e "fetch('http://127.0.0.1:8080/api/table').then(async (r) => ` +
  `console.log((await r.json()).view.${field}))"`;
const ASK_OUT = ask('out');
const ASK_LINE = ask('display.line1');

/** The second terminal: what is typed there comes from a pipe that stays open. */
const openPanel = (line: string): string =>
  'systemctl stop panel 2>/dev/null; rm -f /run/keys; mkfifo -m 0666 /run/keys; ' +
  `systemd-run -q --unit=panel --uid=tech sh -c 'exec 3<>/run/keys; exec ${line} <&3'`;

const SHOW = 'runuser -u cutcard -- cutcard journal show /var/lib/cutcard/table.journal';
const panelSaid = 'journalctl -u panel -o cat --no-pager';

/** Types one line in the panel's terminal. @returns what it was answered there */
const typeOnce = async (guest: Guest, line: string): Promise<string> => {
  const key = line.replace(/^[a-z]+: /, '').split(' ')[0] ?? '';
  const answers = async (): Promise<number> =>
    (await guest.must(panelSaid)).split('\n').filter((said) => said.startsWith(`${key}: `)).length;
  const before = await answers();
  await guest.must(`echo '${line}' >/run/keys`);
  const said = await guest.until(`${panelSaid} | grep '^${key}: ' | tail -n +${before + 1}`, /\S/);
  return said.trim().slice(key.length + 2);
};

/** Types a line that must be taken; where a starved table was slow to say so, once more. */
const type = async (guest: Guest, line: string): Promise<void> => {
  const first = await typeOnce(guest, line);
  if (first !== 'the table did not answer') {
    strictEqual(first, 'taken', line);
    return;
  }
  // Taken meanwhile, it is no longer its turn; the phase that follows shows which it was.
  match(await typeOnce(guest, line), /^(?:taken|refused)$/);
};

/** The person at the panel and at the buttons, and what they read on the table's page. */
const handsOf = (guest: Guest): Hands => ({
  sees: async (wanted) => {
    await guest.until(ASK_LINE, wanted);
  },
  types: (line) => type(guest, line),
  deals: async () => {
    const { out } = await standing(guest);
    await guest.must(CARD);
    await guest.until(ASK_OUT, new RegExp(`^${Number(out) + 1}$`, 'm'));
  },
});

/** One page of the document, with its time as a figure. */
const pageOf = (
  heading: string,
  what: string,
  run: (trial: Trial, heading: string) => Promise<void>,
): Check => {
  const board = `a development board, ${heading.split(' ·')[0]?.toLowerCase()}`;
  return {
    name: `${board}: ${what}`,
    run: async (trial) => {
      const fromMs = performance.now();
      await run(trial, heading);
      const seconds = Math.round((performance.now() - fromMs) / 1000);
      trial.figures.set(board, `${seconds} s`);
    },
  };
};

/** docs/DEVBOARD.md, page by page, as somebody does it who has just flashed a board. */
export const DEVBOARD: readonly Check[] = [
  {
    name: 'a development board, page 1: a bare system again, a chip under the Pi’s name',
    run: async ({ guest }) => {
      await guest.must(
        'if dpkg-query -W cutcard-appliance >/dev/null 2>&1; then ' +
          'apt-get -q purge cutcard-appliance && apt-get -q autoremove --purge; fi',
      );
      await guest.must(asPerson('rm -f ./*.deb && cp /mnt/parcel/current/*.deb .'));
      for (const program of ['node', 'cutcard']) {
        notStrictEqual((await guest.run(`command -v ${program}`)).code, 0, program);
      }
      await guest.must(`cat >${UNIT} <<'UNIT'\n${unit}\nUNIT\nsystemctl enable -q --now board`);
      await guest.must('test -c /dev/gpiochip0');
    },
  },
  pageOf('Page 2 · Install (3 min)', 'the package, and its rules hold', async (trial, heading) => {
    const { guest, arch } = trial;
    const said = await follow(guest, { page: PAGE, heading, words: { arm64: arch } });
    match(said, /no table is set up yet/);
    match(said, /^\d+\.\d+\.\d+/m);
    await guest.until('stat -c "%G %a" /dev/gpiochip0', /^gpio 660$/m);
  }),
  pageOf('Page 3 · Tell it what it is (2 min)', 'the configuration', async (trial, heading) => {
    match(await follow(trial.guest, { page: PAGE, heading }), /cutcard\.yaml: ok$/m);
  }),
  pageOf("Page 4 · The dealer's keys (1 min)", 'the panel waits', async (trial, heading) => {
    await trial.guest.must(openPanel(commandsUnder(PAGE, heading).join('')));
    await trial.guest.until(panelSaid, /waiting for the table on 127\.0\.0\.1:7631/);
  }),
  pageOf('Page 5 · Start (1 min)', 'armed, and the panel is heard', async (trial, heading) => {
    const { guest } = trial;
    const instead = { 'sudo journalctl -u cutcard -f': null };
    await follow(guest, { page: PAGE, heading, instead });
    await armed(guest);
    await guest.until(panelSaid, /the table is there/);
    // On a starved guest the panel may answer after the first word, which then names it.
    await guest.until(asPerson('sudo journalctl -u cutcard -o cat'), /armed: the table is watched/);
  }),
  pageOf('Page 6 · Deal (2 min)', 'keys and fingers lead to a round', async (trial, heading) => {
    const { guest } = trial;
    // The page comes a little after the table is armed.
    strictEqual((await standing(guest)).phase, 'closed');
    await walk(PAGE, heading, handsOf(guest));
    await guest.until(ASK_LINE, /^NO MORE BETS/);
    // The LED of the gate is on its line, whatever its level.
    await guest.until(level(GATE), /^[01]$/m);
    await guest.must(finger('lid', true));
    await guest.until(SHOW, /tamper\.lid/);
    await guest.must(finger('lid', false));
    strictEqual((await guest.must('systemctl is-active cutcard')).trim(), 'active');
  }),
  pageOf('Page 7 · Break it', 'plug and hang: where it was', async (trial, heading) => {
    const { guest } = trial;
    const before = await standing(guest);
    const accept = saidUnder(PAGE, heading, 'accept-gap 0');
    await guest.powerCut();
    await guest.on();
    await armed(guest);
    deepStrictEqual(await standing(guest), before);
    match(await guest.must(SHOW), /gap\.unwatched/);
    const pid = await guest.must('systemctl show -P MainPID cutcard');
    await guest.must(
      asPerson(saidUnder(PAGE, heading, 'sudo kill -STOP $(systemctl show -P MainPID cutcard)')),
    );
    await guest.until(
      `test "$(systemctl show -P MainPID cutcard)" != ${pid.trim()} && ` +
        'systemctl show -P ActiveState cutcard',
      /^active$/m,
    );
    deepStrictEqual(await standing(guest), before);
    await guest.must(openPanel(commandsUnder(PAGE, "Page 4 · The dealer's keys (1 min)").join('')));
    await guest.until(panelSaid, /the table is there/);
    await type(guest, accept);
    await guest.until(ASK_LINE, /^NO MORE BETS/);
    const line = 'sudo -u cutcard cutcard journal verify /var/lib/cutcard/table.journal';
    await guest.must(asPerson(saidUnder(PAGE, heading, line)));
    await verified(guest);
  }),
];
