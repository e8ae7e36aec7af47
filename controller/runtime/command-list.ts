import type { Command } from 'commander';

interface CommandModule {
  readonly register: (program: Command) => void;
}

/**
 * One file in `commands/` is one command of the same name, loaded when it is asked for. Written
 * out, not looked up in the folder: a bundle has no folder, and finds its parts by these imports.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  board: () => import('./commands/board.js'),
  calibrate: () => import('./commands/calibrate.js'),
  command: () => import('./commands/command.js'),
  config: () => import('./commands/config.js'),
  contract: () => import('./commands/contract.js'),
  demo: () => import('./commands/demo.js'),
  doctor: () => import('./commands/doctor.js'),
  evidence: () => import('./commands/evidence.js'),
  floor: () => import('./commands/floor.js'),
  journal: () => import('./commands/journal.js'),
  load: () => import('./commands/load.js'),
  panel: () => import('./commands/panel.js'),
  procedures: () => import('./commands/procedures.js'),
  provision: () => import('./commands/provision.js'),
  run: () => import('./commands/run.js'),
  runbook: () => import('./commands/runbook.js'),
  scenario: () => import('./commands/scenario.js'),
  user: () => import('./commands/user.js'),
};
