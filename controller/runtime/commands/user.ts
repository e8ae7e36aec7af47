import type { Command } from 'commander';
import type { User } from '../../../surveillance/access/users-file.js';

const FILE = 'users.yaml';

interface FileFlag {
  readonly file: string;
}

interface ChangeFlags extends FileFlag {
  readonly role?: readonly string[];
  /** false: `--no-press`, `--no-badge`. */
  readonly press?: readonly string[] | false;
  readonly badge?: string | false;
  readonly newPassword?: true;
}

interface AddFlags extends FileFlag {
  readonly role: readonly string[];
  readonly press: readonly string[];
  readonly badge?: string;
  /** `--no-password` */
  readonly password: boolean;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const collect = (word: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  word,
];

/** Runs the work and turns what the user can put right into a plain refusal. */
const plainly = async (work: () => Promise<void>): Promise<void> => {
  const { UsersError } = await import('../../../surveillance/access/users-file.js');
  const { EXIT, Refusal } = await import('../exit.js');
  try {
    await work();
  } catch (error) {
    if (error instanceof UsersError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

/** The list as it is; empty where there is none yet. */
const peopleOf = async (file: string): Promise<readonly User[]> => {
  const { existsSync } = await import('node:fs');
  const { loadUsers } = await import('../../../surveillance/access/users-file.js');
  return existsSync(file) ? loadUsers(file).people : [];
};

const newHash = async (name: string): Promise<string> => {
  const { hashPassword, passwordFault } = await import('../../../surveillance/access/password.js');
  const { UsersError } = await import('../../../surveillance/access/users-file.js');
  const { askNewPassword } = await import('../ask-password.js');
  const password = await askNewPassword(name);
  const fault = passwordFault(password, name);
  if (fault !== null) throw new UsersError(`${fault}; nothing is changed`);
  return hashPassword(password);
};

const add = (name: string, flags: AddFlags): Promise<void> =>
  plainly(async () => {
    const { newUser, saveUsers, UsersError } = await import(
      '../../../surveillance/access/users-file.js'
    );
    const people = await peopleOf(flags.file);
    if (people.some((user) => user.name === name)) {
      throw new UsersError(
        `${flags.file}: \`${name}\` is on the list; to change what they may: ` +
          `cutcard user change ${name} --file ${flags.file}`,
      );
    }
    const { role: roles, press, badge = null } = flags;
    // Checked before anybody is asked for a password.
    const user = newUser({ name, roles, press, badge, password: null });
    const hash = flags.password ? await newHash(name) : null;
    saveUsers(flags.file, [...people, { ...user, password: hash }]);
    print(`${flags.file}: ${name} may log in as ${roles.join(', ')}`);
    if (hash === null) print('without a password: by single sign-on only');
  });

const lineOf = ({ name, roles, press, badge, password }: User): string =>
  [
    name.padEnd(20),
    roles.join(',').padEnd(20),
    press.length === 0 ? 'presses nothing' : `presses as ${press.join(',')}`,
    ...(badge === null ? [] : [`badge ${badge}`]),
    ...(password === null ? ['no password'] : []),
  ].join('  ');

const list = (flags: FileFlag & { readonly json?: true }): Promise<void> =>
  plainly(async () => {
    const { loadUsers } = await import('../../../surveillance/access/users-file.js');
    const { people } = loadUsers(flags.file);
    if (flags.json === true) {
      // The hashes stay in the file.
      const shown = people.map(({ password, ...user }) => ({
        ...user,
        hasPassword: password !== null,
      }));
      print(JSON.stringify(shown, null, 2));
    } else for (const user of people) print(lineOf(user));
  });

/** Changes the list where the person is on it. @throws UsersError where they are not. */
const change = async (
  name: string,
  file: string,
  how: (people: readonly User[]) => Promise<readonly User[]>,
): Promise<void> => {
  const { loadUsers, saveUsers, UsersError } = await import(
    '../../../surveillance/access/users-file.js'
  );
  const { people } = loadUsers(file);
  if (!people.some((user) => user.name === name)) {
    throw new UsersError(`${file}: there is no \`${name}\`; see cutcard user list --file ${file}`);
  }
  saveUsers(file, await how(people));
};

const remove = (name: string, { file }: FileFlag): Promise<void> =>
  plainly(async () => {
    await change(name, file, (people) =>
      Promise.resolve(people.filter((user) => user.name !== name)),
    );
    print(`${file}: ${name} is off the list; what they have open ends within a second`);
  });

/** What `--press` and `--no-press` leave of what somebody pressed before. */
const pressOf = (press: readonly string[] | false | undefined, before: User['press']): unknown =>
  press === undefined ? before : press === false ? [] : press;

const alter = (name: string, flags: ChangeFlags): Promise<void> =>
  plainly(async () => {
    const { newUser, UsersError } = await import('../../../surveillance/access/users-file.js');
    const { file, role, press, badge, newPassword } = flags;
    if ([role, press, badge, newPassword].every((flag) => flag === undefined)) {
      throw new UsersError(
        'say what to change: --role, --press or --no-press, --badge or --no-badge, --new-password',
      );
    }
    let said = '';
    await change(name, file, async (people) => {
      const before = people.find((user) => user.name === name);
      // Checked before anybody is asked for a password.
      const after = newUser({
        name,
        roles: role ?? before?.roles,
        press: pressOf(press, before?.press ?? []),
        badge: badge === false ? null : (badge ?? before?.badge ?? null),
        password: before?.password ?? null,
      });
      const hash = newPassword === true ? await newHash(name) : after.password;
      said = lineOf({ ...after, password: hash });
      return people.map((user) => (user.name === name ? { ...after, password: hash } : user));
    });
    print(`${file}: ${said}`);
    print('whoever lost a role, or has another password, is out within a second');
  });

const password = (name: string, { file }: FileFlag): Promise<void> =>
  plainly(async () => {
    await change(name, file, async (people) => {
      const hash = await newHash(name);
      return people.map((user) => (user.name === name ? { ...user, password: hash } : user));
    });
    print(`${file}: ${name} has a new password; what was opened with the old one ends`);
  });

export const register = (program: Command): void => {
  const user = program
    .command('user')
    .description('who may log in to the pages of a table or of the floor');
  user
    .command('add')
    .description('put somebody on the list; the password is asked for, or piped in')
    .argument('<name>', 'lower-case letters, digits, `.`, `_`, `@` and `-`')
    .option('--file <file>', 'the list; made where there is none', FILE)
    .requiredOption('--role <role>', 'viewer, operator, auditor, technician; again', collect)
    .option('--press <role>', 'presses as dealer, floor, tech, surveillance; again', collect, [])
    .option('--badge <badge>', 'badge that their presses carry; left out: the name')
    .option('--no-password', 'no password: by single sign-on only')
    .action(add);
  user
    .command('list')
    .description('who is on the list, without the hashes')
    .option('--file <file>', 'the list', FILE)
    .option('--json', 'as JSON on stdout')
    .action(list);
  user
    .command('remove')
    .description('take somebody off the list')
    .argument('<name>')
    .option('--file <file>', 'the list', FILE)
    .action(remove);
  user
    .command('change')
    .description('change what somebody may do; what is not named stays as it is')
    .argument('<name>')
    .option('--file <file>', 'the list', FILE)
    .option('--role <role>', 'these roles instead of those before; again for more', collect)
    .option('--press <role>', 'presses as these instead of those before; again for more', collect)
    .option('--no-press', 'presses nothing any more')
    .option('--badge <badge>', 'another badge')
    .option('--no-badge', 'no badge: presses carry the name')
    .option('--new-password', 'a new password, asked for or piped in')
    .action(alter);
  user
    .command('password')
    .description('give somebody a new password, asked for or piped in')
    .argument('<name>')
    .option('--file <file>', 'the list', FILE)
    .action(password);
};
