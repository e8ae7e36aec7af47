/** CONNACK 1 of MQTT 3.1.1 and 0x84 of MQTT 5, as the library says them. */
const OTHER_VERSION = /(unacceptable|unsupported) protocol version/i;

/** What a broker said when it refused; of a version it does not speak, with the cure. */
export const withVersionCure = (said: string): string =>
  OTHER_VERSION.test(said)
    ? `${said}: the broker does not speak MQTT 5; \`protocol: 3.1.1\` under \`broker:\`, or ` +
      '`--mqtt 3.1.1`'
    : said;
