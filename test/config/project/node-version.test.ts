import { expect, it } from 'vitest';
import type { ProjectFacts } from '../../../src/config/project/facts.ts';
import { inRange, nodeWishes } from '../../../src/config/project/node-version.ts';

const ranges: [range: string, fits: string[], not: string[]][] = [
  ['>=20', ['20.0.0', '24.1.0'], ['18.20.4']],
  ['>= 20.9 <21 || ^22.1', ['20.9.0', '20.19.5', '22.1.0', '22.20.0'], ['20.8.9', '21.0.0', '22.0.9', '23.0.0']],
  ['^18.17.0 || >=20.5.0', ['18.17.0', '18.20.0', '20.5.0', '24.0.0'], ['18.16.9', '19.9.0', '20.4.0']],
  ['20', ['20.0.0', '20.19.5'], ['21.0.0', '2.0.0']],
  ['v20.11.0', ['20.11.0'], ['20.11.1']],
  ['20.x', ['20.3.1'], ['21.0.0']],
  ['~20.11', ['20.11.9'], ['20.12.0']],
  ['~20', ['20.12.0'], ['21.0.0']],
  ['>20', ['21.0.0'], ['20.19.5']],
  ['<=20', ['20.19.5', '18.0.0'], ['21.0.0']],
  ['16 - 20', ['16.0.0', '20.19.5'], ['15.9.0', '21.0.0']],
  ['^0.10.3', ['0.10.9'], ['0.11.0']],
  ['^0', ['0.12.18'], ['1.0.0']],
  ['>=22.0.0-0', ['22.0.0'], ['21.9.0']],
  ['*', ['0.1.0', '24.0.0'], []],
  ['', ['24.0.0'], []],
];

it.each(ranges)('the range %j is read as npm reads it', (range, fits, not) => {
  expect(fits.map((version) => [version, inRange(version, range)])).toEqual(fits.map((version) => [version, true]));
  expect(not.map((version) => [version, inRange(version, range)])).toEqual(not.map((version) => [version, false]));
});

it.each(['latest', '>=a', '20 || newest', 'file:../node'])('the range %j, which cannot be read, says nothing', (range) => {
  expect(inRange('20.0.0', range)).toBeUndefined();
});

const wishes: [files: Record<string, string>, range: string[]][] = [
  [{ 'package.json': '{ "engines": { "node": ">=22" } }', '.nvmrc': 'v20.11.0\n' }, ['>=22', 'v20.11.0']],
  [{ '.node-version': '20\n' }, ['20']],
  [{ '.nvmrc': '# for CI\nlts/Iron # 20\n' }, ['20']],
  [{ '.nvmrc': 'lts/*\n' }, []],
  [{ '.nvmrc': 'node\n' }, []],
  [{ 'package.json': '{ "engines": { "node": ">=24" }, "devDependencies": { "node": "24" } }' }, []],
  [{ 'package.json': '{ "engines": { "npm": ">=10" } }' }, []],
];

const factsOf = (files: Record<string, string>): ProjectFacts => ({
  paths: Object.keys(files),
  executables: new Set(),
  modules: [],
  read: (path) => files[path],
  onPath: () => true,
  python: () => false,
});

it.each(wishes)('a project with %j asks for %j', (files, expected) => {
  expect(nodeWishes(factsOf(files)).map(({ range }) => range)).toEqual(expected);
});
