import { clientIdOf, TOPIC_PREFIX } from '../contract/topics.js';
import { type FloorPlan, partyNameOf } from './floor-plan.js';

/**
 * RabbitMQ's MQTT plugin (3.10 and later, MQTT 3.1.1): its configuration and the commands that make
 * its users. It has no access list as a file: rights are patterns over routing keys, where the
 * slashes of a topic stand as dots. It is the declared weaker mode: a refusal closes the link.
 */
export const rabbitConfig = (plan: FloorPlan): string => {
  const { listen, files } = plan;
  return `# Broker of floor ${plan.site}. Generated from the floor plan; change that, not this.
listeners.tcp = none
mqtt.listeners.tcp = none
mqtt.listeners.ssl.1 = ${listen.address}:${listen.port}
ssl_options.cacertfile = ${files.ca}
ssl_options.certfile = ${files.certificate}
ssl_options.keyfile = ${files.key}
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = true
ssl_options.versions.1 = tlsv1.3
# The name in the certificate is the user; nobody comes in with a password.
mqtt.ssl_cert_login = true
ssl_cert_login_from = common_name
mqtt.allow_anonymous = false
mqtt.vhost = /
mqtt.exchange = amq.topic
# Sessions of consumers that are away: two weeks, ms.
mqtt.subscription_ttl = 1209600000
mqtt.prefetch = 20
`;
};

/** What the short form cannot say; named by RABBITMQ_ADVANCED_CONFIG_FILE. */
export const rabbitAdvanced = (): string => `%% Our names hold colons; without this what stands
%% before the last one is taken for a virtual host.
[{rabbitmq_mqtt, [{ignore_colons_in_username, true}]}].
`;

/** `a/b` as RabbitMQ's patterns see it, every letter meaning itself. */
const keyOf = (topic: string): string =>
  topic
    .split('/')
    .map((level) => level.replace(/\./g, '/').replace(/[.\\-]/g, '\\$&'))
    .join('\\.');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const LEVEL = '[^.]+';

/** A session's own queue, and the exchange that topics go through. */
const QUEUES = "'^(mqtt-subscription-.*|amq\\.topic)$'";

const userLines = (name: string, write: string, read: string): readonly string[] => [
  `ctl add_user ${quoted(name)} "$(head -c 24 /dev/urandom | base64)" || true`,
  `ctl clear_password ${quoted(name)}`,
  `ctl set_permissions -p / ${quoted(name)} '^mqtt-subscription-' ${QUEUES} ${QUEUES}`,
  `ctl set_topic_permissions -p / ${quoted(name)} amq.topic ${quoted(write)} ${quoted(read)}`,
];

const NOTHING = '^$';

/** A shell script: users and rights of the floor. `ctl` is rabbitmqctl, or what CTL names. */
export const rabbitUsers = (plan: FloorPlan): string => {
  const floor = keyOf(`${TOPIC_PREFIX}/${plan.site}`);
  const any = `${floor}\\.${LEVEL}\\.${LEVEL}`;
  const lines = [
    '#!/bin/sh',
    `# Users of floor ${plan.site}. Generated from the floor plan.`,
    'set -eu',
    'ctl() { ${CTL:-rabbitmqctl} -q "$@"; }',
  ];
  for (const { pit, table } of plan.tables) {
    const name = { site: plan.site, pit, table };
    const root = `${floor}\\.${keyOf(`${pit}/${table}`)}`;
    const own = 'status|state|event|alert|mark|checkpoint|documents|health|cmd\\.reply(\\..+)?';
    lines.push(
      ...userLines(
        clientIdOf(name),
        `^${root}\\.(${own})$`,
        `^${root}\\.(status|cmd|ack\\.${LEVEL})$`,
      ),
    );
  }
  for (const consumer of plan.consumers) {
    const write = `^${any}\\.(cmd|ack\\.${keyOf(consumer)})$`;
    lines.push(...userLines(partyNameOf(plan.site, consumer), write, `^${floor}\\..+$`));
  }
  for (const reader of plan.readers) {
    lines.push(...userLines(partyNameOf(plan.site, reader), NOTHING, `^${floor}\\..+$`));
  }
  for (const issuer of plan.issuers) {
    const read = `^${any}\\.(status|state|cmd\\.reply(\\..+)?)$`;
    lines.push(...userLines(partyNameOf(plan.site, issuer), `^${any}\\.cmd$`, read));
  }
  return `${lines.join('\n')}\n`;
};
