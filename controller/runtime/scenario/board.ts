import type { Table } from '../../core/procedure.js';
import { type Board, fitBoard, loadBoard } from '../../../firmware-bridge/boards/load.js';
import { OUTPUT_DRIVERS } from '../../../firmware-bridge/boards/schema.js';

/** The virtual board with what this table has fitted. */
export const boardOf = ({ shuffler, reader, policy }: Table): Board =>
  fitBoard(loadBoard('virtual'), {
    shuffler: shuffler !== 'none',
    reader: reader === 'rank',
    lampTap: false,
    blockedMs: policy.blockedMs,
  });

/**
 * Devices whose cable can be pulled and put back with a consequence: a plain output says nothing,
 * nobody can see that its wire is out.
 */
export const pluggable = ({ devices }: Board): readonly string[] =>
  Object.entries(devices)
    .filter(([, { driver }]) => !OUTPUT_DRIVERS.includes(driver))
    .map(([name]) => name);
