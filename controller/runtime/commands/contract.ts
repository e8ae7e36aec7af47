import { type Command, InvalidArgumentError } from 'commander';
import type { ConformanceReport } from '../../../surveillance/contract/conformance.js';
import type { DeskOptions } from '../../../surveillance/mqtt/desk.js';

interface CheckFlags extends DeskOptions {
  readonly table?: string;
  readonly seconds: number;
  readonly rows?: number;
  readonly strict?: true;
  readonly json?: true;
}

const SECONDS_MAX = 86_400;
const ROWS_MAX = 100_000_000;
/** Longest wait for the broker to take the last events, ms. */
const SETTLE_MS = 2000;

const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

const within =
  (max: number) =>
  (text: string): number => {
    const n = Number(text);
    if (!/^\d+$/.test(text) || n < 1 || n > max) {
      throw new InvalidArgumentError(`it takes a whole number from 1 to ${max}`);
    }
    return n;
  };

/** `site/pit/table`, or `site`, or nothing for every table. */
const filterOf = async (table: string | undefined): Promise<string> => {
  const { isTopicLevel, TOPIC_PREFIX } = await import('../../../surveillance/contract/topics.js');
  const { EXIT, Refusal } = await import('../exit.js');
  if (table === undefined) return `${TOPIC_PREFIX}/#`;
  const levels = table.split('/');
  if (levels.length > 3 || !levels.every(isTopicLevel)) {
    throw new Refusal(
      EXIT.usage,
      `--table takes site, site/pit or site/pit/table, not \`${table}\``,
    );
  }
  return `${TOPIC_PREFIX}/${table}/#`;
};

const textOf = ({ tables, faults, moreFaults }: ConformanceReport): string => {
  const lines = tables.map(({ table, rows, firstSeq, lastSeq, repeats, historical, messages }) => {
    const kinds = Object.entries(messages).map(([kind, n]) => `${kind} ${n}`);
    const span = firstSeq === null ? 'no row' : `rows ${firstSeq} to ${lastSeq ?? firstSeq}`;
    return (
      `${table}: ${span}, ${rows} heard, ${repeats} repeated, ${historical} historical\n` +
      `  ${kinds.join(', ')}`
    );
  });
  for (const { table, topic, rule, text } of faults) {
    lines.push(`${table === '' ? topic : table}: ${rule}: ${text}`);
  }
  if (moreFaults > 0) lines.push(`and ${moreFaults} faults more`);
  if (tables.length === 0)
    lines.push('nothing was heard: no table here, or the access list hides it');
  else if (faults.length === 0) lines.push('the contract is kept');
  return lines.join('\n');
};

const check = async (flags: CheckFlags): Promise<void> => {
  const { Conformance } = await import('../../../surveillance/contract/conformance.js');
  const { connectDesk, DeskError } = await import('../../../surveillance/mqtt/desk.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const filter = await filterOf(flags.table);
  const book = new Conformance();
  try {
    const client = await connectDesk(flags);
    let heard = 0;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => resolve(), flags.seconds * 1000);
      const end = (then: () => void): void => {
        clearTimeout(timer);
        then();
      };
      process.once('SIGINT', () => end(resolve));
      client.on('close', () =>
        end(() => reject(new DeskError('the link to the broker was lost while listening'))),
      );
      client.on('message', (topic, payload, packet) => {
        book.message(topic, payload.toString('utf8'), packet.retain);
        if (topic.endsWith('/event')) heard += 1;
        if (flags.rows !== undefined && heard >= flags.rows) end(resolve);
      });
      client.subscribe(filter, { qos: 1 }, (error) => {
        if (error !== null) end(() => reject(new DeskError(`${filter}: ${error.message}`)));
      });
    });
    client.removeAllListeners('close');
    client.end(true);
  } catch (error) {
    if (error instanceof DeskError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
  const report = book.report(flags.strict === true);
  const isKept = report.faults.length === 0 && report.moreFaults === 0 && report.tables.length > 0;
  print(flags.json === true ? JSON.stringify({ ok: isKept, ...report }) : textOf(report));
  process.exitCode = isKept ? EXIT.ok : EXIT.found;
};

const schema = async (folder: string | undefined): Promise<void> => {
  const { contractDocuments, documentText } = await import(
    '../../../surveillance/contract/documents.js'
  );
  const { makeFolder } = await import('../../config/given-file.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const { writeInto } = await import('../new-file.js');
  const documents = contractDocuments();
  if (folder === undefined) {
    print(JSON.stringify(documents['asyncapi.json'], null, 2));
    return;
  }
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new Refusal(EXIT.usage, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const texts = Object.entries(documents).map(([name, document]): [string, string] => [
    name,
    documentText(document),
  ]);
  for (const file of writeInto(folder, Object.fromEntries(texts))) print(file);
};

interface OnvifFlags extends DeskOptions {
  readonly prefix: string;
  readonly site?: string;
  readonly seconds?: number;
  readonly json?: true;
}

const onvif = async (flags: OnvifFlags): Promise<void> => {
  const { connectDesk, DeskError } = await import('../../../surveillance/mqtt/desk.js');
  const { isTopicPrefix } = await import('../../../surveillance/video/onvif.js');
  const { VideoRelay } = await import('../../../surveillance/video/relay.js');
  const { EXIT, Refusal } = await import('../exit.js');
  if (!isTopicPrefix(flags.prefix)) {
    throw new Refusal(EXIT.usage, `--prefix \`${flags.prefix}\` cannot begin a topic`);
  }
  try {
    const client = await connectDesk(flags);
    const relay = new VideoRelay(client, flags.prefix, flags.site ?? null);
    const ended = new Promise<boolean>((resolve) => {
      if (flags.seconds !== undefined) setTimeout(() => resolve(true), flags.seconds * 1000);
      process.once('SIGINT', () => resolve(true));
      process.once('SIGTERM', () => resolve(true));
      client.on('close', () => resolve(false));
    });
    await relay.start();
    const isOnPurpose = await ended;
    await relay.settled(SETTLE_MS);
    client.removeAllListeners('close');
    await client.endAsync(true);
    const { heard, sent, passedOver } = relay.counts;
    const text = `${heard} heard, ${sent} sent on, ${passedOver} passed over`;
    print(flags.json === true ? JSON.stringify(relay.counts) : text);
    if (!isOnPurpose) throw new DeskError('the link to the broker was lost; start the relay again');
  } catch (error) {
    if (error instanceof DeskError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

const withDesk = (command: Command): Command =>
  command
    .requiredOption('--broker <url>', 'mqtts://host:8883, or mqtt:// on this machine')
    .option('--ca <file>', "certificate of the authority that signed the broker's, PEM")
    .option('--cert <file>', "this desk's certificate, PEM")
    .option('--key <file>', 'private key of that certificate, PEM')
    .option('--username <name>', 'name at the broker, where it asks')
    .option('--password-file <file>', 'file with the password and nothing else')
    .option('--mqtt <version>', '5 or 3.1.1', '5')
    .option('--json', 'one JSON object on stdout');

export const register = (program: Command): void => {
  const contract = program
    .command('contract')
    .description('what a table says over MQTT: check a broker against it, write its documents');
  withDesk(contract.command('onvif'))
    .description('publish alerts and marks as ONVIF-style JSON events for video systems')
    .option('--prefix <topic>', 'what their topics begin with', 'cutcard-video')
    .option('--site <name>', 'only this house; none: every one')
    .option('--seconds <n>', 'stop after so long; none: run until stopped', within(SECONDS_MAX))
    .action(onvif);
  withDesk(contract.command('check'))
    .description('listen as an independent consumer; exit code 1 if the contract is not kept')
    .option('--table <path>', 'site, site/pit or site/pit/table; none: every table')
    .option('--seconds <n>', 'how long to listen', within(SECONDS_MAX), 10)
    .option('--rows <n>', 'stop after so many events', within(ROWS_MAX))
    .option('--strict', 'rows that come more than once are faults too')
    .action(check);
  contract
    .command('schema')
    .description('write the AsyncAPI document and the JSON Schemas; no folder: AsyncAPI on stdout')
    .argument('[folder]', 'where to write them')
    .action(schema);
};
