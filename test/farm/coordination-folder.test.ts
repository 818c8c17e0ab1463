import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

const wait = (name: string) => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done`;

it('the state of the farm can be read with cat, survives a kill, and is written only when it changes', async () => {
  await using repo = await shellRepo({ 1: `${wait('go')}; ${commits('1')}`, 2: commits('2') });
  await writeBoard(repo, [{ id: 1 }, { id: 2, depends_on: [1] }]);
  await using running = farm(repo);
  const at = (path: string) => join(repo.root, '.furrow/coordination', path);
  const read = (path: string) => {
    try {
      return JSON.parse(readFileSync(at(path), 'utf8'));
    } catch {
      return undefined;
    }
  };
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => read('registry.json')?.agents[0]?.state).toBe('working');
  const [{ name }] = read('registry.json').agents;
  await running.furrow('notify', name, 'mind the gap');
  await expect.poll(() => read(`inboxes/${name}.json`)?.messages).toMatchObject([{ from: 'human', body: 'mind the gap' }]);
  // The files of one change are written one after the other.
  await expect.poll(() => read('outboxes/human.json')?.messages).toHaveLength(1);
  expect(read(`agent_locks/${name}.lock`)).toMatchObject({ agent: name, task: '1', attempt: 1 });
  expect(read('task_queue/pending.json').tasks).toMatchObject([{ id: '2', state: 'waiting' }]);

  // Whoever only looks changes nothing: not a file, not an event.
  const files = () => readdirSync(at('.'), { recursive: true }).map((file) => [file, statSync(at(String(file))).mtimeMs]);
  const seq = async () => (await running.events('--last', '1'))[0]!.seq;
  const told = () => JSON.parse(readFileSync(at('events.jsonl'), 'utf8').trim().split('\n').at(-1)!).seq as number;
  await expect.poll(async () => told() === (await seq())).toBe(true);
  const before = [await seq(), files()];
  await running.ask('status');
  await running.ask('queue');
  expect([await seq(), files()]).toEqual(before);

  await killDaemon(running);
  await repo.write('../home/go', '');
  await running.ask('status');
  await expect.poll(() => read('task_queue/pending.json')?.tasks).toEqual([]);
  await expect.poll(async () => (await running.ask('status')).tasks.landed).toBe(2);
  await running.furrow('stop', '--all');
  expect(read('registry.json')).toMatchObject({ daemon: null, farm: { state: 'stopped' } });
  expect(readdirSync(at('agent_locks'))).toEqual([]);
  const lines = readFileSync(at('events.jsonl'), 'utf8').trim().split('\n');
  const numbers = lines.map((line) => JSON.parse(line).seq as number);
  expect(numbers).toEqual(numbers.map((_, n) => n + 1));
});
