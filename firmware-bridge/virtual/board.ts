import { loadBoard, type Board } from '../boards/load.js';

let known: Board | null = null;

/** The virtual board. Its file is read once: a measurement makes tables by the thousand. */
export const virtualBoard = (): Board => {
  known ??= loadBoard('virtual');
  return known;
};
