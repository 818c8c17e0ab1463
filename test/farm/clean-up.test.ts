import { existsSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { scriptedRepo } from './shell.ts';

/** A branch beside main, with one commit that writes one file; main stays checked out. */
async function branch(repo: TestRepo, name: string): Promise<void> {
  await repo.git('switch', '--quiet', '--create', name, 'main');
  await repo.write(`src/${name}.txt`, `${name}\n`);
  await repo.git('add', '-A', 'src');
  await repo.git('commit', '--quiet', '--message', name);
  await repo.git('switch', '--quiet', 'main');
}

it('a landing that is not published yet and is torn by a clean-up is made whole or made again, and what landed lands', async () => {
  await using repo = await scriptedRepo();
  for (const name of ['one', 'two']) await branch(repo, name);
  // A file of the person's is in the way: publishing waits.
  await repo.write('src/one.txt', 'mine\n');
  await using running = farm(repo);
  const landed = async () => (await running.ask('queue')).landings.flatMap(({ tasks }: { tasks: string[] }) => tasks).length;
  for (const [n, name] of ['one', 'two'].entries()) {
    await running.ask('submit', name);
    await expect.poll(landed).toBe(n + 1);
  }
  const { head, published } = await running.ask('queue');
  expect(head).not.toBe(published);
  // As a gc leaves it, which has written its pack by then.
  const take = async (rev: string) => {
    const oid = await repo.git('rev-parse', rev);
    const file = join(repo.root, '.git/objects', oid.slice(0, 2), oid.slice(2));
    await rm(file);
    await utimes(join(repo.root, '.git/objects/pack'), new Date(), new Date());
    return file;
  };
  // The index of the slot that it was checked in still tells this tree.
  const tree = await take(`${head}:src`);
  await expect.poll(() => existsSync(tree), { timeout: 60_000 }).toBe(true);
  // Nothing tells a commit.
  await take(`${head}^`);

  const requeued = async () => (await running.events()).filter(({ kind }) => kind === 'entry.requeued').length;
  await expect.poll(requeued, { timeout: 60_000 }).toBe(2);
  await expect.poll(landed, { timeout: 60_000 }).toBe(2);
  await repo.git('rev-list', '--objects', '--quiet', 'refs/furrow/head/main');
  await rm(join(repo.root, 'src/one.txt'));
  // A new index lets the publication be tried at once.
  await repo.git('reset', '--quiet');
  for (const name of ['one', 'two'])
    await expect.poll(async () => (await repo.tryGit('show', `main:src/${name}.txt`)).stdout, { timeout: 60_000 }).toBe(`${name}\n`);
  await repo.git('gc', '--quiet', '--prune=now');
  const attention = async () =>
    (await running.ask('status')).attention.map(({ kind, subject }: Record<string, string>) => `${kind} ${subject}`);
  // That the publication waited is told until the look after it.
  await expect.poll(attention).toEqual(['lost furrow/head/main']);
}, 180_000);
