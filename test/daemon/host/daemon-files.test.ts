import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge, ownership, type Seen } from '../../../src/daemon/host/daemon-files.ts';

const opened: Seen = { lock: '1:1', store: '1:2', wal: '1:5', run: '1:3', socket: '1:4' };

it.each<[string, Partial<Seen>, string | undefined, string[]]>([
  ['everything is there', {}, undefined, []],
  ['the lock is gone', { lock: undefined }, "the daemon's lock was removed", []],
  ['the lock is another file', { lock: '1:9' }, "the daemon's lock was replaced", []],
  ['the store is gone, and the rest with it', { store: undefined, run: undefined, socket: undefined }, 'the store was removed', []],
  ['the store is another file', { store: '1:9' }, 'the store was replaced', []],
  ["the store's log is gone", { wal: undefined }, undefined, ['wal']],
  ["the store's log and the run folder are gone", { wal: undefined, run: undefined }, undefined, ['wal', 'run', 'socket']],
  ['the socket is gone', { socket: undefined }, undefined, ['socket']],
  ['the socket is somebody else’s', { socket: '1:9' }, undefined, ['socket']],
  ['the run folder is gone', { run: undefined, socket: undefined }, undefined, ['run', 'socket']],
])('%s', (_name, now, end, heal) => {
  expect(judge(opened, { ...opened, ...now })).toEqual({ ...(end && { end }), heal });
});

it('a daemon whose store was removed or replaced knows it at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-files-'));
  const files = { lock: join(folder, 'lock'), store: join(folder, 'store') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const lost = ownership(files);
  expect(lost()).toBeUndefined();
  await rename(files.store, `${files.store}.old`);
  expect(lost()).toBe('the store was removed');
  await writeFile(files.store, '');
  expect(lost()).toBe('the store was replaced');
  await rm(folder, { recursive: true });
});
