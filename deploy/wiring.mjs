#!/usr/bin/env node
// Writes the generated half of docs/WIRING.md and its drawings anew, from the board files.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { BOARDS, loadBoard } from '../dist/firmware-bridge/boards/load.js';
import { wiringChapter, WIRING_FROM_HERE } from '../dist/firmware-bridge/boards/wiring.js';
import { wiringSvg } from '../dist/firmware-bridge/boards/wiring-svg.js';

const file = 'docs/WIRING.md';
const page = readFileSync(file, 'utf8');
const at = page.indexOf(WIRING_FROM_HERE);
const head = at < 0 ? page : page.slice(0, at);
mkdirSync('docs/wiring', { recursive: true });
const chapters = BOARDS.filter((name) => name !== 'virtual').flatMap((name) => {
  const board = loadBoard(name);
  writeFileSync(`docs/wiring/${name}.svg`, wiringSvg(board));
  return wiringChapter(board, `wiring/${name}.svg`);
});
writeFileSync(file, `${head}${WIRING_FROM_HERE}\n\n${chapters.join('\n')}`);
console.log(`wiring: ${file} and its drawings are written`);
