import { createHook } from 'node:async_hooks';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeWhole } from '../../../src/platform/files.ts';
import { coordinationIn, type Source } from '../../../src/tell/coordination/follow.ts';
import { findBoard, hashOf } from '../../../src/work/task/board.ts';
import { createTask } from '../../../src/work/task/create.ts';
import { initBoard } from '../../../src/work/task/init-board.ts';
import { updateTask } from '../../../src/work/task/write.ts';
import { folder } from './folder.ts';

/** The requests to the file system that another thread answered: each costs 0.1 ms of processor time, where the call itself takes 0.01. */
async function handedOver(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) count++;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return count;
}

it('a new task hands over the waits for the disk alone: of its file and the counter, and of their folders', async () => {
  using dir = folder();
  mkdirSync(join(dir.path, '.git/furrow.run'), { recursive: true });
  const path = join(dir.path, 'board');
  await initBoard(path, 'test');
  const board = await findBoard(dir.path, 'board');
  expect(await handedOver(() => createTask(board!, 'default', { title: 'One' }, 0))).toBe(4);
  const file = join(path, 'tasks/001-one.md');
  const change = () => updateTask(file, hashOf(readFileSync(file)), { set: { priority: 'high' } }, 0);
  expect(await handedOver(change)).toBe(2);
  expect(readFileSync(file, 'utf8')).toContain('priority: high');
});

it('a file that is written whole hands over two', async () => {
  using dir = folder();
  expect(await handedOver(() => writeWhole(join(dir.path, 'a'), 'text'))).toBe(2);
  expect(readFileSync(join(dir.path, 'a'), 'utf8')).toBe('text');
});

it('what the coordination folder shows next hands over nothing', async () => {
  using dir = folder();
  const at = { version: 1, newest: 3 };
  const snapshot = {
    farm: { id: 'x', repo: '/r', target: 'main', state: 'idle', stopped: null },
    daemon: { pid: 1, version: '1' },
    agents: [],
    tasks: [],
    queue: { head: null, paused: false, entries: [] },
    messages: [],
    leases: [],
  } as unknown as Awaited<ReturnType<Source['read']>>;
  const shown = coordinationIn(dir.path, {
    version: () => at.version,
    read: async () => snapshot,
    lastSeq: async () => at.newest,
    eventsAfter: async (seq) => Array.from({ length: at.newest - seq }, (_, n) => ({ seq: seq + n + 1 })),
    failed: (error) => expect.unreachable(error.message),
  });
  shown.follow();
  await shown.leave();
  at.newest = 5;
  expect(await handedOver(() => shown.close())).toBe(0);
  expect(readFileSync(join(dir.path, 'events.jsonl'), 'utf8').trim().split('\n')).toHaveLength(5);
});
