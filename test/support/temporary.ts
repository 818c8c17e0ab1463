import { accessSync, chmodSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { matchesGlob } from 'node:path';
import { ALL } from './all.ts';
import { keepRun } from './keeper.ts';
import { runFolder } from './run-folder.ts';

/** Name the folder in memory, and the one on a disk, to the workers of a test run. Each of their processes belongs to the run by these. */
const IN_MEMORY = 'FURROW_TEST_MEMORY';
export const ON_A_DISK = 'FURROW_TEST_DISK';
const MEMORY = '/dev/shm';
/** In the middle of a run four farms had 9.5 MB there; but nobody is to run out of memory for them. */
const ROOM_BYTES = 2 ** 30;

/** Tests that only make repositories, with git alone. */
const REPOSITORIES = ['test/platform/git/**', 'test/repo/merge/**', 'test/queue/git/**', 'test/repo/radar/**'];
/** Farms. `npm run test:all` has them on a disk, as users do. */
const FARMS = ['test/agents/agent/contract-*', 'test/faces/top/**', 'test/farm/**', 'test/page/**', 'test/scripted/**', 'test/tell/mcp/**'];
/**
 * Inside a fence `/dev` is another one: what such a farm has beside its repository and its home is not seen there. And the folder in
 * memory is closed to other users.
 */
const ON_DISK = ['test/farm/fence*', 'test/farm/other-user.test.ts', 'test/farm/own-git.test.ts', 'test/farm/strict.test.ts'];

const among = (file: string, patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern));

const inMemory = (file: string): boolean => among(file, ALL ? REPOSITORIES : [...REPOSITORIES, ...FARMS]) && !among(file, ON_DISK);

/** Gives the tests of this file, a path below the checkout, their folder for what they make and remove. */
export function useTemporary(file: string): void {
  const { [IN_MEMORY]: memory, [ON_A_DISK]: disk } = process.env;
  const folder = memory !== undefined && inMemory(file) ? memory : disk;
  if (folder !== undefined) process.env['TMPDIR'] = folder;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/**
 * Before all tests: a folder on a disk for all that tests make, and one in memory where there is room; both go with the run, however it
 * ends. On ext4, 58 of the tests in memory took 16.9 and 15.4 s of processor time, there 13.0 and 14.4, and an `fsync` took 3.5 ms there
 * instead of 0.1.
 */
export default function setup(): () => Promise<void> {
  const disk = runFolder(tmpdir(), 'f');
  // Some tests let another user look at what they made in it.
  chmodSync(disk, 0o711);
  process.env[ON_A_DISK] = disk;
  const memory = hasRoom() ? runFolder(MEMORY, 'f') : undefined;
  if (memory !== undefined) process.env[IN_MEMORY] = memory;
  return keepRun([disk, ...(memory === undefined ? [] : [memory])]);
}
