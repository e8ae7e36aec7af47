import { expect, it } from 'vitest';
import { CommandGuard } from '../../../surveillance/mqtt/command-guard.js';
import { type Order, orderSchema } from '../../../surveillance/contract/messages.js';
import {
  commandKeyOf,
  makeCommandKey,
  signOrder,
} from '../../../surveillance/mqtt/command-sign.js';

const TABLE = 'north/p1/bac-04';
const NOW = { wallMs: 1_800_000_000_000, wallTrusted: true };
const { pem, publicKey } = makeCommandKey();

const refusal = (order: Order): string => {
  const guard = new CommandGuard(TABLE, [{ name: 'floor-1', role: 'floor', publicKey }]);
  guard.start({ ...NOW, wallMs: NOW.wallMs - 60_000 });
  const text = signOrder(order, 'floor-1', commandKeyOf(pem));
  const verdict = guard.judge(new TextEncoder().encode(text), NOW);
  return verdict.taken ? 'taken' : verdict.reason;
};

it('an order that is not well formed is refused in plain words', () => {
  const times = { issuedMs: NOW.wallMs, expiresMs: NOW.wallMs + 30_000 };
  const mark = { table: TABLE, nonce: 'n'.repeat(16), ...times, cmd: 'mark', text: 'a' } as const;
  expect(refusal(mark)).toBe('taken');
  const began = 'the order is not well formed: ';
  expect(refusal({ ...mark, text: '' })).toBe(`${began}\`text\` must not be empty`);
  expect(refusal({ ...mark, nonce: 'short' })).toBe(
    `${began}\`nonce\` takes 16 to 64 letters, digits, \`-\` or \`_\``,
  );
  const more = { ...mark, role: 'floor' };
  expect(refusal(more)).toBe(`${began}there is no key \`role\` here`);
  const other = orderSchema.safeParse({ ...mark, cmd: 'open' });
  expect(other.error?.issues[0]?.message).toBe('takes ack, resend, mark or clear');
});
