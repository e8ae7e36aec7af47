import type { Decision } from '../core/decision.js';
import { parsePress } from '../core/press-parse.js';
import type { PressPort } from '../../surveillance/table-page/press.js';
import type { PressAnswer, PressFound } from '../../surveillance/table-page/press-answer.js';
import type { TableLoop } from './loop.js';

const found = (decisions: readonly Decision[]): readonly PressFound[] =>
  decisions.flatMap((decision) => {
    if (decision.do !== 'raised') return [];
    const { code, clause, severity, observed, remedy } = decision.finding;
    return [{ code, clause, severity, observed, remedy }];
  });

const answerOf = (seq: number, decisions: readonly Decision[]): PressAnswer => {
  const refused = decisions.find((decision) => decision.do === 'refused');
  if (refused?.do === 'refused') {
    const { clause, reason } = refused;
    return { is: 'refused', seq, clause, reason, found: found(decisions) };
  }
  return { is: 'taken', seq, found: found(decisions) };
};

/** Presses from pages, each answered once its row is durable: attested, like any other press. */
export const pressDesk =
  (loop: TableLoop): PressPort =>
  async ({ key, role, badge, value }) => {
    const parsed = parsePress({
      key,
      role,
      ...(badge === null ? {} : { badge }),
      ...(value === undefined ? {} : { value }),
    });
    if (!parsed.ok) return { is: 'unfit', reason: parsed.why };
    const step = await loop.ask(parsed.value);
    if (step === null) {
      const reason = loop.fault() ?? 'the table takes nothing now';
      return { is: 'lost', reason: `${reason}. Nothing was pressed` };
    }
    return answerOf(step.observation.seq, step.decisions);
  };
