import { expect, it } from 'vitest';
import { judge, type Seen } from '../../src/daemon/guard.ts';

const opened: Seen = { lock: '1:1', store: '1:2', run: '1:3', socket: '1:4' };

it.each<[string, Partial<Seen>, string | undefined, string[]]>([
  ['everything is there', {}, undefined, []],
  ['the lock is gone', { lock: undefined }, "the daemon's lock was removed", []],
  ['the lock is another file', { lock: '1:9' }, "the daemon's lock was replaced", []],
  ['the store is gone, and the rest with it', { store: undefined, run: undefined, socket: undefined }, 'the store was removed', []],
  ['the store is another file', { store: '1:9' }, 'the store was replaced', []],
  ['the socket is gone', { socket: undefined }, undefined, ['socket']],
  ['the socket is somebody else’s', { socket: '1:9' }, undefined, ['socket']],
  ['the run folder is gone', { run: undefined, socket: undefined }, undefined, ['run', 'socket']],
])('%s', (_name, now, end, heal) => {
  expect(judge(opened, { ...opened, ...now })).toEqual({ ...(end && { end }), heal });
});
