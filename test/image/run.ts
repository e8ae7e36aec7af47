import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { renameSync, statSync, truncateSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../firmware-bridge/files.js';
import { Guest } from '../appliance/guest.js';
import { indented, Outcomes, reasonOf, say, secondsSince } from '../appliance/outcomes.js';
import { builder, epoch, must } from '../appliance/packages.js';
import { keysIn, makeBundles, signing } from './bundles.js';
import { Card } from './card.js';
import { CHECKS, type Trial } from './checks.js';
import { type Board, Machine } from './machine.js';

/**
 * `npm run test:image`: the SD-card image as deploy/image/build.sh makes it, in an emulated board:
 * first start, set up from the card, updates, trials, the way back. The board's firmware is played
 * by the test (card.ts), all else is the image.
 *
 * `-- --board pi4` the Pi's own image, arm64, which takes an hour and more to build and start here
 * (else `pc`, by the same recipe) · `--packages FOLDER` packages already built (else those of the
 * last commit are built) ·
 * `--image FOLDER` an image made before, with its keys · `--twice` builds the image once more,
 * under another path, and names what differs · `--card FILE` goes on with a kept card ·
 * `--from WORDS` the first check whose name holds them and all after it · `--keep` keeps the card.
 * What was found: reports/image.json. Exit code 0: all passed; 1: something failed; 3: this machine
 * lacks what it takes (said in plain words).
 */
const PACKAGE = packageRoot();
const CARD_BYTES = 8 * 1024 ** 3;
const CANNOT = 3;

const { values } = parseArgs({
  options: {
    board: { type: 'string', default: 'pc' },
    packages: { type: 'string' },
    image: { type: 'string' },
    twice: { type: 'boolean', default: false },
    card: { type: 'string' },
    from: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});

const board: Board | null = values.board === 'pc' || values.board === 'pi4' ? values.board : null;
if (board === null) {
  process.stderr.write(`image: no board ${values.board}; pc or pi4\n`);
  process.exit(2);
}
const ARCH = board === 'pc' ? 'amd64' : 'arm64';
const IMAGE = `cutcard-${board}`;

const cache = join(process.env['CUTCARD_CACHE'] ?? join(homedir(), '.cache', 'cutcard'), 'image');
const folder = join(cache, `run-${process.pid}`);

const outcomes = new Outcomes();
const { figures } = outcomes;

const build = (packages: string, keys: string, out: string): void => {
  must('bash', [join(PACKAGE, 'deploy/image/build.sh'), board, out, packages], {
    ...signing(keys),
    SOURCE_DATE_EPOCH: epoch(),
  });
};

const hashOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

/** The image of these packages and this recipe: made once, kept for the next time. */
const imageOf = (packages: string): string => {
  const hash = createHash('sha256').update(epoch());
  const recipe = join(PACKAGE, 'deploy/image');
  const files = [
    ...readdirSync(recipe).map((name) => join(recipe, name)),
    ...readdirSync(packages).map((name) => join(packages, name)),
  ].filter(
    (file) =>
      !/(\.md|setup\.sh)$/.test(file) &&
      (!file.endsWith('.deb') || /_(all|ARCH)\.deb$/.test(file.replace(ARCH, 'ARCH'))),
  );
  for (const file of files.toSorted()) hash.update(readFileSync(file));
  const kept = join(cache, `${board}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(kept)) return kept;
  say('building the image: a quarter of an hour or more, kept for the next time');
  const fresh = `${kept}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const keys = keysIn(fresh);
  const fromMs = performance.now();
  build(packages, keys.house, fresh);
  figures.set('image and bundle built', `${secondsSince(fromMs)} s`);
  renameSync(fresh, kept);
  return kept;
};

const twice = (packages: string, image: string): Promise<boolean> =>
  outcomes.check('built again, the image and its list of packages have the same bytes', () => {
    const again = join(folder, 'again');
    build(packages, join(image, 'house'), again);
    // The signature of a bundle is another one each time.
    const differ = [`${IMAGE}.img`, `${IMAGE}.packages`].filter(
      (file) => hashOf(join(image, file)) !== hashOf(join(again, file)),
    );
    if (differ.length > 0) throw new Error(`differ: ${differ.join(', ')}`);
  });

const parcelOf = (image: string): string => {
  const parcel = join(image, 'parcel');
  if (!existsSync(parcel)) {
    say('making the bundles: an update, a bad one, one of a stranger');
    const keys = { house: join(image, 'house'), stranger: join(image, 'stranger') };
    const fresh = `${parcel}.new`;
    rmSync(fresh, { recursive: true, force: true });
    makeBundles(board, join(image, `${IMAGE}.raucb`), keys, fresh);
    renameSync(fresh, parcel);
  }
  cpSync(join(PACKAGE, 'test/appliance/guest-agent.sh'), join(parcel, 'agent'));
  return parcel;
};

const cardOf = (image: string): Card => {
  const file = join(folder, 'card.img');
  mkdirSync(folder, { recursive: true });
  must('cp', ['--sparse=always', values.card ?? join(image, `${IMAGE}.img`), file]);
  // As large as a small card is; an emulated one must be a power of two.
  truncateSync(file, CARD_BYTES);
  return new Card(file);
};

const runChecks = async (trial: Trial): Promise<void> => {
  let begun = values.from === '';
  for (const check of CHECKS) {
    begun ||= check.name.includes(values.from);
    if (!begun) continue;
    if (await outcomes.check(check.name, () => check.run(trial))) continue;
    const { output } = await trial.guest
      .run('systemctl --failed; journalctl -b -p notice -n 60 --no-pager')
      .catch(() => ({ output: trial.machine.said.slice(-4000) }));
    say(indented(output, '    | '));
    // Each check begins where the one before left the card.
    return;
  }
};

const main = async (): Promise<void> => {
  const packages =
    values.packages ?? (values.image === undefined ? builder(ARCH, folder).build() : '');
  const image = values.image ?? imageOf(packages);
  if (values.twice) await twice(packages, image);
  const parcel = parcelOf(image);
  const card = cardOf(image);
  const machine = new Machine(board, card, folder);
  const guest = new Guest({ machine: () => machine.start(), folder, parcel });
  // The emulator must not outlive us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void guest.powerCut().finally(() => process.exit(1)));
  }
  try {
    if (values.card !== undefined) await guest.on();
    await runChecks({ guest, machine, card, figures, folder });
  } finally {
    await guest.powerCut();
  }
  const bytes = Object.fromEntries(
    [`${IMAGE}.img`, `${IMAGE}.raucb`].map((name) => [name, statSync(join(image, name)).size]),
  );
  outcomes.report(join(PACKAGE, 'reports/image.json'), { board, bytes });
};

if (
  spawnSync('bash', [join(PACKAGE, 'test/image/setup.sh'), ARCH], { stdio: 'inherit' }).status !== 0
) {
  say('image: NOT TRIED: what is missing stands above');
  process.exit(CANNOT);
}
try {
  await main();
} catch (error) {
  outcomes.settle('the run itself', performance.now(), reasonOf(error));
}
outcomes.end(folder, values.keep);
