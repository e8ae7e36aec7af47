import type { Happening, Observation } from '../../controller/core/observation.js';
import type { Scheduler, TableStep } from '../../controller/core/ports.js';
import { Buckets } from '../access/buckets.js';
import type { Order, ReplyMessage } from '../contract/messages.js';
import type { CommandGuard, Verdict } from './command-guard.js';
import type { InMessage } from './transport.js';

/** Refusals recorded in a burst, and how many more a second; the rest is counted. */
const REFUSALS_BURST = 100;
const REFUSALS_PER_S = 10;
/**
 * Orders to send rows again of one key at once, and how long one more takes to come back, ms: a
 * consumer that asks for everything for ever neither fills the journal with its questions nor keeps
 * the link busy.
 */
const RESEND_RULE = { burst: 32, refillMs: 1000 } as const;
/** Orders passed on that are not durable yet. */
const ASKED_MAX = 64;
/** Longest note of a `command` row, characters. */
const NOTE_MAX = 200;
const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;

type CommandHappening = Extract<Happening, { kind: 'command' }>;
type CommandRow = Extract<Observation, { kind: 'command' }>;
type PressRow = Extract<Observation, { kind: 'press' }>;
type Ruled = NonNullable<ReplyMessage['ruled']>;

export interface CommandDeskParts {
  readonly guard: CommandGuard;
  readonly scheduler: Scheduler;
  /** Into the table's inbox: becomes a journal row. */
  readonly tell: (happening: Happening) => void;
  /** Null when the rows will be sent again; otherwise why not. */
  readonly resend: (from: number, to: number) => string | null;
  readonly answer: (reply: ReplyMessage, to: Asker) => void;
  /** Newest durable row. */
  readonly headSeq: () => number;
}

/** Where the answer goes. */
export interface Asker {
  readonly responseTopic?: string;
  readonly correlation?: Uint8Array;
}

/** `own`: the table's reply topic. Nobody may make a table write outside that branch. */
export const replyTopicOf = (own: string, { responseTopic }: Asker): string =>
  responseTopic?.startsWith(`${own}/`) === true && !/[+#]/.test(responseTopic)
    ? responseTopic
    : own;

interface Asked {
  readonly command: CommandHappening;
  readonly order: Order | null;
  readonly asker: Asker;
}

/** An order that was recorded and waits for the row of its press. */
interface Pressed {
  readonly row: CommandRow;
  readonly finding: string;
  readonly asker: Asker;
}

const PRESS_OF = { ack: 'acknowledge', clear: 'clear' } as const;

/**
 * Orders from the network. Each is judged, recorded as a row of its own whether taken or refused,
 * and answered when that row is durable; a taken one acts only then. A flood of bad ones is
 * refused like any other, but only counted once the journal has recorded enough of it.
 */
export class CommandDesk {
  readonly #parts: CommandDeskParts;
  readonly #resends: Buckets;
  #asked: Asked[] = [];
  #pressed: Pressed[] = [];
  #tokens = REFUSALS_BURST;
  #filledNs = 0;
  #uncounted = 0;
  #refused = 0;
  /** Why no order can be recorded any more; null while they can. */
  #closed: string | null = null;

  constructor(parts: CommandDeskParts) {
    this.#parts = parts;
    this.#resends = new Buckets(RESEND_RULE, () => parts.scheduler.nowNs() / NS_PER_MS);
  }

  /** Commands refused since the start, recorded or not. */
  get refused(): number {
    return this.#refused;
  }

  /** The journal takes no row: an order cannot be recorded, so none is taken. */
  closed(reason: string): void {
    this.#closed = reason;
    // Their own rows are durable: what the rules would have made of them nobody will know.
    for (const { row, asker } of this.#pressed.splice(0)) this.#answer(row, asker, {});
    for (const { asker } of this.#asked.splice(0)) this.#turnAway(reason, asker);
  }

  message(message: InMessage): void {
    const { guard, scheduler } = this.#parts;
    if (this.#closed !== null) {
      this.#refused += 1;
      if (this.#mayRecord()) this.#turnAway(this.#closed, message);
      return;
    }
    if (message.retain) {
      this.#refuse(refusal('a retained command is stale by nature'), message);
      return;
    }
    const now = { wallMs: scheduler.wallMs(), wallTrusted: scheduler.wallTrusted() };
    const verdict = guard.judge(message.payload, now);
    if (!verdict.taken) {
      this.#refuse(verdict, message);
      return;
    }
    if (this.#asked.length + this.#pressed.length >= ASKED_MAX) {
      this.#refuse(
        { ...refusal('too many orders at once; issue it again'), key: verdict.key },
        message,
      );
      return;
    }
    if (verdict.order.cmd === 'resend' && this.#resends.take(verdict.key) > 0) {
      const { order, key, role } = verdict;
      const reason = 'too many orders to send rows again; ask when those are through';
      const { cmd: command, nonce } = order;
      this.#refuse({ taken: false, reason, command, nonce, key, role }, message);
      return;
    }
    this.#take(verdict, message);
  }

  /** A row is durable: an order acts then, and is answered once it is known what came of it. */
  committed({ observation, decisions }: TableStep): void {
    if (observation.kind === 'command') this.#recorded(observation);
    else if (observation.kind === 'press' && this.#pressed.length > 0) {
      this.#ruledOn(observation, decisions);
    }
  }

  #ruledOn(press: PressRow, decisions: TableStep['decisions']): void {
    if (press.key !== 'acknowledge' && press.key !== 'clear') return;
    const at = this.#pressed.findIndex(
      ({ row, finding }) =>
        (row.command === 'ack' || row.command === 'clear') &&
        PRESS_OF[row.command] === press.key &&
        row.key === press.badge &&
        finding === press.finding &&
        row.seq < press.seq,
    );
    const [pressed] = at < 0 ? [] : this.#pressed.splice(at, 1);
    if (pressed === undefined) return;
    const refused = decisions.find((decision) => decision.do === 'refused');
    const ruled: Ruled =
      refused === undefined
        ? { seq: press.seq }
        : { seq: press.seq, refused: clip(refused.reason), clause: clip(refused.clause) };
    this.#answer(pressed.row, pressed.asker, { ruled });
  }

  #recorded(row: CommandRow): void {
    const at = this.#asked.findIndex(
      ({ command }) => command.nonce === row.nonce && command.taken === row.taken,
    );
    const asked = at < 0 ? undefined : this.#asked[at];
    if (asked === undefined) return;
    this.#asked.splice(at, 1);
    const { order, asker, command } = asked;
    if (order?.cmd === 'ack' || order?.cmd === 'clear') {
      this.#pressed.push({ row, finding: order.finding, asker });
      return;
    }
    const reason = this.#act(order) ?? (command.taken ? undefined : command.note);
    this.#answer(row, asker, reason === undefined ? {} : { reason });
  }

  #answer(
    row: CommandRow,
    asker: Asker,
    { reason, ruled }: Pick<Partial<ReplyMessage>, 'reason' | 'ruled'>,
  ): void {
    this.#parts.answer(
      {
        nonce: row.nonce ?? null,
        cmd: row.command === 'unknown' ? null : row.command,
        taken: row.taken && reason === undefined,
        ...(reason === undefined ? {} : { reason }),
        ...(row.role === undefined ? {} : { role: row.role }),
        ...(ruled === undefined ? {} : { ruled }),
        seq: ruled?.seq ?? row.seq,
        wallMs: this.#parts.scheduler.wallMs(),
      },
      asker,
    );
  }

  /** Answered without a row: there can be none. */
  #turnAway(reason: string, asker: Asker): void {
    const { scheduler, headSeq } = this.#parts;
    const [seq, wallMs] = [headSeq(), scheduler.wallMs()];
    const answer = { nonce: null, cmd: null, taken: false, reason: clip(reason), seq, wallMs };
    this.#parts.answer(answer, asker);
  }

  /** Why the order could not be carried out after all; undefined when it was. */
  #act(order: Order | null): string | undefined {
    if (order?.cmd !== 'resend') return undefined;
    return this.#parts.resend(order.from, order.to) ?? undefined;
  }

  #take(verdict: Extract<Verdict, { taken: true }>, asker: Asker): void {
    const { order, key, role } = verdict;
    const command: CommandHappening = {
      kind: 'command',
      command: order.cmd,
      taken: true,
      key,
      role,
      nonce: order.nonce,
      note: clip(noteOf(order)),
    };
    this.#asked.push({ command, order, asker });
    this.#parts.tell(command);
    // The rules take it as the press of a person: the finding's own authority is checked there.
    if (order.cmd === 'ack' || order.cmd === 'clear') {
      const { finding } = order;
      this.#parts.tell({ kind: 'press', role, badge: key, key: PRESS_OF[order.cmd], finding });
    }
  }

  #refuse(verdict: Extract<Verdict, { taken: false }>, asker: Asker): void {
    this.#refused += 1;
    if (!this.#mayRecord() || this.#asked.length >= ASKED_MAX * 2) {
      this.#uncounted += 1;
      return;
    }
    const command: CommandHappening = {
      kind: 'command',
      command: verdict.command ?? 'unknown',
      taken: false,
      ...(verdict.key === null ? {} : { key: verdict.key }),
      ...(verdict.role === null ? {} : { role: verdict.role }),
      ...(verdict.nonce === null ? {} : { nonce: verdict.nonce }),
      note: clip(verdict.reason),
      ...(this.#uncounted === 0 ? {} : { uncounted: this.#uncounted }),
    };
    this.#uncounted = 0;
    this.#asked.push({ command, order: null, asker });
    this.#parts.tell(command);
  }

  #mayRecord(): boolean {
    const nowNs = this.#parts.scheduler.nowNs();
    const gained = ((nowNs - this.#filledNs) / NS_PER_S) * REFUSALS_PER_S;
    this.#tokens = Math.min(REFUSALS_BURST, this.#tokens + gained);
    this.#filledNs = nowNs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

const refusal = (reason: string): Extract<Verdict, { taken: false }> => ({
  taken: false,
  reason,
  command: null,
  nonce: null,
  key: null,
  role: null,
});

const noteOf = (order: Order): string => {
  switch (order.cmd) {
    case 'mark':
      return order.text;
    case 'resend':
      return `rows ${order.from} to ${order.to}`;
    case 'ack':
    case 'clear':
      return order.finding;
  }
};

/** One line of limited length: nothing from outside may break a log or a display. */
const clip = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').slice(0, NOTE_MAX);
