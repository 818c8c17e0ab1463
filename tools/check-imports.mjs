import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEAM, STARTERS, WINGS } from './rooms.mjs';

const IMPORT = /(?:^(?:import|export)\b([^;']*?)\bfrom|\b(?:from|import))\s*\(?\s*'([^']+)'/gm;

/** True for the names of an import that are all types. */
const isOfTypes = (names = '') => /^\s*type\b/.test(names) || /^\s*\{(?:\s*type\s[^,}]*,?)+\s*\}\s*$/.test(names);

const sourcesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => /\.tsx?$/.test(name));

/** Every import of a source file: `{ from, to }` with paths below `src`, or the bare name of a package; `loads`: not for types alone. */
function importsOf(src, file) {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, names, name]) => ({
    from: file,
    to: name.startsWith('.') ? relative(src, join(src, dirname(file), name)) : name,
    inside: name.startsWith('.'),
    loads: !isOfTypes(names),
  }));
}

/** Every room of a table, in its order, with the folder that it has below `src` and the rooms that it may import. */
const roomsOf = (wings) =>
  Object.entries(wings).flatMap(([wing, { rooms }]) =>
    Object.entries(rooms).map(([room, imports]) => ({ room, wing, folder: room === wing ? wing : `${wing}/${room}`, imports })),
  );

const ROOMS = new Map(roomsOf(WINGS).map((one) => [one.folder, one]));

/** The room that a file below `src` is in: that of its name in the folder, else of its folder in the wing, else the one that has the wing's own name. */
function roomOf(path) {
  const folder = path.split('/').slice(0, 2).join('/');
  return ROOMS.get(`${folder}/${basename(path)}`) ?? ROOMS.get(folder) ?? ROOMS.get(path.split('/')[0]);
}

/** The sentence about an import that the table does not allow; `undefined` for one that it does. */
function fault({ from, to, inside }) {
  if (!inside) {
    const starts = to === 'node:child_process' && !STARTERS.some((file) => from.startsWith(file));
    return starts ? `${from} imports node:child_process; processes are started through platform/exec.ts` : undefined;
  }
  const own = roomOf(from);
  if (!own) return `${from}: ${dirname(from)} is no room of tools/rooms.mjs`;
  const other = roomOf(to)?.room;
  if (other === own.room || own.imports.includes(other)) return undefined;
  return `${from} imports ${to}; ${own.room} may import ${own.imports.join(', ') || 'no other room'} (tools/rooms.mjs)`;
}

/** The names among `others` that do not stand above `name` in the list: such a table would allow a circle. */
const below = (list, name, others) => others.filter((other) => !list.slice(0, list.indexOf(name)).includes(other));

/** A wing that names too much: a wing below it, or one that none of its rooms needs. */
function wingFaults(wings, wing) {
  const { imports, rooms } = wings[wing];
  const named = new Set(Object.values(rooms).flat());
  const isNeeded = (other) => Object.keys(wings[other]?.rooms ?? {}).some((room) => named.has(room));
  return [
    ...below(Object.keys(wings), wing, imports).map((other) => `the wing ${wing} may not name ${other}, which does not stand above it`),
    ...imports.filter((other) => !isNeeded(other)).map((other) => `the wing ${wing} names ${other}, and none of its rooms does`),
  ];
}

/** A room that names too much: a room below it, or one of a wing that its own may not import. One name is one room. */
function roomFaults(wings, all, { room, wing, imports }) {
  const foreign = all.filter((other) => imports.includes(other.room) && ![wing, ...wings[wing].imports].includes(other.wing));
  const names = all.map((one) => one.room);
  return [
    ...below(names, room, imports).map((other) => `${room} may not name ${other}, which does not stand above it`),
    ...foreign.map((other) => `${room} names ${other.room}, but the wing ${wing} may not import ${other.wing}`),
    ...(names.indexOf(room) === names.lastIndexOf(room) ? [] : [`${room} is there twice`]),
  ];
}

/** Everything that is wrong with a table of wings, one sentence each. */
export function tableFaults(wings) {
  const all = roomsOf(wings);
  const found = [...Object.keys(wings).flatMap((wing) => wingFaults(wings, wing)), ...all.flatMap((one) => roomFaults(wings, all, one))];
  return found.map((sentence) => `tools/rooms.mjs: ${sentence}`);
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

/** Imports by which one side of the seam comes to know what it may not, one sentence each. */
export function seamFaults(imports) {
  const byFile = new Map();
  for (const one of imports) byFile.set(one.from, [...(byFile.get(one.from) ?? []), one]);
  const doorOf = (file, doors) => byFile.get(file)?.find(({ to }) => doors.test(to))?.to;
  const found = ({ side, unknown, doors, reach }, start) => {
    const ways = new Map([[start, [start]]]);
    for (const [file, way] of ways) {
      const door = doorOf(file, doors);
      if (door) return [`${[...way, door].join(' imports ')}: ${start.match(side)[0]} may not know ${unknown} (SEAM in tools/rooms.mjs)`];
      if (way.length > reach) continue;
      for (const { to, loads } of byFile.get(file) ?? []) if (loads && !ways.has(to)) ways.set(to, [...way, to]);
    }
    return [];
  };
  return SEAM.flatMap((rule) => [...byFile.keys()].filter((file) => rule.side.test(file)).flatMap((file) => found(rule, file)));
}

/** Everything that the sources under `src` do against the table, one sentence each. */
export function faults(src) {
  const files = sourcesIn(src);
  const imports = files.flatMap((file) => importsOf(src, file));
  return [...tableFaults(WINGS), ...imports.map(fault).filter(Boolean), ...circles(imports), ...seamFaults(imports)];
}

/** Code of `src` that the page may load, and that of which it may only borrow types: the daemon's modules are not for browsers. */
const FOR_PAGE =
  /^src\/(tell\/face\/.+|work\/question\/next-step|api\/effects|config\/trust\/line|platform\/(visible|look-alike|page-proof))\.ts$/;
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
