import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { exec } from '../../../src/platform/exec.ts';
import { controllerAt, findLimitWays, limitArguments, metLimit, removeLimits } from '../../../src/platform/process/limits.ts';

const V1 =
  '37 33 0:34 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n43 33 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw';
const V2 = '43 33 0:40 /user.slice /sys/fs/cgroup rw - cgroup2 cgroup2 rw';

it('finds a controller of the first version before an empty second one', () => {
  expect(controllerAt('memory', V1, '4:memory:/a/b\n0::/')).toEqual({ folder: '/sys/fs/cgroup/memory/a/b', version: 'v1' });
  expect(controllerAt('memory', V2, '0::/user.slice/app')).toEqual({ folder: '/sys/fs/cgroup/app', version: 'v2' });
  expect(controllerAt('processes', V1, '8:cpu,pids:/x\n0::/y')).toEqual({ folder: '/sys/fs/cgroup/unified/y', version: 'v2' });
  expect(controllerAt('memory', '', '0::/')).toBeUndefined();
});

const ways = findLimitWays();
const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

async function limited(limits: Parameters<typeof limitArguments>[2], command: string) {
  const marker = `test-${randomUUID()}`;
  try {
    const [first, ...rest] = [...limitArguments(ways, marker, limits), 'sh', '-c', command];
    const done = await exec([first!, ...rest], { env, timeoutMs: 20_000 });
    return { code: done.code, met: metLimit(ways, marker) };
  } finally {
    removeLimits(ways, marker);
  }
}

it.runIf(ways.memory)('a tree that uses more memory than it may is ended, and it is known why', async () => {
  const eat = `${process.execPath} -e 'const all=[];for(let i=0;i<64;i++)all.push(Buffer.alloc(16*1024*1024,1))'`;
  expect(await limited({ memory: 256 * 1024 * 1024 }, eat)).toMatchObject({ code: 137, met: expect.stringContaining('limits.memory') });
  expect(await limited({ memory: 2 ** 31 }, 'true')).toEqual({ code: 0, met: undefined });
});

it.runIf(ways.processes)('a tree that starts more processes than it may can start no more', async () => {
  const fork = 'for n in $(seq 60); do sleep 1 & done; wait';
  expect(await limited({ processes: 32 }, fork)).toMatchObject({ met: expect.stringContaining('limits.processes') });
});

it('a file does not grow past the limit of disk; several together may', async () => {
  const line =
    'cd "$(mktemp -d)"; for n in 1 2; do head -c 4000000 /dev/zero > $n; done; s=$(stat -c %s 1 2 | xargs); rm -r "$PWD"; [ "$s" = "1048576 1048576" ]';
  expect((await limited({ disk: 1024 * 1024 }, line)).code).toBe(0);
});
