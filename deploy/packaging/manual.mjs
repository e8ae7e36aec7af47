// The manual page and the shell completion, from what the program says of itself.
import { join } from 'node:path';
import { run } from './native.mjs';

const help = (root, ...args) =>
  run(process.execPath, [join(root, 'dist/bundle/cli.js'), ...args, '--help'], {
    env: { ...process.env, COLUMNS: '78', NO_COLOR: '1' },
  });

/** Names under `Commands:` of a help text; their own `help` left out. */
const commandsOf = (text) =>
  [...(text.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'help');
const optionsOf = (text) =>
  [...(text.split('\nOptions:\n')[1] ?? '').matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(
    ([, name]) => name,
  );

/** Every command and the commands below it, with its help text. */
export const commandTree = (root) => {
  const top = help(root);
  const tree = [];
  for (const name of commandsOf(top)) {
    const text = help(root, name);
    tree.push({ words: [name], text });
    for (const below of commandsOf(text)) {
      const deeper = help(root, name, below);
      tree.push({ words: [name, below], text: deeper });
      for (const last of commandsOf(deeper)) {
        tree.push({ words: [name, below, last], text: help(root, name, below, last) });
      }
    }
  }
  return { top, tree };
};

const roff = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
    .replaceAll(/[^\0-\x7f]/g, (sign) => `\\[u${sign.codePointAt(0).toString(16).toUpperCase()}]`);

/** The manual page `cutcard(1)`; `day` as 2026-11-29. */
export const manualPage = ({ top, tree }, version, day) => {
  const sections = tree.map(
    ({ words, text }) =>
      `.SS cutcard ${roff(words.join(' '))}\n` +
      `.nf\n${roff(text.trim().replace(/^Usage: /, ''))}\n.fi`,
  );
  return `${[
    `.TH CUTCARD 1 "${day}" "cutcard ${version}" "Cutcard"`,
    '.SH NAME\ncutcard \\- controller for a casino card table',
    '.SH SYNOPSIS\n.B cutcard\n.RI [ options ]\n.I command\n.RI [ arguments ]',
    `.SH DESCRIPTION\n.nf\n${roff(top.trim().replace(/^Usage: .*\n\n/, ''))}\n.fi`,
    `.SH COMMANDS\n${sections.join('\n')}`,
    '.SH FILES',
    '.TP\n.I /etc/cutcard/cutcard.yaml\nconfiguration of the table that the service runs',
    '.TP\n.I /var/lib/cutcard\njournal, keys, calibration: the service\\(cqs own folder',
    '.TP\n.I /usr/share/doc/cutcard\nINSTALL.md, RUNBOOK.md, an example configuration',
    '.SH SEE ALSO\n.BR systemctl (1),\n.BR journalctl (1)',
  ].join('\n')}\n`;
};

/** Completion of commands and options for bash. */
export const bashCompletion = ({ top, tree }) => {
  const cases = [{ words: [], text: top }, ...tree].map(({ words, text }) => {
    const said = [...commandsOf(text), ...optionsOf(text)].join(' ');
    return `    '${words.join(' ')}') words='${said}' ;;`;
  });
  return `# Completion of cutcard(1) for bash. Made from the program's own help.
_cutcard() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case $path in
${cases.join('\n')}
    esac
    [ -n "$words" ] || [ -z "$path" ] && break
    case $path in *' '*) path=\${path% *} ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _cutcard cutcard
`;
};
