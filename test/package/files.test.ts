import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { PARTS, PROGRAMS, TOP } from '../../tools/bundles.mjs';
import { packageProblems } from '../../tools/package-files.mjs';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const { PATH = '', HOME = '/' } = process.env;

async function lines(...argv: [string, ...string[]]): Promise<string> {
  const done = await exec(argv, { cwd: CHECKOUT, env: { PATH, HOME }, timeoutMs: 60_000 });
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return done.stdout;
}

it('the package that npm would publish has every file that the release says, and no other', async () => {
  const [{ files }] = JSON.parse(await lines('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
  const tracked = (await lines('git', 'ls-files', '-z')).split('\0').filter(Boolean);
  const packed = files.map((file: { path: string }) => file.path);
  expect(packageProblems(packed, tracked)).toEqual([]);
});

describe('a package is refused', () => {
  const tracked = ['package.json', 'README.md', 'bin/furrow.cjs', 'docs/design.md', 'src/faces/cli/main.ts', 'test/setup.ts'];
  const built = [
    'dist/cli/main.cjs',
    'dist/page/index.html',
    `dist/${TOP}.mjs`,
    'dist/licenses.txt',
    ...[...PROGRAMS, ...PARTS].map((program) => `dist/${program}.cjs`),
  ];
  const right = ['package.json', 'README.md', 'bin/furrow.cjs', 'docs/design.md', ...built];

  it('not when it is right', () =>
    expect(
      packageProblems(
        [
          ...right,
          'dist/cli/hot-Ab3_x-Yz.cjs',
          'dist/daemon/shared-Ab3_x-Yz.cjs',
          'dist/page/assets/board-Ab3_x-Yz.js',
          'dist/top/xterm-Ab3_x-Yz.mjs',
        ],
        tracked,
      ),
    ).toEqual([]));
  it.each(['docs/design.md', 'dist/daemon/main.cjs', 'dist/licenses.txt', 'bin/furrow.cjs'])('without %s', (path) =>
    expect(
      packageProblems(
        right.filter((one) => one !== path),
        tracked,
      ),
    ).toEqual([`${path} is missing`]),
  );
  it.each([
    '.env',
    'page/main.tsx',
    'dist/page/assets/board.js.map',
    'test/setup.ts',
    'src/faces/cli/main.ts',
    'docs/notes.txt',
    'dist/cli/old.js',
    'dist/top/old.mjs',
    'dist/store.db',
  ])('with %s', (path) => expect(packageProblems([...right, path], tracked)).toEqual([`${path} does not belong there`]));
});

it('every command that CI calls is a script of package.json, and one that the documents name', async () => {
  const [ci, manifest, ...documents] = await Promise.all(
    ['.github/workflows/ci.yml', 'package.json', 'README.md', 'docs/development.md', 'CONTRIBUTING.md'].map((path) =>
      readFile(`${CHECKOUT}${path}`, 'utf8'),
    ),
  );
  const { scripts } = JSON.parse(manifest!) as { scripts: Record<string, string> };
  const called = [...ci!.matchAll(/npm (?:run )?([\w:]+)/g)].map(([words, name]) => ({ words, name: name! }));
  expect(called.map(({ name }) => name)).toEqual(expect.arrayContaining(['ci', 'check', 'demo', 'test', 'release']));
  for (const { words, name } of called) {
    if (name !== 'ci') expect(scripts).toHaveProperty([name]);
    expect(documents.join('\n'), words).toContain(words);
  }
});

it('every file that the documents name is there', async () => {
  const tracked = (await lines('git', 'ls-files', '-z')).split('\0').filter(Boolean);
  const documents = tracked.filter((path) => /^(docs\/(design\/)?)?[\w-]+\.md$/.test(path));
  const texts = await Promise.all(documents.map(async (path) => ({ path, text: await readFile(`${CHECKOUT}${path}`, 'utf8') })));
  // In capitals stands a name that the reader chooses: `src/faces/cli/commands/NAME.ts`.
  const named = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|tools|bench)\/[\w./-]+)`/g)].map(([, file]) => ({ path, file: file!.replace(/\/$/, '') })),
  );
  const there = (file: string) => tracked.some((one) => one === file || one.startsWith(`${file}/`));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ file }) => !/NAME|NOUN|00N/.test(file) && !there(file))).toEqual([]);
});

it('every source file that documents and comments name without its folder is there', async () => {
  const tracked = (await lines('git', 'ls-files', '-z')).split('\0').filter(Boolean);
  const texts = tracked.filter((path) => /^(docs\/.*|[\w-]+)\.md$|^(src|page)\/.*\.tsx?$/.test(path) && path !== 'CHANGELOG.md');
  const names = new Set(tracked.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const found = await Promise.all(
    texts.map(async (path) =>
      [...(await readFile(`${CHECKOUT}${path}`, 'utf8')).matchAll(/`([\w-]+\.tsx?)`/g)].map(([, name]) => ({ path, name: name! })),
    ),
  );
  expect(found.flat().length).toBeGreaterThan(100);
  expect(found.flat().filter(({ name }) => !names.has(name))).toEqual([]);
});
