import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Children, freePort, until } from './path-rig.js';

const BIN = '/usr/lib/rabbitmq/bin';
const START_LIMIT_MS = 120_000;
const CTL_LIMIT_MS = 120_000;
const run = promisify(execFile);

export const missingRabbit = (): string | null =>
  existsSync(`${BIN}/rabbitmq-server`) ? null : 'apt-get install rabbitmq-server, where it matters';

interface RabbitNode {
  readonly name: string;
  /** MQTT, on loopback. */
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** Nodes of RabbitMQ with the MQTT plugin (3.1.1), joined to one cluster on this machine. */
export class RabbitCluster {
  readonly #children: Children;
  readonly #nodes: RabbitNode[] = [];
  readonly #kills = new Map<string, () => void>();
  #starts = 0;

  private constructor(children: Children) {
    this.#children = children;
  }

  static async start(children: Children, folder: string, nodes: number): Promise<RabbitCluster> {
    const cluster = new RabbitCluster(children);
    const epmd = await freePort();
    for (let i = 1; i <= nodes; i += 1) {
      await cluster.#add(join(folder, `rabbit-${i}`), `cutcard${process.pid}n${i}@localhost`, epmd);
    }
    const [first, ...others] = cluster.#nodes;
    for (const node of others) {
      await cluster.#ctl(node, 'stop_app');
      await cluster.#ctl(node, 'join_cluster', `${first?.name}`);
      await cluster.#ctl(node, 'start_app');
    }
    return cluster;
  }

  /** MQTT port of node `i`, counted from 0. */
  port(i: number): number {
    return this.#node(i).port;
  }

  /** Resident memory of one node, MB. */
  async memoryMb(i: number): Promise<number> {
    const text = await this.#ctl(this.#node(i), 'eval', 'erlang:memory(total).');
    return Math.round(Number(text.trim()) / 1e6);
  }

  kill(i: number): void {
    this.#kills.get(this.#node(i).name)?.();
  }

  killAll(): void {
    for (const kill of this.#kills.values()) kill();
  }

  async again(i: number): Promise<void> {
    await this.#launch(this.#node(i));
  }

  #node(i: number): RabbitNode {
    const node = this.#nodes[i];
    if (node === undefined) throw new Error(`no node ${i} in the cluster`);
    return node;
  }

  async #add(folder: string, name: string, epmd: number): Promise<void> {
    const [port, dist, amqp] = [await freePort(), await freePort(), await freePort()];
    mkdirSync(folder, { recursive: true });
    const config = [
      `listeners.tcp.1 = 127.0.0.1:${amqp}`,
      `mqtt.listeners.tcp.1 = 127.0.0.1:${port}`,
      'mqtt.allow_anonymous = true',
      'mqtt.prefetch = 1000',
    ];
    writeFileSync(join(folder, 'rabbitmq.conf'), `${config.join('\n')}\n`);
    writeFileSync(join(folder, 'plugins'), '[rabbitmq_mqtt].\n');
    // Nodes know each other by the same word; it never leaves this folder.
    const env = {
      ...process.env,
      HOME: folder,
      RABBITMQ_NODENAME: name,
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
      RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      RABBITMQ_DIST_PORT: `${dist}`,
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      RABBITMQ_ERLANG_COOKIE: `cutcard${process.pid}`,
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: `${epmd}`,
    };
    const node = { name, port, env, folder };
    this.#nodes.push(node);
    await this.#launch(node);
  }

  async #launch({ name, env, folder }: RabbitNode): Promise<void> {
    this.#starts += 1;
    const out = join(folder, `out-${this.#starts}`);
    // Killed with all it started: the server is a shell that starts the Erlang machine.
    const child = this.#children.start('setsid', [`${BIN}/rabbitmq-server`], out, folder, env);
    this.#kills.set(name, () => {
      // It may have ended by itself.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL');
      }
    });
    const said = (): string => readFileSync(out, 'utf8');
    await until(
      `${name} up`,
      () => said().includes('completed with') || child.exitCode !== null,
      START_LIMIT_MS,
    );
    if (child.exitCode !== null) throw new Error(`${name} did not start: ${said().slice(-800)}`);
  }

  async #ctl(node: RabbitNode, ...args: readonly string[]): Promise<string> {
    const { stdout } = await run(`${BIN}/rabbitmqctl`, ['-q', '-n', node.name, ...args], {
      env: node.env,
      timeout: CTL_LIMIT_MS,
    });
    return stdout;
  }
}
