import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const COMMIT_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const DELAY_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

/** The service's own figures, for `/metrics`: counts and times, no table's content. */
export class FloorFigures {
  readonly registry = new Registry();
  readonly messages = new Counter({
    name: 'cutcard_floor_messages_total',
    help: 'Messages heard, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  readonly refused = new Counter({
    name: 'cutcard_floor_refused_total',
    help: 'Messages not taken, by reason',
    labelNames: ['why'],
    registers: [this.registry],
  });
  readonly rows = new Counter({
    name: 'cutcard_floor_rows_total',
    help: 'Rows: stored, repeated, forked (two versions of one row), broken (chain)',
    labelNames: ['what'],
    registers: [this.registry],
  });
  readonly asked = new Counter({
    name: 'cutcard_floor_resends_asked_total',
    help: 'Ranges of rows asked for again',
    registers: [this.registry],
  });
  readonly commit = new Histogram({
    name: 'cutcard_floor_commit_seconds',
    help: 'Time of one commit',
    buckets: COMMIT_BUCKETS_S,
    registers: [this.registry],
  });
  readonly delay = new Histogram({
    name: 'cutcard_floor_held_delay_seconds',
    help: 'From hearing a row to having it committed',
    buckets: DELAY_BUCKETS_S,
    registers: [this.registry],
  });
  readonly storeFaults = new Counter({
    name: 'cutcard_floor_store_faults_total',
    help: 'Commits the store would not take; they are tried again',
    registers: [this.registry],
  });
  readonly queued = new Gauge({
    name: 'cutcard_floor_queued_rows',
    help: 'Rows waiting to be committed',
    registers: [this.registry],
  });
  readonly tables = new Gauge({
    name: 'cutcard_floor_tables',
    help: 'Tables by link',
    labelNames: ['link'],
    registers: [this.registry],
  });
  readonly openFindings = new Gauge({
    name: 'cutcard_floor_open_findings',
    help: 'Open findings by severity',
    labelNames: ['severity'],
    registers: [this.registry],
  });
  readonly missingRows = new Gauge({
    name: 'cutcard_floor_tables_with_missing_rows',
    help: 'Tables of which rows are missing',
    registers: [this.registry],
  });
  readonly watchers = new Gauge({
    name: 'cutcard_floor_wall_watchers',
    help: 'Pages watching the wall',
    registers: [this.registry],
  });
  readonly up = new Gauge({
    name: 'cutcard_floor_broker_up',
    help: '1 while there is a link to the broker',
    registers: [this.registry],
  });
}
