import { get } from 'node:http';
import { isTile, isWall, PATHS, type Tile } from '../../../surveillance/floor/api.js';

/** Longest event taken: a wall of 2,000 tables. */
const BUFFER_MAX = 32 * 1024 * 1024;
const AGAIN_MS = 500;

export interface WallWatch {
  stop(): void;
}

const tilesOf = (data: string): readonly Tile[] => {
  const value: unknown = JSON.parse(data);
  if (isTile(value)) return [value];
  return isWall(value) ? value.tables : [];
};

/** Follows a wall's stream as a page does, and comes back when it breaks. */
export const watchWall = (floor: string, seen: (tile: Tile) => void): WallWatch => {
  let isStopped = false;
  let lastId = '';
  let close = (): void => undefined;
  const open = (): void => {
    const headers = lastId === '' ? {} : { 'last-event-id': lastId };
    let buffer = '';
    const again = (): void => {
      if (isStopped) return;
      const timer = setTimeout(open, AGAIN_MS);
      close = () => clearTimeout(timer);
    };
    const request = get(new URL(PATHS.wallStream, floor), { headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        buffer += chunk;
        if (buffer.length > BUFFER_MAX) request.destroy();
        for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
          const event = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId;
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data !== undefined) for (const tile of tilesOf(data)) seen(tile);
        }
      });
      response.on('error', () => undefined);
      response.on('close', again);
    });
    request.on('error', again);
    close = () => request.destroy();
  };
  open();
  return {
    stop: () => {
      isStopped = true;
      close();
    },
  };
};
