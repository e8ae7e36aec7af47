import type { KeyObject } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { MqttClient } from 'mqtt';
import type { Order, ReplyMessage } from '../../../surveillance/contract/messages.js';
import type { TableName } from '../../../surveillance/contract/topics.js';
import type { DeskOptions } from '../../../surveillance/mqtt/desk.js';

interface Flags extends DeskOptions {
  readonly table: string;
  readonly signKey: string;
  readonly signName: string;
  readonly wait: number;
  readonly json?: true;
}

type Act = Pick<Extract<Order, { cmd: 'ack' | 'clear' }>, 'cmd' | 'finding'>;
type Ask =
  | Act
  | Pick<Extract<Order, { cmd: 'resend' }>, 'cmd' | 'from' | 'to'>
  | Pick<Extract<Order, { cmd: 'mark' }>, 'cmd' | 'text'>;

/** Longest wait for the answer, s; an order lives no longer. */
const WAIT_MAX_S = 60;

/** An answer that names no order is held back so long for one that names ours, ms. */
const PERHAPS_MS = 3000;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const wholeNumber = (text: string): number => {
  const n = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n) || n < 1) {
    throw new InvalidArgumentError('it takes a whole number from 1');
  }
  return n;
};

const waitOf = (text: string): number => {
  const n = wholeNumber(text);
  if (n > WAIT_MAX_S) throw new InvalidArgumentError(`at most ${WAIT_MAX_S} s`);
  return n;
};

const tableOf = async (path: string): Promise<TableName> => {
  const { tableNameFault } = await import('../../../surveillance/contract/topics.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const [site = '', pit = '', table = '', ...rest] = path.split('/');
  const name = { site, pit, table };
  const fault = rest.length > 0 ? 'too many parts' : tableNameFault(name);
  if (fault !== null) {
    throw new Refusal(EXIT.usage, `--table takes site/pit/table, not \`${path}\`: ${fault}`);
  }
  return name;
};

/** What a request needs to know its own answer by. */
interface Sent {
  readonly nonce: string;
  readonly replyTopic: string;
  /** Where this answer alone is asked for (MQTT 5). */
  readonly ownTopic: string;
  readonly waitMs: number;
}

/** What came back: an answer that names the order, or one that names none and may be its own. */
interface Heard {
  readonly reply: ReplyMessage | null;
  readonly perhaps: ReplyMessage | null;
}

/** What the table said in time. */
const answerTo = async (client: MqttClient, sent: Sent): Promise<Heard> => {
  const { replySchema } = await import('../../../surveillance/contract/messages.js');
  let perhaps: ReplyMessage | null = null;
  return new Promise((resolve) => {
    const end = (reply: ReplyMessage | null): void => {
      clearTimeout(timer);
      resolve({ reply, perhaps });
    };
    let timer = setTimeout(() => end(null), sent.waitMs);
    client.on('message', (topic, payload) => {
      if (!topic.startsWith(sent.replyTopic)) return;
      const parsed = replySchema.safeParse(jsonOf(payload.toString('utf8')));
      if (!parsed.success) return;
      const { nonce } = parsed.data;
      // An order whose signature fails is answered without its nonce, but where we asked for it.
      if (nonce === sent.nonce || topic === sent.ownTopic) end(parsed.data);
      else if (nonce === null && topic === sent.replyTopic && perhaps === null) {
        // MQTT 3.1.1 has no topic of our own: nothing says whose refusal this is.
        perhaps = parsed.data;
        clearTimeout(timer);
        timer = setTimeout(() => end(null), Math.min(PERHAPS_MS, sent.waitMs));
      }
    });
    client.on('close', () => end(null));
  });
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const secretOf = async (file: string): Promise<KeyObject> => {
  const { DeskError, readSmallFile } = await import('../../../surveillance/mqtt/desk.js');
  const { commandKeyOf } = await import('../../../surveillance/mqtt/command-sign.js');
  const pem = readSmallFile(file, 'the command key');
  try {
    return commandKeyOf(pem);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeskError(`${file}: ${why}; make one with \`cutcard command new-key\``, cause);
  }
};

const exchange = async (ask: Ask, flags: Flags): Promise<Heard> => {
  const { randomBytes } = await import('node:crypto');
  const { connectDesk } = await import('../../../surveillance/mqtt/desk.js');
  const { signOrder } = await import('../../../surveillance/mqtt/command-sign.js');
  const { tablePath, topicOf } = await import('../../../surveillance/contract/topics.js');
  const name = await tableOf(flags.table);
  const secret = await secretOf(flags.signKey);
  const issuedMs = Date.now();
  const waitMs = flags.wait * 1000;
  const nonce = randomBytes(18).toString('base64url');
  const order: Order = {
    ...ask,
    table: tablePath(name),
    nonce,
    issuedMs,
    expiresMs: issuedMs + waitMs,
  };
  const client = await connectDesk(flags);
  try {
    const replyTopic = topicOf(name, 'cmd/reply');
    await client.subscribeAsync([replyTopic, `${replyTopic}/#`], { qos: 1 });
    const ownTopic = `${replyTopic}/${nonce}`;
    const answer = answerTo(client, { nonce, replyTopic, ownTopic, waitMs });
    const isV5 = flags.mqtt !== '3.1.1';
    await client.publishAsync(topicOf(name, 'cmd'), signOrder(order, flags.signName, secret), {
      qos: 1,
      ...(isV5
        ? {
            properties: {
              responseTopic: ownTopic,
              correlationData: Buffer.from(nonce),
              messageExpiryInterval: flags.wait,
            },
          }
        : {}),
    });
    return await answer;
  } finally {
    client.removeAllListeners('close');
    client.end(true);
  }
};

const send = async (ask: Ask, flags: Flags): Promise<void> => {
  const { DeskError } = await import('../../../surveillance/mqtt/desk.js');
  const { EXIT, Refusal } = await import('../exit.js');
  let heard: Heard;
  try {
    heard = await exchange(ask, flags);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Refusal) throw error;
    const isOurs = error instanceof DeskError || / key|Publish error|Subscribe/.test(error.message);
    if (!isOurs) throw error;
    throw new Refusal(EXIT.usage, error.message, error);
  }
  const { reply, perhaps } = heard;
  if (reply === null && perhaps !== null) {
    throw new Refusal(
      EXIT.found,
      `${ask.cmd}: perhaps refused: ${flags.table} refused an order just now without saying ` +
        `whose: ${perhaps.reason ?? 'no reason given'} (row ${perhaps.seq}); over MQTT 5 it ` +
        'would say',
    );
  }
  if (reply === null) {
    throw new Refusal(
      EXIT.usage,
      `no answer from ${flags.table} within ${flags.wait} s: is it online, and may this ` +
        'desk write its cmd topic?',
    );
  }
  print(flags.json === true ? JSON.stringify(reply) : `${ask.cmd}: ${answerText(ask, reply)}`);
  const isDone = reply.taken && reply.ruled?.refused === undefined;
  process.exitCode = isDone ? EXIT.ok : EXIT.found;
};

/** `taken` alone says only that the rules were asked. */
const answerText = ({ cmd }: Ask, { taken, reason, ruled, seq }: ReplyMessage): string => {
  if (!taken) return `refused: ${reason ?? 'no reason given'} (row ${seq})`;
  if (cmd !== 'ack' && cmd !== 'clear') return `taken (row ${seq})`;
  if (ruled === undefined) {
    return `passed to the rules (row ${seq}); what they made of it is in the rows behind`;
  }
  const { refused, clause } = ruled;
  if (refused === undefined) return `done (row ${ruled.seq})`;
  return `the rules refused it: ${refused} § ${clause ?? 'no clause'} (row ${ruled.seq})`;
};

const newKey = async (file: string): Promise<void> => {
  const { writeNewFile } = await import('../new-file.js');
  const { makeCommandKey } = await import('../../../surveillance/mqtt/command-sign.js');
  const { pem, publicKey } = makeCommandKey();
  writeNewFile('the key cannot be written:', file, pem, 0o600);
  print(`${file} holds the private key; give it to nobody`);
  print("add this line to the tables' list (commandKeysFile):");
  print(`- { name: NAME, role: floor, publicKey: ${publicKey} }`);
};

const withBroker = (command: Command): Command =>
  command
    .requiredOption('--broker <url>', 'mqtts://host:8883, or mqtt:// on this machine')
    .requiredOption('--table <path>', 'site/pit/table')
    .requiredOption('--sign-key <file>', 'private command key, PEM (`cutcard command new-key`)')
    .requiredOption('--sign-name <name>', "the key's name on the table's list")
    .option('--wait <s>', 'how long the order lives and the answer is waited for', waitOf, 15)
    .option('--ca <file>', "certificate of the authority that signed the broker's, PEM")
    .option('--cert <file>', "this desk's certificate, PEM")
    .option('--key <file>', 'private key of that certificate, PEM')
    .option('--username <name>', 'name at the broker, where it asks')
    .option('--password-file <file>', 'file with the password and nothing else')
    .option('--mqtt <version>', '5 or 3.1.1', '5')
    .option('--json', 'the answer as JSON on stdout');

export const register = (program: Command): void => {
  const command = program
    .command('command')
    .description('sign one order, send it to a table and show its answer');
  withBroker(command.command('ack'))
    .description('acknowledge an open finding; exit code 1 where table or rules refuse it')
    .argument('<finding>', "the finding's number (12.1) or code, as `state` and `alert` give it")
    .action((finding: string, flags: Flags) => send({ cmd: 'ack', finding }, flags));
  withBroker(command.command('clear'))
    .description('clear an open finding (floor role); exit code 1 where table or rules refuse it')
    .argument('<finding>', "the finding's number (12.1) or code, as `state` and `alert` give it")
    .action((finding: string, flags: Flags) => send({ cmd: 'clear', finding }, flags));
  withBroker(command.command('resend'))
    .description('have rows sent again')
    .argument('<from>', 'first row', wholeNumber)
    .argument('<to>', 'last row', wholeNumber)
    .action((from: number, to: number, flags: Flags) => send({ cmd: 'resend', from, to }, flags));
  withBroker(command.command('mark'))
    .description('mark this moment for the video')
    .argument('<text>', 'what to look for')
    .action((text: string, flags: Flags) => send({ cmd: 'mark', text }, flags));
  command
    .command('new-key')
    .description("make a command key and print its line for the tables' list")
    .argument('<file>', 'where to write the private key')
    .action(newKey);
};
