import type { CompiledPack } from './compile.js';
import type { Statement } from './statement.js';
import { packStatements } from './pack-statements.js';

/** One rule in which two packs differ; null where a pack has no such rule. */
export interface Difference {
  readonly about: string;
  readonly left: Statement | null;
  readonly right: Statement | null;
  /** `text`: the rules differ · `clause`: the same rule, another paragraph or another mark. */
  readonly kind: 'text' | 'clause';
}

const byAbout = (statements: readonly Statement[]): ReadonlyMap<string, Statement> =>
  new Map(statements.map((statement) => [statement.about, statement]));

/** Rules that differ, in the order a shoe runs. */
export const diffPacks = (left: CompiledPack, right: CompiledPack): readonly Difference[] => {
  const [a, b] = [left, right].map((pack) => byAbout(packStatements(pack)));
  const keys = [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])];
  return keys.flatMap((about): readonly Difference[] => {
    const [was, is] = [a?.get(about) ?? null, b?.get(about) ?? null];
    if (was?.text !== is?.text) return [{ about, left: was, right: is, kind: 'text' }];
    const same = was?.clause === is?.clause && was?.verified === is?.verified;
    return same ? [] : [{ about, left: was, right: is, kind: 'clause' }];
  });
};

const side = (statement: Statement | null): string => {
  if (statement === null) return 'no such rule';
  const doubt = statement.verified ? '' : ', not verified';
  return `${statement.text} (${statement.clause}${doubt})`;
};

/** The differences in plain words; names both packs first. */
export const diffText = (
  left: CompiledPack,
  right: CompiledPack,
  differences: readonly Difference[],
): string => {
  const name = (pack: CompiledPack): string => `${pack.procedure.id} ${pack.procedure.version}`;
  const texts = differences.filter((difference) => difference.kind === 'text');
  const clauses = differences.filter((difference) => difference.kind === 'clause');
  const lines = [`- ${name(left)}`, `+ ${name(right)}`];
  if (differences.length === 0) lines.push('', 'The two say the same.');
  for (const { about, left: was, right: is } of texts) {
    lines.push('', about, `  - ${side(was)}`, `  + ${side(is)}`);
  }
  if (clauses.length > 0) lines.push('', 'The same rule, another paragraph or another mark:');
  for (const { about, left: was, right: is } of clauses) {
    const mark = (one: Statement | null): string =>
      one === null ? '' : `${one.clause}${one.verified ? '' : ' (not verified)'}`;
    lines.push(`  ${about}: ${mark(was)} → ${mark(is)}`);
  }
  return `${lines.join('\n')}\n`;
};
