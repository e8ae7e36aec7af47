import type { AuditSink } from '../../../surveillance/access/audit.js';
import { ListenError } from '../../../surveillance/access/listen.js';
import type { BrokerAddress } from '../../../surveillance/mqtt/mqtt-transport.js';
import type { CommandKey } from '../../../surveillance/floor/asker.js';
import type { TableId } from '../../../surveillance/floor/api.js';
import { type FloorAccess, startFloorSite } from '../../../surveillance/floor/http/server.js';
import { FloorService } from '../../../surveillance/floor/service.js';
import { StoreError } from '../../../surveillance/floor/store/db.js';
import type { Escalation } from '../../../surveillance/floor/tile.js';
import { EXIT, Refusal } from '../exit.js';
import type { Log } from '../log-port.js';
import { evidenceFromRows } from './evidence-source.js';
import { stepWords } from './step-words.js';

/** Five years, as most licences ask of surveillance records. */
export const RETENTION_YEARS = 5;
export const DAY_BEGINS_HOUR = 6;
export const CONSUMER = 'historian';

/** What a floor service is started with; what is left out has the defaults above. */
export interface FloorOptions {
  /** A file for SQLite, or `postgres://…`. */
  readonly store: string;
  readonly broker: () => BrokerAddress;
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly log: Log;
  readonly version: string;
  readonly consumer?: string;
  readonly site?: string | null;
  /** Several instances share the rows; left out: where the store is PostgreSQL. */
  readonly isShared?: boolean;
  readonly commandKey?: CommandKey | null;
  readonly expected?: readonly TableId[];
  readonly escalation?: Escalation;
  readonly retentionYears?: number;
  readonly dayBeginsHour?: number;
  /** Left out: no login, loopback only. */
  readonly access?: FloorAccess;
  readonly audit?: AuditSink;
}

export interface RunningFloor {
  /** `http://127.0.0.1:8090` */
  readonly url: string;
  readonly service: FloorService;
  /** Commits what waits, says good-bye; safe twice. */
  stop(): Promise<void>;
}

export const isPostgres = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

/**
 * Starts the floor service: store, link to the broker, wall.
 * @throws Refusal in plain words: a store or an address that cannot be had.
 */
export const startFloor = async (options: FloorOptions): Promise<RunningFloor> => {
  const { store, broker, log, version, port, host, access, audit } = options;
  let service: FloorService | null = null;
  try {
    service = await FloorService.start({
      store,
      broker,
      log,
      version,
      consumer: options.consumer ?? CONSUMER,
      site: options.site ?? null,
      isShared: options.isShared ?? isPostgres(store),
      commandKey: options.commandKey ?? null,
      expected: options.expected ?? [],
      retentionYears: options.retentionYears ?? RETENTION_YEARS,
      ...(options.escalation === undefined ? {} : { escalation: options.escalation }),
    });
    const running = service;
    const site = await startFloorSite({
      service: running,
      port,
      words: stepWords,
      makeEvidence: (input) => evidenceFromRows(input, version),
      dayBeginsHour: options.dayBeginsHour ?? DAY_BEGINS_HOUR,
      ...(host === undefined ? {} : { host }),
      ...(access === undefined
        ? {}
        : { access: audit === undefined ? access : { ...access, audit } }),
    });
    return {
      url: site.url,
      service: running,
      stop: async () => {
        running.feed.stop();
        await site.stop();
        await running.stop();
      },
    };
  } catch (error) {
    await service?.stop();
    if (error instanceof StoreError || error instanceof ListenError) {
      throw new Refusal(EXIT.usage, error.message, error);
    }
    throw error;
  }
};
