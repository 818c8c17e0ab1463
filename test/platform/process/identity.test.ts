import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ownFolder } from '../../../src/platform/process/cgroup.ts';
import { parseTable, parseValues } from '../../../src/platform/process/darwin.ts';
import { identify, isAlive, isTaken, signalProcess } from '../../../src/platform/process/identity.ts';
import { isKernelThread, parseStat } from '../../../src/platform/process/linux.ts';
import { descendants, processTable, snapshot, withMarker } from '../../../src/platform/process/table.ts';
import { look } from '../../support/processes.ts';
import { sleeper } from './nasties.ts';

describe('an identity', () => {
  it('is stable while the process lives, and gone with it', async () => {
    using child = sleeper('child');
    const id = identify(child.pid!)!;
    expect(identify(child.pid!)).toEqual(id);
    expect([isAlive(id), isTaken(id.pid)]).toEqual([true, true]);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect([isAlive(id), isTaken(id.pid)]).toEqual([false, false]);
    expect(identify(id.pid)).toBeUndefined();
  });

  it('differs from the next process with the same pid', () => {
    const id = identify(process.pid)!;
    expect(isAlive({ ...id, start: `${id.start}1` })).toBe(false);
  });

  it('is read again before a signal: one that has the pid of another gets none', async () => {
    using child = sleeper('child');
    const id = identify(child.pid!)!;
    expect(signalProcess({ ...id, start: `${id.start}1` }, 'SIGKILL')).toBe(false);
    const ended = once(child, 'exit');
    expect(signalProcess(id, 'SIGTERM')).toBe(true);
    expect(await ended).toEqual([null, 'SIGTERM']);
    expect(signalProcess(id, 'SIGTERM')).toBe(false);
  });

  it('counts a zombie as gone', async () => {
    // The shell becomes a program that never waits for the child it inherits, and only then does the child end.
    const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60 3<&-'], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const [pid] = await once(parent.stdout!, 'data');
    try {
      await expect.poll(() => look(parent.pid!)?.command).toBe('sleep 60');
      (parent.stdio[3] as Writable).end();
      await expect.poll(() => identify(Number(pid))).toBeUndefined();
      expect(() => process.kill(Number(pid), 0)).not.toThrow();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('the table', () => {
  it('knows us, our parent and our children', () => {
    using child = sleeper('child');
    const table = processTable();
    expect(table).toContainEqual(expect.objectContaining({ ...identify(process.pid), ppid: process.ppid }));
    expect(descendants(table, process.pid)).toContainEqual(expect.objectContaining({ pid: child.pid, ppid: process.pid }));
  });

  it.runIf(process.platform === 'linux')('has no thread of the kernel', () => {
    const none = () => expect(processTable().filter(({ pid }) => isKernelThread(statOf(pid)))).toEqual([]);
    none();
    // The second look knows them from the first.
    none();
  });

  it('finds a marker only as a whole variable', async () => {
    const marker = randomUUID();
    using first = sleeper('first', { FURROW_RUN: marker });
    using second = sleeper('second', { A: `FURROW_RUN=${marker}`, XFURROW_RUN: marker, B: 'b' });
    using third = sleeper('third', { FURROW_RUN: `${marker}0` });
    const pids = () => withMarker(processTable(), marker).map((p) => p.pid);
    await expect.poll(pids).toEqual([first.pid]);
    expect([second.pid, third.pid]).not.toContain(first.pid);
  });

  it('knows a process by the marker of the program that it executes now', async () => {
    const marker = randomUUID();
    const script = `read _; exec env FURROW_RUN=${marker} sh -c 'read _; exec env FURROW_RUN=other sleep 60'`;
    const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'inherit'] });
    const found = () => withMarker(processTable(), marker).map((p) => p.pid);
    try {
      expect([found(), found()]).toEqual([[], []]);
      child.stdin.write('\n');
      await expect.poll(found).toEqual([child.pid]);
      expect(found()).toEqual([child.pid]);
      child.stdin.write('\n');
      await expect.poll(found).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is read once for all who ask together, and anew for the next', async () => {
    const [a, b] = await Promise.all([snapshot(), snapshot()]);
    expect(a).toBe(b);
    expect(await snapshot()).not.toBe(a);
  });

  const proc = (pid: number, ppid: number) => ({ pid, ppid, start: '1', state: 'S' });
  it('walks a tree without the root, the skipped branch, or a loop', () => {
    const table = [proc(2, 1), proc(3, 2), proc(4, 2), proc(5, 4), proc(6, 3), proc(9, 9), proc(7, 8), proc(8, 7)];
    expect(descendants(table, 2).map((p) => p.pid)).toEqual([3, 4, 6, 5]);
    expect(descendants(table, 2, 4).map((p) => p.pid)).toEqual([3, 6]);
    expect(descendants(table, 9)).toEqual([]);
    expect(descendants(table, 7).map((p) => p.pid)).toEqual([8]);
  });
});

const stat = (name: string, state: string, threads = 1) =>
  `42 (${name}) ${state} 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 ${threads} 0 98765 1000 200 18446744073709551615`;

const statOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};

it.each([
  ['', false],
  [stat('sleep', 'S'), false],
  [stat('kworker/0:0) S 2 (x', 'I').replace('4194560', '69238880'), true],
])('a thread of the kernel is told by its flags: %s', (text, is) => {
  expect(isKernelThread(text)).toBe(is);
});

describe('one line of /proc/pid/stat', () => {
  const reads = (text: string, expected: unknown) => () => expect(parseStat(text, 'boot')).toEqual(expected);
  const living = { pid: 42, ppid: 7, state: 'S', start: 'boot:98765' };
  it('is read', reads(stat('sleep', 'S'), living));
  const places = `${stat('sleep', 'S')} 1 2 3000 ${'0 '.repeat(19)}4000 4007 4007 4100 0`;
  it(
    'tells programs apart by where their stack, arguments and environment are',
    reads(places, { ...living, image: '3000 4000 4007 4007 4100' }),
  );
  it('of another user does not say where they are', reads(places.replace('4007 4100', '0 0'), living));
  it('may name a command with spaces and parentheses', reads(stat('a) S 1 (b', 'S'), living));
  it('of a zombie is nobody', reads(stat('sh', 'Z'), undefined));
  it('of an ended main thread with living siblings is somebody', reads(stat('go', 'Z', 4), { ...living, state: 'Z' }));
  it('that was cut off is nobody', reads('42 (sleep) S 7', undefined));
  it('that is empty is nobody', reads('', undefined));
});

describe('ps on macOS', () => {
  const table = `
    1     0     1 Ss   Mon Nov 10 08:00:01 2025     /sbin/launchd
  501     1   501 S    Tue Nov 11 09:15:42 2025     /bin/zsh -l
 7001   501  7001 S+   Fri Nov 14 23:59:59 2025     node agent.js --name a b
 7002  7001  7001 Z+   Sat Nov 15 00:00:00 2025     (sleep)
 7003  7001  7001 U+   Sat Nov 15 00:00:00 2025     sleep 60
`;
  it('is read line by line, zombies left out', () => {
    expect(parseTable(table)).toEqual([
      { pid: 1, ppid: 0, state: 'S', start: 'Mon Nov 10 08:00:01 2025' },
      { pid: 501, ppid: 1, state: 'S', start: 'Tue Nov 11 09:15:42 2025' },
      { pid: 7001, ppid: 501, state: 'S', start: 'Fri Nov 14 23:59:59 2025' },
      { pid: 7003, ppid: 7001, state: 'D', start: 'Sat Nov 15 00:00:00 2025' },
    ]);
  });

  it('tells a variable from an argument that looks like one', () => {
    const plain = '  501 /bin/zsh -l\n 7001 node agent.js\n 7002 grep FURROW_RUN=m1\n 7003 sleep 60\n';
    const full =
      '  501 /bin/zsh -l HOME=/Users/a\n 7001 node agent.js FURROW_RUN=m1 HOME=/Users/a\n 7002 grep FURROW_RUN=m1 HOME=/Users/a\n 7003 sleep 60\n';
    expect(parseValues(plain, full, 'FURROW_RUN')).toEqual(new Map([[7001, 'm1']]));
  });
});

describe('our place among the cgroups', () => {
  const mount = (root: string, at: string) =>
    `30 1 0:9 / /proc rw - proc proc rw\n41 31 0:38 ${root} ${at} rw,relatime - cgroup2 cgroup2 rw\n`;
  const place = (mountinfo: string, cgroup: string, expected: string | undefined) => () =>
    expect(ownFolder(mountinfo, cgroup)).toBe(expected);
  it('is below the mount', place(mount('/', '/sys/fs/cgroup'), '0::/user.slice/a.scope\n', '/sys/fs/cgroup/user.slice/a.scope'));
  it('is below the second mount of a hybrid', place(mount('/', '/sys/fs/cgroup/unified'), '8:pids:/x\n0::/\n', '/sys/fs/cgroup/unified/'));
  it('is cut at the root of a container', place(mount('/docker/1', '/sys/fs/cgroup'), '0::/docker/1/a\n', '/sys/fs/cgroup/a'));
  it('is nowhere without v2', place('30 1 0:9 / /proc rw - proc proc rw\n', '8:pids:/x\n', undefined));
});
