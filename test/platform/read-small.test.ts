import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSmall } from '../../src/platform/files.ts';
import { folder } from '../work/task/folder.ts';

it('a small file is read, and nothing else that somebody puts in its place', () => {
  using place = folder();
  const at = (name: string) => join(place.path, name);
  writeFileSync(at('file'), 'gitdir: é\n');
  writeFileSync(at('large'), '');
  truncateSync(at('large'), 2 ** 30);
  mkdirSync(at('folder'));
  symlinkSync(at('file'), at('link'));
  execFileSync('mkfifo', [at('pipe')]);
  expect(readSmall(at('file'))).toBe('gitdir: é\n');
  expect(readSmall(at('link'))).toBe('gitdir: é\n');
  expect(readSmall(at('link'), constants.O_NOFOLLOW)).toBeUndefined();
  for (const name of ['large', 'folder', 'pipe', 'missing', 'file/below']) expect(readSmall(at(name)), name).toBeUndefined();
});
