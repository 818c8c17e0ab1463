import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('with few descriptors children take turns, with none the limit is named, and none is lost by that', () => {
  const program = fileURLToPath(new URL('few-descriptors.ts', import.meta.url));
  const run = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--no-warnings', program];
  expect(JSON.parse(execFileSync('sh', run, { encoding: 'utf8' }))).toEqual({
    none: ['EMFILE: sleep cannot be started: furrow has reached its limit of 100 open files (ulimit -n)'],
    few: ['exit 0'],
    enough: 'exit 0',
    leaked: 0,
  });
});
