import type { CompiledPack } from './compile.js';
import type { Statement } from './statement.js';
import { packStatements } from './pack-statements.js';
import type { PackValue } from './values.js';

export interface OptionText {
  readonly option: string;
  readonly asks: string;
  /** `face-up (default)`, `1 to 240`. */
  readonly choices: readonly string[];
  readonly chosen: string;
}

/** A pack for people: rules by clause, the house's options, what nobody has read. */
export interface Explanation {
  readonly id: string;
  readonly title: string;
  readonly jurisdiction: string;
  readonly version: string;
  readonly hash: string;
  /** `No. 12 by the Board, 2026-01-31`; null where none is recorded. */
  readonly approval: string | null;
  readonly verified: number;
  readonly values: number;
  readonly statements: readonly Statement[];
  readonly options: readonly OptionText[];
  readonly notVerified: readonly PackValue[];
  readonly sources: Readonly<Record<string, string>>;
}

/** `631a.5(b)` before `631a.10`; house policies last. */
export const byClause = (a: string, b: string): number => {
  const policy = Number(a.startsWith('policy:')) - Number(b.startsWith('policy:'));
  return policy === 0 ? a.localeCompare(b, 'en', { numeric: true }) : policy;
};

const optionTexts = ({ pack, chosen, values }: CompiledPack): readonly OptionText[] =>
  Object.entries(pack.options).map(([name, option]) => {
    if ('sets' in option) {
      const own = values.find((value) => value.field === option.sets)?.value;
      const choices = [`${option.min} to ${option.max} (${option.sets})`];
      return {
        option: name,
        asks: option.asks,
        choices,
        chosen: typeof own === 'number' ? String(own) : 'not in use',
      };
    }
    const choices = Object.entries(option.choices).map(([key, choice]) => `${key}: ${choice.says}`);
    return {
      option: name,
      asks: option.asks,
      choices,
      chosen: String(chosen[name] ?? option.default),
    };
  });

export const explainPack = (compiled: CompiledPack): Explanation => {
  const { procedure, pack, values, verified } = compiled;
  const statements = [...packStatements(compiled)].sort((a, b) => byClause(a.clause, b.clause));
  return {
    id: procedure.id,
    title: procedure.title,
    jurisdiction: pack.jurisdiction,
    version: procedure.version,
    hash: procedure.hash,
    approval:
      pack.approval === null
        ? null
        : `${pack.approval.id} by ${pack.approval.by}, ${pack.approval.date}`,
    verified: verified.verified,
    values: verified.of,
    statements,
    options: optionTexts(compiled),
    notVerified: values.filter((value) => !value.verified),
    sources: pack.sources,
  };
};

const WIDTH = 96;

/** Breaks a sentence at blanks; every line begins with `indent`. */
const wrapped = (text: string, indent: string): readonly string[] => {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line);
      line = indent;
    }
    line = line === indent ? `${indent}${word}` : `${line} ${word}`;
  }
  return [...lines, line];
};

const short = (value: unknown): string => {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
};

const statementLines = (statements: readonly Statement[]): readonly string[] => {
  const lines: string[] = [];
  let clause = '';
  for (const statement of statements) {
    if (statement.clause !== clause) {
      clause = statement.clause;
      lines.push('', clause.startsWith('policy:') ? clause : `§ ${clause}`);
    }
    const doubt = statement.verified ? '' : ' (not verified)';
    lines.push(...wrapped(`${statement.text}${doubt}`, '  '));
    lines.push(...wrapped(`[${statement.evidence}] ${statement.how}`, '      '));
  }
  return lines;
};

const optionLines = (options: readonly OptionText[]): readonly string[] =>
  options.length === 0
    ? []
    : [
        '',
        'Options the house picks',
        ...options.flatMap((option) => [
          ...wrapped(`${option.option}: ${option.asks}. Chosen: ${option.chosen}.`, '  '),
          ...option.choices.flatMap((choice) => wrapped(choice, '      ')),
        ]),
      ];

/** Why a value is in doubt, in the words of the pack's sources. */
const doubt = (value: PackValue, sources: Readonly<Record<string, string>>): string =>
  [
    ...(value.source === null ? [] : [sources[value.source] ?? value.source]),
    ...(value.note === null ? [] : [value.note]),
  ].join('; ') || 'the pack does not say where the value comes from';

const doubtLines = ({ notVerified, sources }: Explanation): readonly string[] => {
  if (notVerified.length === 0) return ['', 'Every value was read in its text.'];
  const groups = new Map<string, string[]>();
  for (const value of notVerified) {
    const why = doubt(value, sources);
    const what = `${value.field} = ${short(value.value)} (${value.clause ?? 'no paragraph'})`;
    groups.set(why, [...(groups.get(why) ?? []), what]);
  }
  return [
    '',
    'Not verified: check these against the official text before the pack is submitted',
    ...[...groups].flatMap(([why, what]) => [
      ...wrapped(`${why}:`, '  '),
      ...what.flatMap((line) => wrapped(line, '      ')),
    ]),
  ];
};

/** The explanation as plain text, at most 96 columns wide. */
export const explanationText = (explanation: Explanation): string =>
  [
    `${explanation.title}  (${explanation.id} ${explanation.version})`,
    explanation.jurisdiction,
    `Content ${explanation.hash}`,
    `Approval ${explanation.approval ?? 'none recorded'}`,
    `${explanation.verified} of ${explanation.values} values were read in the text of the law.`,
    'Evidence: sensed = hardware saw it, attested = a person pressed it, unseen = nobody can tell.',
    ...statementLines(explanation.statements),
    ...optionLines(explanation.options),
    ...doubtLines(explanation),
    '',
  ].join('\n');
