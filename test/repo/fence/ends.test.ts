import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spawnPiped } from '../../../src/platform/exec.ts';
import { killTree } from '../../../src/platform/process/kill.ts';
import { processTable, withMarker } from '../../../src/platform/process/table.ts';
import { type Fence, fenceArguments } from '../../../src/repo/fence/bwrap.ts';
import { filterFile } from '../../../src/repo/fence/filter.ts';
import { needs } from '../../support/needs.ts';

needs('bwrap');

async function place() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'furrow-ends-')));
  const filter = await filterFile(`${folder}.kept`);
  const remove = () => Promise.all([folder, `${folder}.kept`].map((path) => rm(path, { recursive: true, force: true })));
  return { folder, filter, [Symbol.asyncDispose]: async () => void (await remove()) };
}

/** Starts a command in a fence that can write one folder. */
function start({ folder, filter }: { folder: string; filter: string | undefined }, command: string) {
  const fence: Fence = {
    hidden: [],
    opened: [],
    ours: [],
    mounts: [{ from: folder, write: true }],
    unset: [],
    network: 'host',
    ...(filter && { filter }),
    cwd: folder,
  };
  const marker = `test-${randomUUID()}`;
  const [first, ...rest] = [...fenceArguments(fence), 'sh', '-c', command];
  const child = spawnPiped([first!, ...rest], { cwd: folder, env: { PATH: process.env['PATH'] ?? '', FURROW_RUN: marker } });
  return { child, marker, ended: once(child, 'close') as Promise<[number | null, string | null]>, ready: once(child.stdout!, 'data') };
}

it.each([
  ['exit 7', 7],
  ['kill -9 $$', 137],
  ['true', 0],
])('the end of `%s` in a fence is told as %i', async (command, code) => {
  await using at = await place();
  expect((await start(at, command).ended)[0]).toBe(code);
});

it('TERM reaches the command in a fence, which has time to end by itself', async () => {
  await using at = await place();
  const { marker, ended, ready } = start(at, `trap 'echo asked > asked; exit 3' TERM; echo ready; while :; do sleep 0.05; done`);
  await ready;
  const { survivors } = await killTree({ root: undefined, marker }, 10_000);
  expect([survivors, (await ended)[0]]).toEqual([[], 3]);
  expect(await readFile(join(at.folder, 'asked'), 'utf8')).toBe('asked\n');
});

it('a fence that is killed leaves nobody, however they hid', async () => {
  await using at = await place();
  const { child, marker, ready } = start(at, `trap : TERM HUP INT; setsid nohup sleep 600 & (trap : HUP; sleep 600) & echo ready; wait`);
  await ready;
  // Not the end of its output: whoever is left would keep that open, and be waited for.
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  try {
    await expect.poll(() => withMarker(processTable(), marker).length).toBe(0);
  } finally {
    await killTree({ root: undefined, marker }, 0);
  }
});
