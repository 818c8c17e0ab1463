import { setTimeout as sleep } from 'node:timers/promises';
import { snapshotUserFiles } from '../support/oracle.ts';
import type { TestRepo } from '../support/repo.ts';
import { HEAD } from './queue-oracle.ts';

const PATIENCE_MS = 30_000;

/** All that is the user's: changed and new files, what is staged, the branch. */
export type UserState = Readonly<Record<string, string>>;

/** A person in the main checkout: a change where a task will write, one that is staged, a note that git does not know. */
export async function userAtWork(repo: TestRepo, path: string): Promise<void> {
  await repo.write('staged.txt', 'to be committed soon\n');
  await repo.git('add', 'staged.txt');
  await repo.write(path, 'a change that is not committed\n');
  await repo.write('note.txt', 'not added yet\n');
}

export async function userState(repo: TestRepo): Promise<UserState> {
  return {
    ...(await snapshotUserFiles(repo.root, repo)),
    'the index': await repo.git('diff', '--cached', '--raw', '--no-abbrev', 'HEAD'),
    'the branch': await repo.git('symbolic-ref', 'HEAD'),
  };
}

export function touched(before: UserState, after: UserState): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).map((name) => `the user's ${name} was touched`);
}

/** The user puts the file back: what waited for it is published by itself, and nothing else of theirs is in the way. */
export async function publishedAfterAll(repo: TestRepo, path: string): Promise<string[]> {
  await repo.git('checkout', '--quiet', '--', path);
  const until = performance.now() + PATIENCE_MS;
  const behind = async () => (await repo.git('rev-parse', 'main')) !== (await repo.git('rev-parse', HEAD));
  while ((await behind()) && performance.now() < until) await sleep(100);
  if (await behind()) return [`main is still behind the verified chain ${PATIENCE_MS / 1000} s after nothing was in the way`];
  // The branch moves first, then the files.
  const lag = async () => await repo.git('status', '--porcelain', '--untracked-files=no');
  while ((await lag()) !== 'A  staged.txt' && performance.now() < until) await sleep(100);
  const status = await lag();
  return status === 'A  staged.txt' ? [] : [`the checkout does not follow main: ${status}`];
}
