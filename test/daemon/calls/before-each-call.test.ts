import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Handlers } from '../../../src/api/server.ts';
import { admit } from '../../../src/daemon/calls/before-each-call.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { ownership } from '../../../src/daemon/host/daemon-files.ts';

it('a daemon that has lost its store takes no further order, and still answers what asks for none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-admit-'));
  const files = { lock: join(folder, 'lock'), store: join(folder, 'store') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const taken: string[] = [];
  const take = (name: string) => async () => {
    taken.push(name);
  };
  const farm = { inputs: { settled: take('settled') } } as unknown as Farm;
  const handlers = { retry: take('retry'), stop: take('stop'), done: take('done') } as unknown as Handlers;
  const calls = admit(farm, handlers, ownership(files)) as unknown as Record<string, () => Promise<void>>;

  await calls['retry']!();
  expect(taken, 'the configuration is settled first').toEqual(['settled', 'retry']);

  await rename(files.store, `${files.store}.away`);
  await expect(calls['retry']!()).rejects.toMatchObject({ code: 'RESTARTS', message: 'the store was removed, and this daemon ends' });
  await calls['stop']!();
  await calls['done']!();
  expect(taken).toEqual(['settled', 'retry', 'stop', 'done']);
  await rm(folder, { recursive: true });
});
