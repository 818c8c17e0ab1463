import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm, killDaemon } from '../support/farm.ts';
import { scriptedRepo } from './shell.ts';

it('what attempts of a lost store left is not taken for that of new ones', async () => {
  await using repo = await scriptedRepo('');
  const gate = join(repo.base, 'gate');
  await writeBoard(repo, [{ id: 1, script: ['write src/1.txt 1', 'commit one', `wait ${gate}`] }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => existsSync(`${gate}.seen`)).toBe(true);
  await killDaemon(running);
  const dir = join(repo.root, '.furrow');
  for (const name of await readdir(dir)) if (name.startsWith('store.db')) await rm(join(dir, name));
  // Ended with 3 while no daemon lived; the files of the first attempts are all still there.
  for (const id of [1, 2, 3]) await writeFile(join(dir, 'run/exits', `a${id}`), '3\n');
  await writeFile(gate, '');
  await running.furrow('work', '--parallel', '1');
  expect((await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['landed']);
  const ends = (await running.events()).filter((event) => event.kind === 'attempt.ended');
  expect(ends.map((event) => (event as unknown as { data: { outcome: string } }).data.outcome)).toEqual(['submitted']);
});

it('what a command below furrow hold has is its own after the store is lost, and is let go by its number', async () => {
  await using repo = await scriptedRepo('resources: { db: 1 }\n');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('status');
  const gate = join(repo.base, 'gate');
  const command = `echo "$FURROW_GRANT" > '${gate}.grant'; while [ ! -e '${gate}' ]; do sleep 0.1; done`;
  const first = begin(repo, 'hold', 'db', '--', 'sh', '-c', command);
  await expect.poll(() => existsSync(`${gate}.grant`)).toBe(true);
  const locks = async () => (await running.ask('locks')).leases;
  const before = await locks();
  await killDaemon(running);
  const dir = join(repo.root, '.furrow');
  for (const name of await readdir(dir)) if (name.startsWith('store.db')) await rm(join(dir, name));
  const { id, state, names } = before[0];
  expect(await locks()).toMatchObject([{ id, state, names, holder: 'you' }]);
  expect(await running.furrow('hold', 'db', '--no-wait', '--', 'true')).toMatchObject({ code: 75 });
  await writeFile(gate, '');
  expect(await first.ended).toMatchObject({ code: 0 });
  await expect.poll(locks).toEqual([]);
  const next = await running.furrow('hold', 'db', '--', 'sh', '-c', 'echo $FURROW_GRANT');
  expect(Number(next.stdout)).toBeGreaterThan(Number(await readFile(`${gate}.grant`, 'utf8')));
});

it('a command right after the store was removed is answered by the next daemon, and not sent away', async () => {
  await using repo = await scriptedRepo('');
  await using running = farm(repo);
  const dir = join(repo.root, '.furrow');
  for (let n = 1; n <= 3; n++) {
    const { pid } = (await running.ask('status')).farm;
    for (const name of await readdir(dir)) if (name.startsWith('store.db')) await rm(join(dir, name));
    expect(await running.furrow('add', `Task ${n}`)).toMatchObject({ code: 0, stderr: '' });
    expect((await running.ask('status')).farm.pid).not.toBe(pid);
    expect(await running.ask('list')).toHaveLength(n);
  }
});
