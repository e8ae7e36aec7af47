import type { Table } from '../../core/procedure.js';
import { type Board, fitBoard, loadBoard } from '../../../firmware-bridge/boards/load.js';

/** The virtual board with what this table has fitted. */
export const boardOf = ({ shuffler, reader, policy }: Table): Board =>
  fitBoard(loadBoard('virtual'), {
    shuffler: shuffler !== 'none',
    reader: reader === 'rank',
    lampTap: false,
    blockedMs: policy.blockedMs,
  });

/** A plain output says nothing: nobody can see that its wire is out. */
const MUTE: readonly string[] = ['gate', 'tower', 'sounder'];

/** Devices whose cable can be pulled and put back with a consequence. */
export const pluggable = ({ devices }: Board): readonly string[] =>
  Object.entries(devices)
    .filter(([, { driver }]) => !MUTE.includes(driver))
    .map(([name]) => name);
