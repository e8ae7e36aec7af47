import type { Table } from '../../core/procedure.js';
import { type Board, fitBoard, loadBoard } from '../../../firmware-bridge/boards/load.js';

/** The virtual board with what this table has fitted. */
export const boardOf = ({ shuffler, reader }: Table): Board =>
  fitBoard(loadBoard('virtual'), {
    shuffler: shuffler !== 'none',
    reader: reader === 'rank',
    lampTap: false,
  });
