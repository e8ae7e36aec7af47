import type { Command } from 'commander';
import type { CompiledPack } from '../../procedures/compile.js';
import type { Problem } from '../../procedures/problem.js';
import type { Choices } from '../../procedures/resolve.js';

interface Json {
  readonly json?: true;
}
interface Choosing extends Json {
  readonly choose: readonly string[];
}

const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `idleMinutes=15` to a choice. */
const choicesOf = async (words: readonly string[]): Promise<Choices> => {
  const { EXIT, Refusal } = await import('../exit.js');
  return Object.fromEntries(
    words.map((word) => {
      const match = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/.exec(word);
      if (match?.[1] === undefined || match[2] === undefined) {
        throw new Refusal(EXIT.usage, `--choose takes option=choice, not \`${word}\``);
      }
      const value = match[2];
      return [match[1], /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
    }),
  );
};

/** A pack or a plain refusal: 1 where the pack is wrong, 2 where there is none. */
const load = async (idOrPath: string, choose: Choices = {}): Promise<CompiledPack> => {
  const { loadPack, ProcedureMissing } = await import('../procedure-files.js');
  const { PackError } = await import('../../procedures/problem.js');
  const { EXIT, Refusal } = await import('../exit.js');
  try {
    return loadPack(idOrPath, { choose });
  } catch (error) {
    if (error instanceof PackError) throw new Refusal(EXIT.found, error.message, error);
    if (error instanceof ProcedureMissing) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

const percent = (pack: CompiledPack): number =>
  pack.verified.of === 0 ? 0 : Math.round((100 * pack.verified.verified) / pack.verified.of);

interface Row {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Per cent. */
  readonly verified: number;
  readonly jurisdiction: string;
  readonly hash: string;
}

const list = async (options: Json): Promise<void> => {
  const { builtInIds } = await import('../procedure-files.js');
  const rows: Row[] = [];
  for (const id of builtInIds()) {
    const pack = await load(id);
    const { title, version, hash } = pack.procedure;
    rows.push({
      id,
      title,
      version,
      verified: percent(pack),
      jurisdiction: pack.pack.jurisdiction,
      hash,
    });
  }
  if (options.json) {
    print(JSON.stringify(rows));
    return;
  }
  const wide = (key: 'id' | 'title' | 'version'): number =>
    Math.max(key.length, ...rows.map((row) => row[key].length));
  const [a, b, c] = [wide('id'), wide('title'), wide('version')];
  print(`${'id'.padEnd(a)}  ${'title'.padEnd(b)}  ${'version'.padEnd(c)}  verified`);
  for (const row of rows) {
    const share = `${row.verified} %`.padStart(8);
    print(`${row.id.padEnd(a)}  ${row.title.padEnd(b)}  ${row.version.padEnd(c)}  ${share}`);
  }
};

interface Checked {
  readonly file: string;
  readonly ok: boolean;
  readonly id?: string;
  readonly verified?: number;
  readonly problems?: readonly Problem[];
  readonly missing?: string;
}

const checkOne = async (file: string): Promise<Checked> => {
  const { loadPack, ProcedureMissing } = await import('../procedure-files.js');
  const { PackError } = await import('../../procedures/problem.js');
  try {
    const pack = loadPack(file);
    return { file, ok: true, id: pack.procedure.id, verified: percent(pack) };
  } catch (error) {
    if (error instanceof PackError) return { file, ok: false, problems: error.problems };
    if (error instanceof ProcedureMissing) return { file, ok: false, missing: error.message };
    throw error;
  }
};

const check = async (files: readonly string[], options: Json): Promise<void> => {
  const { builtInIds } = await import('../procedure-files.js');
  const { problemText } = await import('../../procedures/problem.js');
  const { EXIT } = await import('../exit.js');
  const results: Checked[] = [];
  for (const file of files.length === 0 ? builtInIds() : files) results.push(await checkOne(file));
  const bad = results.some((result) => result.problems !== undefined);
  const missing = results.some((result) => result.missing !== undefined);
  process.exitCode = missing ? EXIT.usage : bad ? EXIT.found : EXIT.ok;
  if (options.json) {
    print(JSON.stringify({ ok: !bad && !missing, results }));
    return;
  }
  for (const result of results) {
    if (result.ok)
      print(`${result.file}: ok (${result.id ?? ''}, ${result.verified ?? 0} % verified)`);
    else if (result.missing !== undefined) process.stderr.write(`${result.missing}\n`);
    for (const problem of result.problems ?? []) process.stderr.write(`${problemText(problem)}\n`);
  }
};

const explain = async (pack: string, options: Choosing): Promise<void> => {
  const { explainPack, explanationText } = await import('../../procedures/explain.js');
  const explanation = explainPack(await load(pack, await choicesOf(options.choose)));
  print(options.json ? JSON.stringify(explanation) : explanationText(explanation));
};

const diff = async (first: string, second: string, options: Json): Promise<void> => {
  const { diffPacks, diffText } = await import('../../procedures/diff.js');
  const { EXIT } = await import('../exit.js');
  const [left, right] = [await load(first), await load(second)];
  const differences = diffPacks(left, right);
  print(options.json ? JSON.stringify(differences) : diffText(left, right, differences));
  process.exitCode = differences.length === 0 ? EXIT.ok : EXIT.found;
};

export const register = (program: Command): void => {
  const procedures = program
    .command('procedures')
    .description('the packs of rules: list, check, explain, compare');
  procedures
    .command('list')
    .description('the built-in packs and how much of each was read in the text of the law')
    .option('--json', 'one JSON array on stdout')
    .action(list);
  procedures
    .command('check')
    .description('say everything that is wrong with packs; exit code 1 if anything is')
    .argument('[packs...]', 'files or ids; none: every built-in pack')
    .option('--json', 'one JSON object on stdout')
    .action(check);
  procedures
    .command('explain')
    .description('a pack in plain words, clause by clause, with the evidence each duty can reach')
    .argument('<pack>', 'file or id')
    .option('--choose <option=choice>', 'pick an option of the pack; may be repeated', collect, [])
    .option('--json', 'one JSON object on stdout')
    .action(explain);
  procedures
    .command('diff')
    .description('where two packs differ, in plain words; exit code 1 if they do')
    .argument('<first>', 'file or id')
    .argument('<second>', 'file or id')
    .option('--json', 'one JSON array on stdout')
    .action(diff);
};
