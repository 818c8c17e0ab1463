import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { coordinationIn } from '../../../src/tell/coordination/follow.ts';
import { folder } from '../../work/task/folder.ts';

const EMPTY = {
  farm: { id: 'abcd1234', repo: '/repo', target: 'main', state: 'running' },
  daemon: { pid: 7, version: '1' },
  agents: [],
  tasks: [],
  queue: { head: null, paused: false, entries: [] },
  messages: [],
  leases: [],
};

function shownIn(path: string) {
  const at = { version: 1, reads: 0, newest: 0, errors: [] as string[], broken: false, closed: false };
  const shown = coordinationIn(path, {
    version() {
      if (at.closed) throw new Error('the store is closed');
      return at.version;
    },
    async read() {
      at.reads++;
      if (at.broken) throw new Error('no room');
      return EMPTY;
    },
    lastSeq: async () => at.newest,
    eventsAfter: async (seq) => Array.from({ length: Math.min(10, at.newest - seq) }, (_, n) => ({ seq: seq + n + 1 })),
    failed: (error) => at.errors.push(error.message),
  });
  const numbers = () =>
    readFileSync(join(path, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq as number);
  return { at, shown, numbers };
}

it('reads nothing while nothing has changed, and twice in a second at most', async () => {
  using place = folder();
  const { at, shown } = shownIn(place.path);
  for (let n = 0; n < 100; n++) shown.follow();
  await expect.poll(() => existsSync(join(place.path, 'registry.json'))).toBe(true);
  for (let n = 0; n < 100; n++) shown.follow();
  expect(at.reads).toBe(1);
  for (let n = 0; n < 100; n++) {
    at.version++;
    shown.follow();
  }
  expect(at.reads).toBe(1);
  await expect.poll(() => at.reads).toBe(2);
  await shown.close();
  expect(JSON.parse(readFileSync(join(place.path, 'registry.json'), 'utf8')).daemon).toBe(null);
});

it('tells every event once, however often it is started, and begins anew with another store', async () => {
  using place = folder();
  const first = shownIn(place.path);
  first.at.newest = 25;
  await first.shown.close();
  const second = shownIn(place.path);
  second.at.newest = 31;
  await second.shown.close();
  expect(second.numbers()).toEqual(Array.from({ length: 31 }, (_, n) => n + 1));
  const other = shownIn(place.path);
  other.at.newest = 3;
  await other.shown.close();
  expect(other.numbers()).toEqual([1, 2, 3]);
  expect(existsSync(join(place.path, 'events.jsonl.1'))).toBe(true);
});

it('says what went wrong, and tries again when it is asked to', async () => {
  using place = folder();
  const { at, shown } = shownIn(place.path);
  at.broken = true;
  shown.follow();
  await expect.poll(() => at.errors).toEqual(['no room']);
  at.broken = false;
  shown.follow();
  await expect.poll(() => existsSync(join(place.path, 'registry.json'))).toBe(true);
  await shown.close();
});

it('asks nothing more of the store once it is left to another daemon, also when a look is due', async () => {
  using place = folder();
  const { at, shown } = shownIn(place.path);
  // The time stands still, so that no second look is due by itself however slow the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  shown.follow();
  await expect.poll(() => existsSync(join(place.path, 'registry.json'))).toBe(true);
  at.version++;
  shown.follow();
  await shown.leave();
  at.closed = true;
  vi.advanceTimersByTime(2000);
  expect(at.reads).toBe(1);
  expect(JSON.parse(readFileSync(join(place.path, 'registry.json'), 'utf8')).daemon).toEqual({ pid: 7, version: '1' });
});
