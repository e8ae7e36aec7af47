import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// One document for every page of the table, one for the floor's wall: the table's stays small.
// All they need lies beside them, nothing comes from afar.
export default defineConfig({
  root: here('.'),
  base: '/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../../dist/pages'),
    emptyOutDir: true,
    target: ['chrome115', 'firefox115', 'safari16'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    rolldownOptions: { input: { index: here('index.html'), wall: here('wall.html') } },
  },
});
