import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALSO, ROOMS, STARTERS } from './rooms.mjs';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

const sourcesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => /\.tsx?$/.test(name));

/** Every import of a source file: `{ from, to }` with paths below `src`, or the bare name of a package. */
function importsOf(src, file) {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, name]) => ({
    from: file,
    to: name.startsWith('.') ? relative(src, join(src, dirname(file), name)) : name,
    inside: name.startsWith('.'),
  }));
}

const roomOf = (path) => path.split('/')[0];

/** The sentence about an import that the table does not allow; `undefined` for one that it does. */
function fault({ from, to, inside }) {
  const room = roomOf(from);
  if (!inside) {
    const starts = to === 'node:child_process' && !STARTERS.some((file) => from.startsWith(file));
    return starts ? `${from} imports node:child_process; processes are started through platform/exec.ts` : undefined;
  }
  if (!(room in ROOMS)) return `${from}: the room ${room} is not in tools/rooms.mjs`;
  if (room === roomOf(to) || ROOMS[room].includes(roomOf(to)) || ALSO[from]?.includes(roomOf(to))) return undefined;
  return `${from} imports ${to}; ${room} may import ${ROOMS[room].join(', ') || 'no other room'} (tools/rooms.mjs)`;
}

/** Rooms that name one below them in the table: such a table would allow a circle. */
function upward() {
  const names = Object.keys(ROOMS);
  return names.flatMap((room, at) => {
    const wrong = ROOMS[room].filter((other) => !names.slice(0, at).includes(other));
    return wrong.map((other) => `tools/rooms.mjs: ${room} may not name ${other}, which does not stand above it`);
  });
}

/** The first circle of imports that each file is part of, as one sentence for each circle. Type-only imports count. */
function circles(imports) {
  const next = new Map();
  for (const { from, to, inside } of imports) if (inside) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set();
  const found = new Set();
  const walk = (file, path) => {
    const at = path.indexOf(file);
    if (at >= 0) return found.add(`${[...path.slice(at), file].join(' imports ')}: a circle`);
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) walk(to, [...path, file]);
    return done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return [...found];
}

/** Everything that the sources under `src` do against the table, one sentence each. */
export function faults(src) {
  const files = sourcesIn(src);
  const imports = files.flatMap((file) => importsOf(src, file));
  return [...upward(), ...imports.map(fault).filter(Boolean), ...circles(imports)];
}

/** Code of `src` that the page may load, and that of which it may only borrow types: the daemon's modules are not for browsers. */
const FOR_PAGE = /^src\/(face\/.+|question\/next-step|platform\/(visible|look-alike|page-proof))\.ts$/;
const TYPES_FOR_PAGE = 'src/api/contract.ts';

/** Everything that the sources of the page do against that, and their circles, one sentence each. */
export function pageFaults(root) {
  const files = sourcesIn(join(root, 'page'));
  const wrong = (file, words, to) => {
    if (to.startsWith('page/') || FOR_PAGE.test(to)) return [];
    if (to === TYPES_FOR_PAGE)
      return words.startsWith('import type') ? [] : [`page/${file} imports ${to}; the page may borrow its types only`];
    return [`page/${file} imports ${to}, which is not for browsers (tools/check-imports.mjs)`];
  };
  const foreign = files.flatMap((file) => {
    const text = readFileSync(join(root, 'page', file), 'utf8');
    const inside = [...text.matchAll(/^(?:im|ex)port\b[^;]*?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)];
    const node = [...text.matchAll(/'(node:[\w/]+)'/g)].map(([, name]) => `page/${file} imports ${name}, and runs in a browser`);
    return [...node, ...inside.flatMap(([words, a, b]) => wrong(file, words, join('page', dirname(file), a ?? b)))];
  });
  return [...foreign, ...circles(files.flatMap((file) => importsOf(root, join('page', file))))];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const found = [...faults(join(root, 'src')), ...pageFaults(root)];
  for (const line of found) process.stderr.write(`${line}\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
