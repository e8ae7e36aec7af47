import { clientIdOf, TOPIC_PREFIX, tableRoot } from '../contract/topics.js';
import { type FloorPlan, partyNameOf } from './floor-plan.js';

/** Largest packet, bytes: a journal row of full length and its topic. */
const PACKET_MAX_BYTES = 262_144;
/** Messages kept for a consumer that is away; the default of 1,000 drops the rest silently. */
const QUEUED_MAX = 1_000_000;
const QUEUED_MAX_BYTES = 1_073_741_824;

/**
 * mosquitto.conf of a floor. Durable as far as mosquitto goes: it writes its store every few
 * seconds, so that a kill costs what came since; the journal of each table closes that gap
 * (`resend`, a consumer's ack). `autosave_on_changes` would lose nothing and costs ten times the
 * time for each message.
 */
export const mosquittoConfig = (plan: FloorPlan): string => {
  const { listen, files } = plan;
  return `# Broker of floor ${plan.site}. Generated from the floor plan; change that, not this.
per_listener_settings false
allow_anonymous false

listener ${listen.port} ${listen.address}
protocol mqtt
# Nobody without a certificate of the house; its name is the user in the access list.
cafile ${files.ca}
certfile ${files.certificate}
keyfile ${files.key}
crlfile ${files.crl}
require_certificate true
use_identity_as_username true
tls_version tlsv1.3
acl_file ${files.acl}

# Small messages at once.
set_tcp_nodelay true
max_inflight_messages 32
max_packet_size ${PACKET_MAX_BYTES}
max_keepalive 120

# For consumers that are away. What is dropped shows in $SYS/broker/publish/messages/dropped.
max_queued_messages ${QUEUED_MAX}
max_queued_bytes ${QUEUED_MAX_BYTES}
persistent_client_expiration 14d
queue_qos0_messages false

# The default writes every 30 minutes: a kill would lose all since.
persistence true
persistence_location ${files.store}
autosave_interval 10
autosave_on_changes false

connection_messages true
log_type error
log_type warning
log_type notice
${plan.bridge === undefined ? '' : `\n${bridgeConfig(plan, plan.bridge)}`}`;
};

/** Upwards only: a group may watch a floor and not command it. */
const bridgeConfig = (
  plan: FloorPlan,
  bridge: NonNullable<FloorPlan['bridge']>,
): string => `connection cutcard-${plan.site}-group
address ${bridge.address}:${bridge.port}
bridge_protocol_version mqttv50
bridge_cafile ${bridge.ca}
bridge_certfile ${plan.files.certificate}
bridge_keyfile ${plan.files.key}
bridge_tls_version tlsv1.3
remote_clientid cutcard:${plan.site}:bridge
cleansession false
restart_timeout 1 30
notifications false
try_private true
${UPWARDS.map((kind) => `topic ${TOPIC_PREFIX}/${plan.site}/+/+/${kind} out 1`).join('\n')}
`;

const UPWARDS = [
  'status',
  'state',
  'event',
  'alert',
  'mark',
  'checkpoint',
  'documents',
  'health',
] as const;

/**
 * Access list: each table writes its own branch only and reads what is meant for it; consumers
 * read the floor and write their own ack; issuers write orders. What is not listed is refused.
 */
export const mosquittoAcl = (plan: FloorPlan): string => {
  const floor = `${TOPIC_PREFIX}/${plan.site}`;
  const lines = [`# Access list of floor ${plan.site}. Generated from the floor plan.`];
  for (const { pit, table } of plan.tables) {
    const name = { site: plan.site, pit, table };
    const root = tableRoot(name);
    lines.push('', `user ${clientIdOf(name)}`);
    for (const kind of UPWARDS) lines.push(`topic write ${root}/${kind}`);
    lines.push(`topic write ${root}/cmd/reply`, `topic write ${root}/cmd/reply/#`);
    for (const kind of ['status', 'cmd', 'ack/+']) lines.push(`topic read ${root}/${kind}`);
  }
  for (const consumer of plan.consumers) {
    lines.push('', `user ${partyNameOf(plan.site, consumer)}`, `topic read ${floor}/#`);
    lines.push(`topic write ${floor}/+/+/ack/${consumer}`, `topic write ${floor}/+/+/cmd`);
  }
  for (const reader of plan.readers) {
    lines.push('', `user ${partyNameOf(plan.site, reader)}`, `topic read ${floor}/#`);
    lines.push('topic read cutcard-video/#');
  }
  for (const issuer of plan.issuers) {
    lines.push('', `user ${partyNameOf(plan.site, issuer)}`);
    lines.push(`topic write ${floor}/+/+/cmd`);
    for (const kind of ['cmd/reply', 'cmd/reply/#', 'status', 'state']) {
      lines.push(`topic read ${floor}/+/+/${kind}`);
    }
  }
  for (const relay of plan.video) {
    lines.push('', `user ${partyNameOf(plan.site, relay)}`);
    lines.push(`topic read ${floor}/+/+/alert`, `topic read ${floor}/+/+/mark`);
    lines.push('topic write cutcard-video/#');
  }
  return `${lines.join('\n')}\n`;
};
