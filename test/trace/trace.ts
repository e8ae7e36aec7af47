import { FINDING_CODES, type FindingCode } from '../../controller/core/finding.js';
import type { CompiledPack } from '../../controller/procedures/compile.js';
import { packStatements } from '../../controller/procedures/pack-statements.js';
import type { Statement } from '../../controller/procedures/statement.js';
import type { TestFile } from './collect.js';
import { keeperOf } from './rules.js';
import { SECTIONS } from './sections.js';

export interface TraceInput {
  readonly packs: readonly CompiledPack[];
  readonly core: ReadonlyMap<string, string>;
  readonly tests: readonly TestFile[];
}

/** One paragraph of the law and everything that stands for it here. */
export interface ClauseRow {
  readonly clause: string;
  readonly pack: string;
  readonly statements: readonly Statement[];
  readonly codes: readonly FindingCode[];
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

/** One finding, the code that raises it and the tests that see it. */
export interface CodeRow {
  readonly code: FindingCode;
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

export interface Trace {
  readonly clauses: readonly ClauseRow[];
  readonly codes: readonly CodeRow[];
  readonly gaps: readonly string[];
}

/** Files that list codes or words without acting on them. */
const LISTS = new Set([
  'controller/core/finding.ts',
  'controller/core/finding-rules.ts',
  'controller/core/procedure.ts',
]);

const filesWith = (core: ReadonlyMap<string, string>, needle: string): readonly string[] =>
  [...core]
    .filter(([path, text]) => !LISTS.has(path) && text.includes(needle))
    .map(([path]) => path);

const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

const clauseRow = (
  clause: string,
  pack: string,
  statements: readonly Statement[],
  { core, tests }: TraceInput,
): ClauseRow => {
  const keepers = statements.map(({ about }) => keeperOf(about));
  const codes = unique(keepers.flatMap((keeper) => keeper?.codes ?? []));
  const words = keepers.flatMap((keeper) => (keeper?.word === undefined ? [] : [keeper.word]));
  const needles = [...codes.map((code) => `'${code}'`), ...words];
  return {
    clause,
    pack,
    statements,
    codes,
    files: unique(needles.flatMap((needle) => filesWith(core, needle))),
    tests: tests.filter((test) => test.clauses.includes(clause)).map((test) => test.path),
  };
};

const judged = (row: ClauseRow): boolean =>
  row.statements.some((statement) => statement.evidence !== 'unseen');

const clauseGaps = (row: ClauseRow, tests: readonly TestFile[]): readonly string[] => {
  const kinds = new Map(tests.map((test) => [test.path, test.kind]));
  const has = (...wanted: readonly string[]): boolean =>
    row.tests.some((path) => wanted.includes(kinds.get(path) ?? ''));
  const gaps: string[] = [];
  if (row.statements.length === 0) gaps.push(`${row.clause}: no rule of ${row.pack} names it`);
  for (const { about } of row.statements) {
    if (keeperOf(about) === undefined) gaps.push(`${row.clause}: nothing keeps the rule ${about}`);
  }
  if (row.statements.length > 0 && row.files.length === 0) {
    gaps.push(`${row.clause}: no file of the core keeps it`);
  }
  if (!has('value')) gaps.push(`${row.clause}: no test of the pack's values names it`);
  if (judged(row) && !has('rule', 'scenario')) {
    gaps.push(`${row.clause}: no test of the core and no scenario names it`);
  }
  return gaps;
};

/** Paragraphs a test names that no pack knows: a slip of the pen, or a rule that is gone. */
const strayClauses = ({ packs, tests }: TraceInput): readonly string[] => {
  const known = new Set([
    ...SECTIONS.flatMap(({ clauses }) => clauses),
    ...packs.flatMap(({ values }) => values.map((value) => value.clause ?? '')),
  ]);
  return tests.flatMap(({ path, clauses }) =>
    clauses
      .filter((clause) => !known.has(clause) && !FIXTURES.has(path))
      .map((clause) => `${path}: names ${clause}, which no pack and no section has`),
  );
};

/** Tests about the language itself, whose paragraphs are made up. */
const FIXTURES: ReadonlySet<string> = new Set([
  'test/unit/procedures/language.test.ts',
  'test/unit/trace/trace.test.ts',
]);

const codeRow = (code: FindingCode, { core, tests }: TraceInput): CodeRow => {
  const named = new RegExp(`(?<![\\w.-])${code.replace('.', '\\.')}(?![\\w-])`);
  return {
    code,
    files: filesWith(core, `'${code}'`),
    tests: tests
      .filter((test) => test.kind !== 'value' && named.test(test.text))
      .map((test) => test.path),
  };
};

const codeGaps = (row: CodeRow): readonly string[] => [
  ...(row.files.length === 0 ? [`${row.code}: no file of the core raises it`] : []),
  ...(row.tests.length === 0 ? [`${row.code}: no test and no scenario sees it`] : []),
];

/** Sections ↔ rules ↔ tests, both ways. `gaps` is empty where each has the others. */
export const traceOf = (input: TraceInput): Trace => {
  const clauses = SECTIONS.flatMap(({ pack, clauses: listed }) => {
    const compiled = input.packs.find(({ procedure }) => procedure.id === pack);
    const statements = compiled === undefined ? [] : packStatements(compiled);
    return listed.map((clause) =>
      clauseRow(
        clause,
        pack,
        statements.filter((statement) => statement.clause === clause),
        input,
      ),
    );
  });
  const codes = FINDING_CODES.map((code) => codeRow(code, input));
  return {
    clauses,
    codes,
    gaps: [
      ...clauses.flatMap((row) => clauseGaps(row, input.tests)),
      ...codes.flatMap(codeGaps),
      ...strayClauses(input),
    ],
  };
};
