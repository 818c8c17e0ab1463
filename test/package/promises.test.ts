import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countOf } from '../../src/repo/escapes/suite.ts';
import { pageCases } from '../storm/page/matrix.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const isThere = (path: string) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

describe.each(['docs/promises.md', 'docs/security.md'])('the promises of %s', (page) => {
  const text = read(page);

  it('name tests and storms that are there', () => {
    const tests = [...text.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path]) => path!);
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.filter((path) => !isThere(path))).toEqual([]);
    const storms = [...text.matchAll(/npm run storm -- ([a-z-]+)/g)].map(([, name]) => name!);
    expect(storms.filter((name) => name !== 'queue-model' && !isThere(`test/storm/${name}.ts`))).toEqual([]);
  });

  it('count what is tried as the tests do', () => {
    const ways = [...text.matchAll(/(\d+) ways out/g)].map(([, count]) => Number(count));
    expect(ways).toEqual([countOf('guard'), countOf('strict')]);
  });
});

it('every request to the page that can be made of the parts is counted', () =>
  expect(read('docs/security.md')).toContain(`${[...pageCases(1)].length.toLocaleString('en-US')} combinations`));
