import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { lookAround } from '../../../src/repo/fence/surroundings.ts';

/** What is opened below a home with these files, by the path inside. */
async function opened(...files: string[]): Promise<{ read: string[]; write: string[] }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-test-')));
  try {
    const home = join(base, 'home');
    await mkdir(home);
    for (const file of files) {
      await mkdir(dirname(join(home, file)), { recursive: true });
      await writeFile(join(home, file), '');
    }
    const env = { HOME: home, PATH: '/usr/bin' };
    const { opened: mounts } = await lookAround({ env, kept: join(base, 'kept'), programs: [], read: [], write: [] });
    const below = (write: boolean) =>
      mounts
        .filter((one) => (one.write ?? false) === write)
        .flatMap(({ from, to = from }) => (to.startsWith(home) ? [to.slice(home.length + 1)] : []));
    return { read: below(false), write: below(true) };
  } finally {
    await rm(base, { recursive: true });
  }
}

it('a cache that its program has not made yet can be made, beside what else is in that folder', async () => {
  expect(await opened('.local/share/pnpm/nodejs/22/bin/node', '.local/share/pnpm/pnpm')).toEqual({
    read: ['.local/share/pnpm/nodejs', '.local/share/pnpm/pnpm'],
    write: ['.local/share/pnpm/store'],
  });
});

it('a cache that is there is covered by one of the farm', async () => {
  expect(await opened('.local/share/pnpm/store/v10/x', '.npm/x')).toEqual({
    read: ['.local/share/pnpm'],
    write: ['.npm', '.local/share/pnpm/store'],
  });
});

it('a home without any of it gets nothing', async () => {
  expect(await opened('.local/share/pnpm')).toEqual({ read: ['.local/share/pnpm'], write: [] });
  expect(await opened()).toEqual({ read: [], write: [] });
});
