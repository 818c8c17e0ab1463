import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { ELSEWHERE, ON_POSTGRES, PROJECTS, RARE } from '../support/projects.ts';

const among = (file: string, patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern));

const files = globSync('test/**/*.test.ts').filter((file) => !among(file, [...ELSEWHERE, ON_POSTGRES]));

const projectsOf = (file: string) =>
  PROJECTS.filter(({ name, include, exclude }) => name !== 'postgres' && among(file, include) && !among(file, exclude)).map(
    ({ name }) => name,
  );

it('each test file belongs to one project, and each project has all that its table names', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => projectsOf(file).length !== 1)).toEqual([]);
  for (const pattern of PROJECTS.filter(({ name }) => name !== 'postgres').flatMap(({ include }) => include))
    expect(
      files.some((file) => matchesGlob(file, pattern)),
      pattern,
    ).toBe(true);
});

it('what the quick run leaves out is there, and is not the test of a promise', () => {
  for (const pattern of RARE) expect(globSync(pattern), pattern).not.toEqual([]);
  const named = ['docs/promises.md', 'docs/security.md'].flatMap((file) => readFileSync(file, 'utf8').match(/test\/[\w/-]+\.test\.ts/g)!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => among(file, RARE))).toEqual([]);
});

it('no file of the project unit starts a farm or a browser, for it is the one to answer soon', () => {
  const unit = files.filter((file) => projectsOf(file)[0] === 'unit');
  expect(unit.filter((file) => /from '[^']*support\/(farm|chromium|browser)\.ts'/.test(readFileSync(file, 'utf8')))).toEqual([]);
});
