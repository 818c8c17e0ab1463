import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { look } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const RESOURCES = `${SHELL}resources: { db: 1, api: 1 }\n`;
const lines = async (repo: TestRepo, name: string) => (await readFile(join(repo.home, name), 'utf8')).trim().split('\n');
const attention = async (running: TestFarm) => (await running.ask('status')).attention as { kind: string; reason: string }[];
const locks = async (running: TestFarm) =>
  (await running.ask('locks')).leases as { id: string; state: string; holder: string; names: string[] }[];
const until = (file: string) => `while [ ! -e "$HOME/${file}" ]; do sleep 0.05; done`;

it('two agents that need the same database run their migrations one after the other', async () => {
  const migrate = (id: number) =>
    `furrow hold db --reason "migration ${id}" -- sh -c 'echo begin ${id} >> "$HOME/log"; sleep 0.5; echo end ${id} >> "$HOME/log"'`;
  await using repo = await shellRepo({ 1: `${migrate(1)}; ${commits('1')}`, 2: `${migrate(2)}; ${commits('2')}` }, RESOURCES);
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 0 });
  const log = await lines(repo, 'log');
  expect(log.map((line) => line.split(' ')[0])).toEqual(['begin', 'end', 'begin', 'end']);
  expect(await locks(running)).toEqual([]);
});

it("a dead holder's lease passes on within a second of the proof, and not before all that it started has ended", async () => {
  await using repo = await shellRepo({}, RESOURCES);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  const first = begin(repo, 'hold', 'db', '--reason', 'a long one', '--', 'sh', '-c', 'echo $$ > "$HOME/pid"; exec sleep 60');
  await expect.poll(() => locks(running)).toMatchObject([{ state: 'held', holder: 'you' }]);
  await expect.poll(() => lines(repo, 'pid').catch(() => [])).toHaveLength(1);
  expect(await running.furrow('hold', 'db', '--no-wait', '--', 'true')).toMatchObject({
    code: 75,
    stderr: expect.stringContaining('you holds db (a long one)'),
  });
  const second = begin(repo, 'hold', 'db', '--', 'sh', '-c', 'echo "token $FURROW_GRANT"; exit 7');
  await second.said('waits for db');
  // Holder and line are in the store: the next daemon goes on with them.
  await killDaemon(running);
  process.kill(first.pid, 'SIGKILL');
  await expect.poll(() => look(first.pid)).toBeUndefined();
  // Its command lives on: the database is still in use, also after looks at all holders.
  for (let n = 0; n < 3; n++) expect(await locks(running)).toMatchObject([{ state: 'held' }, { state: 'waiting' }]);
  const pid = Number((await lines(repo, 'pid'))[0]);
  const died = performance.now();
  process.kill(pid, 'SIGKILL');
  expect(await second.ended).toMatchObject({ code: 7, stdout: 'token 2\n' });
  expect(performance.now() - died).toBeLessThan(3000);
  expect(await running.furrow('hold', 'dbs', '--', 'true')).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean db?') });
});

it('an agent that would wait for one who waits for it is refused at once, and both go on', async () => {
  const both = (mine: string, other: string, id: number) =>
    `furrow hold ${mine} -- sh -c 'touch "$HOME/has-${mine}"; ${until(`has-${other}`)}; furrow hold ${other} -- true 2>> "$HOME/said"' || true; ${commits(String(id))}`;
  await using repo = await shellRepo({ 1: both('db', 'api', 1), 2: both('api', 'db', 2) }, RESOURCES);
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 0 });
  expect(await readFile(join(repo.home, 'said'), 'utf8')).toMatch(
    /waiting for (db|api) would never end: \S+ waits for (db|api), and so for what you hold/,
  );
  expect(await attention(running)).toEqual([]);
});

it('a task and a check take what they need only when it is free, and say who has it', async () => {
  const check = 'resources: { db: 1, api: 1 }\nchecks: [ { name: unit, run: sh check.sh, needs: [api] } ]\n';
  await using repo = await shellRepo({ 1: commits('1'), 2: commits('2') }, SHELL.replace('check: sh check.sh\n', check));
  await writeBoard(repo, [{ id: 2 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  const db = begin(repo, 'hold', 'db', '--reason', 'a dump', '--', 'sh', '-c', until('free-db'));
  const api = begin(repo, 'hold', 'api', '--', 'sh', '-c', until('free-api'));
  await expect.poll(() => locks(running)).toHaveLength(2);
  await writeBoard(repo, [{ id: 1, more: { needs: ['db'] } }]);
  await running.furrow('work', '--parallel', '1', '--detach', '--no-preflight');
  const why = async () => (await running.ask('why', '1')).reasons;
  const held = (text: string) =>
    expect.arrayContaining([expect.objectContaining({ code: 'resource', text: expect.stringContaining(text) })]);
  await expect.poll(why).toEqual(held('you holds db (a dump)'));
  await writeFile(join(repo.home, 'free-db'), '');
  await expect.poll(why).toEqual(held('check unit waits for api: you holds api'));
  await writeFile(join(repo.home, 'free-api'), '');
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await Promise.all([db.ended, api.ended]);
});

it('what one agent has reserved the other cannot land before it is released', async () => {
  const reserves = `furrow reserve "src/**" --for 5m --reason "moves files"; touch "$HOME/reserved"; ${until('submitted')}; ${commits('1')}`;
  await using repo = await shellRepo({ 1: reserves, 2: `${until('reserved')}; ! furrow reserve src/2.txt; ${commits('2')}` });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach');
  await expect
    .poll(async () => (await running.ask('queue')).entries)
    .toMatchObject([
      { task: '2', code: 'lease', reason: expect.stringMatching(/changes src\/2\.txt, and .* holds src\/\*\* until .* \(moves files\)/) },
    ]);
});

it('whoever reserves the same again has the lease that they have, also from the next daemon: the first answer may have been lost', async () => {
  const once = 'furrow reserve "docs/**" --for 5m >> "$HOME/ids"';
  await using repo = await shellRepo({ 1: `${once}; ${once}; furrow reserve docs/a.md >> "$HOME/ids"; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const reserve = async (...words: string[]) => (await running.furrow('reserve', ...words)).stdout.trim();
  const first = await reserve('src/**', '--reason', 'moves files');
  await killDaemon(running);
  expect(await reserve('src/**', '--reason', 'moves files')).toBe(first);
  expect(await reserve('src/**', '--reason', 'another reason')).not.toBe(first);
  expect(await reserve('src/**', '--reason', 'moves files', '--for', '5m')).not.toBe(first);
  expect(await locks(running)).toHaveLength(3);
  await running.furrow('release');
  expect(await reserve('src/**', '--reason', 'moves files')).not.toBe(first);
  await running.furrow('release');
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  const [one, two, three] = await lines(repo, 'ids');
  expect([one === two, two === three]).toEqual([true, false]);
});
