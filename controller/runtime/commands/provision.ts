import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FloorPlan } from '../../../surveillance/broker/floor-plan.js';

const DAYS_MAX = 825;

const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

const daysOf = (text: string): number => {
  const n = Number(text);
  if (!/^\d+$/.test(text) || n < 1 || n > DAYS_MAX) {
    throw new InvalidArgumentError(`it takes a whole number from 1 to ${DAYS_MAX}`);
  }
  return n;
};

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** Runs the work and turns what the user can put right into a plain refusal. */
const plainly = async (work: () => Promise<void>): Promise<void> => {
  const { IdentityError } = await import('../../../surveillance/identity/files.js');
  const { EXIT, Refusal } = await import('../exit.js');
  try {
    await work();
  } catch (error) {
    if (error instanceof IdentityError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

/** `site/pit/table` or, for anything else, `site/part` (historian, desk, broker). */
const nameOf = async (path: string): Promise<string> => {
  const { clientIdOf, isTopicLevel } = await import('../../../surveillance/contract/topics.js');
  const { partyNameOf } = await import('../../../surveillance/broker/floor-plan.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const [site = '', second = '', third, ...rest] = path.split('/');
  const levels = [site, second, ...(third === undefined ? [] : [third])];
  if (rest.length > 0 || !levels.every(isTopicLevel)) {
    throw new Refusal(
      EXIT.usage,
      `\`${path}\` names nobody: write site/pit/table for a table, site/part for all else`,
    );
  }
  return third === undefined
    ? partyNameOf(site, second)
    : clientIdOf({ site, pit: second, table: third });
};

interface Dir {
  readonly dir: string;
}

const isTable = (who: string): boolean => who.split('/').length === 3;

interface RequestFlags extends Dir {
  readonly config?: string;
}

/** Who asks: as given, or the place of a table's configuration. */
const whoOf = async (who: string | undefined, config: string | undefined): Promise<string> => {
  const { EXIT, Refusal } = await import('../exit.js');
  if ((who === undefined) === (config === undefined)) {
    throw new Refusal(EXIT.usage, 'write site/pit/table, or --config FILE to take it from there');
  }
  if (config === undefined) return who ?? '';
  const { readConfigFile, refuseConfig } = await import('../config-file.js');
  const read = readConfigFile(config);
  if (!read.ok) throw refuseConfig(read.problems);
  const { site, pit, table } = read.loaded.config.place;
  return `${site}/${pit}/${table}`;
};

const request = (given: string | undefined, { dir, config }: RequestFlags): Promise<void> =>
  plainly(async () => {
    const { makeRequest } = await import('../../../surveillance/identity/device.js');
    const who = await whoOf(given, config);
    const path = makeRequest(dir, await nameOf(who));
    const { ownName } = await import('../own-name.js');
    const sign = `${ownName()} provision authority sign`;
    print(`${path}: have this signed (${sign}); the key stays here`);
    if (isTable(who)) await signingKey({ dir });
  });

const signingKey = ({ dir }: Dir): Promise<void> =>
  plainly(async () => {
    const { ensureSigningKey, signingKeyFiles } = await import('../signing-key.js');
    const { EXIT, Refusal } = await import('../exit.js');
    const files = signingKeyFiles(dir);
    try {
      const { isNew, key } = ensureSigningKey(dir);
      print(`${files.key}: ${isNew ? 'made' : 'was there, kept'}; write it as deviceKeyFile`);
      print(`${files.public}: for those who verify the journal; its name is ${key.name}`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal(EXIT.usage, why, cause);
    }
  });

const install = (file: string, flags: Dir & { readonly ca: string }): Promise<void> =>
  plainly(async () => {
    const { deviceFiles, installCertificate } = await import(
      '../../../surveillance/identity/device.js'
    );
    const { readText } = await import('../../../surveillance/identity/files.js');
    const { name, validToMs, authority } = installCertificate(
      flags.dir,
      readText(file, 'the certificate'),
      readText(flags.ca, "the authority's certificate"),
      Date.now(),
    );
    print(
      `${name}: in use from the next connection on, until ${new Date(validToMs).toISOString()}`,
    );
    const kept = deviceFiles(flags.dir).authority;
    if (authority === 'kept') print(`${kept}: the authority's certificate; write it as caFile`);
    else {
      print(
        `${kept}: holds another authority's certificate and was left as it is; once the broker's ` +
          'own is of the new authority, put the new one there',
      );
    }
  });

const status = (flags: Dir & { readonly json?: true }): Promise<void> =>
  plainly(async () => {
    const { deviceFiles, hasAsked, identityStatus, recoverInstall } = await import(
      '../../../surveillance/identity/device.js'
    );
    const { existsSync } = await import('node:fs');
    const { EXIT } = await import('../exit.js');
    const { ownName } = await import('../own-name.js');
    recoverInstall(flags.dir);
    const waits = hasAsked(flags.dir) ? deviceFiles(flags.dir).nextRequest : null;
    if (waits !== null && !existsSync(deviceFiles(flags.dir).certificate)) {
      const what = 'requested, not yet signed';
      const cure = `have ${waits} signed, then \`${ownName()} provision install\``;
      print(
        flags.json === true
          ? JSON.stringify({ standing: 'requested', request: waits })
          : `${what}: ${cure}`,
      );
      process.exitCode = EXIT.found;
      return;
    }
    const found = identityStatus(flags.dir, Date.now());
    const { name, standing, daysLeft } = found;
    const advice = {
      valid: 'nothing to do',
      renew: 'renew it now: provision request, sign, install',
      expired: 'it is no longer taken: provision request, sign, install',
      'not-yet': 'it is not valid yet: compare the clocks',
    };
    print(
      flags.json === true
        ? JSON.stringify(found)
        : `${name}: ${standing}, ${daysLeft} days left; ${advice[standing]}${
            waits === null ? '' : `; requested, not yet signed: ${waits}`
          }`,
    );
    process.exitCode = standing === 'valid' ? EXIT.ok : EXIT.found;
  });

const authorityInit = (name: string, { dir }: Dir): Promise<void> =>
  plainly(async () => {
    const { makeAuthority } = await import('../../../surveillance/identity/authority.js');
    makeAuthority(dir, name);
    print(`${dir}: the authority \`${name}\`; keep this folder off the floor's network`);
    print(`${dir}/ca.crt goes to every device and to the broker, ${dir}/ca.crl to the broker`);
  });

interface SignFlags extends Dir {
  readonly days: number;
  readonly host: readonly string[];
  readonly out: string;
}

const authoritySign = (file: string, who: string, flags: SignFlags): Promise<void> =>
  plainly(async () => {
    const { signRequest } = await import('../../../surveillance/identity/authority.js');
    const { readText, writeDurably } = await import('../../../surveillance/identity/files.js');
    const name = await nameOf(who);
    const { dir, days, host: hosts, out } = flags;
    const certificate = signRequest(dir, readText(file, 'the request'), { name, days, hosts });
    writeDurably(out, certificate, 0o644);
    print(`${out}: ${name}, for ${days} days`);
  });

const authorityRevoke = (file: string, { dir }: Dir): Promise<void> =>
  plainly(async () => {
    const { revoke } = await import('../../../surveillance/identity/authority.js');
    const { readText } = await import('../../../surveillance/identity/files.js');
    const name = revoke(dir, readText(file, 'the certificate'));
    print(`${name} is revoked; copy ${dir}/ca.crl to the broker and send it SIGHUP`);
  });

const authorityList = ({ dir }: Dir): Promise<void> =>
  plainly(async () => {
    const { renewRevocations } = await import('../../../surveillance/identity/authority.js');
    print(`${renewRevocations(dir)}: copy it to the broker and send it SIGHUP`);
  });

const BROKER_KINDS = ['mosquitto', 'rabbitmq'] as const;
type BrokerKind = (typeof BROKER_KINDS)[number];

/** The files of a broker of this kind, by name. */
const brokerFiles = async (
  kind: BrokerKind,
  plan: FloorPlan,
): Promise<Readonly<Record<string, string>>> => {
  if (kind === 'mosquitto') {
    const made = await import('../../../surveillance/broker/mosquitto.js');
    return { 'mosquitto.conf': made.mosquittoConfig(plan), acl: made.mosquittoAcl(plan) };
  }
  const made = await import('../../../surveillance/broker/rabbitmq.js');
  return {
    'rabbitmq.conf': made.rabbitConfig(plan),
    'advanced.config': made.rabbitAdvanced(),
    'users.sh': made.rabbitUsers(plan),
  };
};

interface BrokerFlags {
  readonly out: string;
  readonly kind: BrokerKind;
}

const broker = async (plan: string, flags: BrokerFlags): Promise<void> => {
  const { readFloorPlan } = await import('../../../surveillance/broker/floor-plan.js');
  const { makeFolder, readGiven } = await import('../../config/given-file.js');
  const { writeInto } = await import('../new-file.js');
  const { IdentityError } = await import('../../../surveillance/identity/files.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const planText = (file: string): string => {
    try {
      return readGiven(file);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${file}: the floor plan cannot be read: ${why}`, { cause });
    }
  };
  try {
    const read = readFloorPlan(planText(plan), plan);
    makeFolder(flags.out);
    const made = await brokerFiles(flags.kind, read);
    writeInto(flags.out, made, (name) => (name === 'acl' ? 0o640 : 0o644));
    print(`${flags.out}: ${Object.keys(made).join(', ')} for ${read.tables.length} tables`);
  } catch (cause) {
    if (cause instanceof IdentityError) throw cause;
    const why = cause instanceof Error ? cause.message : 'unknown cause';
    throw new Refusal(EXIT.config, why, cause);
  }
};

const registerAuthority = (provision: Command): void => {
  const authority = provision
    .command('authority')
    .description("the house's own certificate authority, in a folder off the floor's network");
  authority
    .command('init')
    .description('make a new authority')
    .argument('<name>', 'its name: letters, digits, `.`, `_`, `:` and `-`, such as north-ca')
    .requiredOption('--dir <folder>', "the authority's folder")
    .action(authorityInit);
  authority
    .command('sign')
    .description('sign a request')
    .argument('<request>', 'the request, PEM')
    .argument('<who>', 'whom it must be for: site/pit/table, or site/part')
    .requiredOption('--dir <folder>', "the authority's folder")
    .requiredOption('--out <file>', 'where to write the certificate')
    .option('--days <n>', 'how long it lives', daysOf, 90)
    .option('--host <name>', 'for a broker: name or address; may be repeated', collect, [])
    .action(authoritySign);
  authority
    .command('revoke')
    .description('revoke a certificate and write the list of revocations anew')
    .argument('<certificate>', 'the certificate, PEM')
    .requiredOption('--dir <folder>', "the authority's folder")
    .action(authorityRevoke);
  authority
    .command('revocations')
    .description('write the list of revocations anew, before it is out of date')
    .requiredOption('--dir <folder>', "the authority's folder")
    .action(authorityList);
};

export const register = (program: Command): void => {
  const provision = program
    .command('provision')
    .description("identities: a device's key and certificate, the house's authority, the broker");
  provision
    .command('request')
    .description('make a key on this device and the request for its certificate')
    .argument('[who]', 'site/pit/table, or site/part')
    .requiredOption('--dir <folder>', 'where the identity lies')
    .option('--config <file>', 'take site, pit and table from this configuration')
    .action(request);
  provision
    .command('signing-key')
    .description(
      'make the key that signs the checkpoints of the journal; `request` for a table does',
    )
    .requiredOption('--dir <folder>', 'where the identity lies')
    .action(signingKey);
  provision
    .command('install')
    .description('take a signed certificate into use')
    .argument('<certificate>', 'the certificate, PEM')
    .requiredOption('--dir <folder>', 'where the identity lies')
    .requiredOption('--ca <file>', "the authority's certificate, PEM")
    .action(install);
  provision
    .command('status')
    .description(
      'how the identity stands; exit code 1 when it is not there yet, due for renewal or not valid',
    )
    .requiredOption('--dir <folder>', 'where the identity lies')
    .option('--json', 'one JSON object on stdout')
    .action(status);
  registerAuthority(provision);
  provision
    .command('broker')
    .description("write a broker's configuration and access list for a floor, bridge included")
    .argument('<plan>', 'the floor plan, YAML')
    .requiredOption('--out <folder>', 'where to write them')
    .addOption(
      new Option('--kind <broker>', 'which broker').choices(BROKER_KINDS).default('mosquitto'),
    )
    .action(broker);
};
