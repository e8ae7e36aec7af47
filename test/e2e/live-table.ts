import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import type { Phase } from '../../controller/core/state.js';
import { LiveLines, pageSource } from '../../controller/runtime/live.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { TableLoop } from '../../controller/runtime/loop.js';
import { pressDesk } from '../../controller/runtime/press-desk.js';
import type { AuditEntry } from '../../surveillance/access/audit.js';
import { hashPassword } from '../../surveillance/access/password.js';
import type { User } from '../../surveillance/access/users-file.js';
import { startTablePage, type TablePage } from '../../surveillance/table-page/server.js';
import type { TechReport } from '../../surveillance/table-page/technician.js';
import { MemoryJournal } from '../fakes/memory-journal.js';
import { rulesOf, type Setting } from '../unit/core/table.js';

export const PASSWORD = 'correct horse battery';

/** A dealer, a floorperson, and a technician who presses nothing; all with one password. */
export const people = async (): Promise<readonly User[]> => {
  const password = await hashPassword(PASSWORD);
  const user = (name: string, more: Partial<User>): User => ({
    name,
    roles: ['viewer'],
    press: [],
    badge: null,
    password,
    ...more,
  });
  return [
    user('dealer-1', { press: ['dealer'], badge: 'D-1' }),
    user('floor-1', { roles: ['operator'], press: ['floor'], badge: 'F-1' }),
    user('tech-1', { roles: ['technician'] }),
  ];
};

const seen = <T>(value: T) => ({ value, agoMs: 1500 });

/** The inside of a board as a technician may find it. */
const INSIDE: TechReport = {
  board: 'virtual: a table that is played by this machine',
  wallMs: 0,
  lines: [
    {
      name: 'beam-a',
      place: 'virtual 4',
      direction: 'in',
      level: seen(true),
      changes: 812,
      error: null,
    },
    {
      name: 'gate',
      place: 'virtual 17',
      direction: 'out',
      level: seen(false),
      changes: 9,
      error: seen('the line is taken by another program'),
    },
  ],
  registers: [
    {
      bus: 'head',
      address: '0x29',
      register: '0x14',
      device: 'colour',
      bytes: seen('10 02 0c 01 a4 00 55 00'),
      error: null,
    },
  ],
  streams: [
    {
      name: 'shuffler-line',
      device: 'shuffler',
      isOpen: true,
      received: 4096,
      sent: 12,
      last: seen('02 43 4e 54 20 34 31 36 03'),
      isSecret: false,
      error: null,
    },
    {
      name: 'reader-line',
      device: 'reader',
      isOpen: true,
      received: 999,
      sent: 0,
      last: null,
      isSecret: true,
      error: null,
    },
  ],
  devices: [
    {
      name: 'mouth',
      state: 'up',
      identity: 'SN-1',
      reason: null,
      counts: { glitches: 2 },
      calibration: 'beams 10 mm apart, card 63.5 mm, cover 63.5 mm; red, cover, nothing',
    },
    {
      name: 'shuffler',
      state: 'lost',
      identity: null,
      reason: 'silent for 10 s',
      counts: { frames: 41, rejected: 1 },
      calibration: null,
    },
  ],
  checks: [
    { level: 'ok', what: 'disk', seen: '11.2 GB free, writable', cure: '' },
    { level: 'warn', what: 'clock', seen: 'not synchronised', cure: 'set up chrony' },
  ],
  figures: { rssBytes: 81e6, diskFreeBytes: null, uptimeS: 4000, rows: 12 },
};

/** A table with the real rules behind its pages: what is pressed there happens. */
export class LiveTable {
  readonly loop: TableLoop;
  readonly journal = new MemoryJournal();
  readonly trail: AuditEntry[] = [];
  #held: (() => void) | null = null;
  readonly #rules;
  readonly #clock = new SimulatedClock(Date.UTC(2026, 0, 5, 14));

  constructor(procedure: string, setting: Setting = {}) {
    this.#rules = rulesOf(procedure, setting);
    this.loop = new TableLoop({
      rules: this.#rules,
      journal: this.journal,
      scheduler: this.#clock,
      log: silentLog,
      perform: () => undefined,
    });
  }

  /** `users`: null lets anybody press, as in the demo. */
  async serve(users: readonly User[] | null): Promise<TablePage> {
    await this.loop.start();
    const lines = new LiveLines();
    lines.follow(this.loop);
    const source = pageSource(this.loop, {
      table: 'BAC-07',
      rules: this.#rules,
      scheduler: this.#clock,
      lines,
      mayPress: true,
    });
    return startTablePage({
      source: {
        ...source,
        subscribe: (listener) =>
          source.subscribe(() => {
            if (this.#held === null) listener();
            else this.#held = listener;
          }),
      },
      port: 0,
      press: pressDesk(this.loop),
      technician: () => Promise.resolve(INSIDE),
      access: {
        users: users === null ? null : { find: (n) => users.find((u) => u.name === n) ?? null },
        audit: {
          record: (entry) => {
            this.trail.push(entry);
            return Promise.resolve();
          },
        },
        proxy: null,
        tls: null,
      },
    });
  }

  /** Pictures of what happens from now on are late: they come with `release`. */
  hold(): void {
    this.#held ??= () => undefined;
  }

  release(): void {
    const late = this.#held;
    this.#held = null;
    late?.();
  }

  async cards(n: number): Promise<void> {
    for (let i = 0; i < n; i += 1) {
      this.loop.tell({ kind: 'card.out', lengthMm: 88, speedMmS: 600 });
    }
    await this.loop.settled();
  }

  /** A press as somebody at the table's own keypad makes it. */
  async tell(...happenings: Parameters<TableLoop['tell']>[0][]): Promise<void> {
    for (const happening of happenings) this.loop.tell(happening);
    await this.loop.settled();
  }

  get phase(): Phase {
    return this.loop.state().phase;
  }

  /** Presses in the journal: key, role and badge. */
  get presses(): readonly string[] {
    return this.journal.rows.flatMap(({ body }) => {
      const { observation } = JSON.parse(body) as { observation: Record<string, unknown> };
      if (observation['kind'] !== 'press') return [];
      const { key, role, badge = '-' } = observation;
      return [`${String(key)} ${String(role)} ${String(badge)}`];
    });
  }
}
