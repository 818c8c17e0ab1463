import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/**
 * Programs of their own, by their paths below `src` and `dist`. All but the last run as processes; that one `furrow doctor --sandbox` loads,
 * and no other command and no daemon carries it.
 */
export const PROGRAMS = [
  'daemon/main',
  'joined/main',
  'agents/agent/relay/main',
  'agents/agent/drivers/codex/watch-thread',
  'agents/agent/scripted/main',
  'agents/agent/acp/main',
  'platform/lfs/main',
  'platform/starter/main',
  'repo/network/forward/main',
  'escapes/main',
];

/** Finds what runs inside a fence by its own place, and so is one folder below `dist`; below `src` it is a room. */
const SOURCES = { 'escapes/main': 'repo/escapes/main' };

/**
 * The daemon's work, and what a command loads to look at a farm that a person stopped. With the daemon they are one bundle: what they
 * share is 2 MB.
 */
export const PARTS = ['daemon/serve', 'daemon/look', 'daemon/move-store'];

/** `furrow top`, by its path below `src/faces` and `dist`. The command line imports it when it is called: no other command needs it. */
export const TOP = 'top/main';

/** Texts of the packages whose code is inside the programs. */
export const LICENSES = 'licenses.txt';

/** One file has all that the daemon's two parts and its entry have in common. */
const OFTEN = 3;

/** Packages that a program loads from the installation, and only where a farm needs them: its store is on PostgreSQL. */
const INSTALLED = ['pg'];

/** A bundler's warning is an error: a command that is loaded with the others after all makes each of them slower. */
const onLog = (level, log) => {
  if (level === 'warn') throw new Error(log.message);
};

/** A program may load late what another part of it has loaded anyhow: only the command line counts each module. */
const onProgramLog = (level, log) => {
  if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') onLog(level, log);
};

/** The hash of what a build is made from: by it a command knows a daemon of another build, whatever version both have. */
const sourcesOf = (root) => {
  const hash = createHash('sha256');
  const files = readdirSync(`${root}src`, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const path of ['package-lock.json', ...files.map((one) => `${one.parentPath.slice(root.length)}/${one.name}`).sort()])
    hash.update(`${path}\0`).update(readFileSync(`${root}${path}`));
  return hash.digest('hex').slice(0, 16);
};

/** Names the build in every program, see src/api/build.ts. */
const naming = (root) => ({ define: { FURROW_BUILD: JSON.stringify(sourcesOf(root)) } });

/**
 * The command line alone, as CommonJS: loading its twenty small modules one by one cost 1.7 times a bare node, in one
 * piece about 1.3. What `furrow status` needs is the one chunk; the other commands are loaded when they are called.
 */
export async function bundleCli(root, out) {
  const hot =
    /src\/faces\/cli\/(main|run-command|table|arguments|find|out|context|command\.ts|view\/(safe|status|columns|glyph|question|output|at-words)|has-farm|commands\/status)|src\/api\/(build|client|dial|place|proof|effects)\.|src\/platform\/(error|shell|strip-controls|visible|look-alike|suggest|text-width|turn|process\/proof-flags|git\/(find|broken-git))\.ts|src\/(tell\/face\/(subject-names|standing|states)|work\/question\/next-step)/;
  const bundle = await rolldown({
    input: `${root}src/faces/cli/main.ts`,
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    preserveEntrySignatures: 'allow-extension',
    transform: naming(root),
    onLog,
  });
  await bundle.write({
    ...LEAN,
    dir: `${out}/cli`,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'hot', test: hot }] },
  });
  await bundle.close();
}

/** One letter outside ASCII makes Node keep a program as two bytes a letter: 7 MB of the daemon, and 18 ms of processor time at each start. */
const LEAN = { charset: 'ascii', comments: false };

/**
 * Each program in one file, with the packages that it uses: the daemon alone is 700 modules, and loading them one by one cost
 * 830 ms of processor time at each start, in one piece 170. CommonJS: an `import` of `node:http` reads all of its exports, and so
 * loads the whole of `fetch`: 50 of 260 ms of processor time at each start of the daemon; `require` leaves that alone.
 * The answer names the packages inside.
 */
export async function bundlePrograms(root, out) {
  const packages = new Set();
  for (const program of PROGRAMS) {
    const folder = program.slice(0, program.lastIndexOf('/'));
    const files = [program, ...PARTS.filter((part) => part.startsWith(`${folder}/`))];
    const input = files.map((file) => `${root}src/${SOURCES[file] ?? file}.ts`);
    const bundle = await rolldown({ input, platform: 'node', external: INSTALLED, transform: naming(root), onLog: onProgramLog });
    const { output } = await bundle.write({
      ...LEAN,
      dir: `${out}/${folder}`,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: files.length > 1 && { groups: [{ name: 'shared', minShareCount: OFTEN }] },
    });
    await bundle.close();
    const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
    if (folder.includes('/') && modules.some((id) => id.endsWith('/src/platform/program.ts')))
      throw new Error(`${program} finds other programs by its own place, and is not one folder below dist`);
    addPackages(packages, modules);
  }
  addPackages(packages, await bundleTop(root, out));
  return [...packages];
}

/** Writes the texts of the packages that are inside the programs and the page. */
export function writeLicenses(root, out, packages) {
  writeFileSync(
    `${out}/${LICENSES}`,
    [...new Set(packages)]
      .sort()
      .map((name) => licenseOf(root, name))
      .join('\n'),
  );
}

/** Answers the modules that are in it. What only the look at a live screen needs is a chunk of its own. */
async function bundleTop(root, out) {
  const bundle = await rolldown({
    input: `${root}src/faces/${TOP}.ts`,
    platform: 'node',
    transform: naming(root),
    onLog,
  });
  const { output } = await bundle.write({
    dir: `${out}/top`,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    minify: true,
  });
  await bundle.close();
  return output.flatMap((chunk) => chunk.moduleIds ?? []);
}

function addPackages(packages, modules) {
  for (const id of modules) for (const [, name] of id.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)) packages.add(name);
}

/** Packages that carry no licence text of their own, and the file with the text of their project. */
const ELSEWHERE = { '@xterm/headless': 'node_modules/@xterm/xterm/LICENSE' };

function licenseOf(root, name) {
  const folder = `node_modules/${name}`;
  const own = readdirSync(`${root}${folder}`).find((one) => /^licen[cs]e/i.test(one));
  const file = own ? `${folder}/${own}` : ELSEWHERE[name];
  if (!file) throw new Error(`${name} has no licence text to pass on`);
  return `${name}\n${'='.repeat(name.length)}\n\n${readFileSync(`${root}${file}`, 'utf8').trim()}\n`;
}
