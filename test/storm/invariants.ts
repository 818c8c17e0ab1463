import { readdir } from 'node:fs/promises';
import { furrow, furrowIn } from '../support/farm.ts';
import { fsck, lostCommits, replayChecks, snapshotUserFiles } from '../support/oracle.ts';
import { assertNoLeak } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { CHECK, type StormRepo } from './scenario.ts';

interface ListedTask {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly commit: string | null;
}

/** Everything that must hold after a storm, whatever was killed. Empty means that it does. */
export async function invariants(
  storm: StormRepo,
  userFiles: Record<string, string>,
): Promise<{ violations: string[]; landed: number; parked: number }> {
  const { repo, witness, first } = storm;
  const listed = (await furrow(repo, 'list', '--json')).json() as ListedTask[] | { tasks: ListedTask[] };
  const tasks = Array.isArray(listed) ? listed : listed.tasks;
  const violations = [
    ...tasks.filter((task) => task.state !== 'landed' && !task.reason).map((task) => `task ${task.id} is ${task.state} without a reason`),
    ...tasks
      .filter((task) => ['leased', 'submitted', 'ready'].includes(task.state))
      .map((task) => `task ${task.id} is still ${task.state}`),
    ...(await landedOnce(repo, first, tasks)),
    ...(await neverRed(repo, first)),
    ...(await lostCommits(repo, witness)).map((sha) => `commit ${sha} is not reachable from any ref`),
    ...(await readdir(witness)).filter((name) => name.startsWith('OVERLAP')).map((name) => `two agents at one task: ${name}`),
    ...same(userFiles, await snapshotUserFiles(repo.root, repo)),
    ...(await fsck(repo)).map((line) => `git fsck: ${line}`),
  ];
  const count = (state: string) => tasks.filter((task) => task.state === state).length;
  return { violations, landed: count('landed'), parked: count('parked') };
}

async function neverRed(repo: TestRepo, first: string): Promise<string[]> {
  const { red } = await replayChecks(repo, 'main', CHECK, first);
  return red.map(({ commit, output }) => `${commit} on main is red: ${output.trim()}`);
}

/** Each landed task is named by exactly one commit of main, and no other task is. */
async function landedOnce(repo: TestRepo, first: string, tasks: readonly ListedTask[]): Promise<string[]> {
  const trailers = await repo.git(
    'log',
    '--first-parent',
    '--format=%(trailers:key=Furrow-Task,valueonly,separator=%x0a)',
    `${first}..main`,
  );
  const ids = trailers
    .split('\n')
    .filter(Boolean)
    .map((ref) => ref.slice(ref.lastIndexOf('/') + 1));
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return tasks.flatMap((task) => {
    const wanted = task.state === 'landed' ? 1 : 0;
    const found = counts.get(task.id) ?? 0;
    return found === wanted ? [] : [`task ${task.id} is ${task.state}, but ${found} commits of main name it`];
  });
}

function same(before: Record<string, string>, after: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).map((name) => `the user's file ${name} was touched`);
}

/** Refs that are there to stay; anything else of ours is a temporary one. */
const LASTING = /^refs\/(heads|tags|remotes|stash)\b|^refs\/furrow\/(head|seen|pin|rescue|epoch|conflict|shadow)\b/;

/** What must be gone after `furrow clean` and `furrow stop --all`. */
export async function nothingLeft(repo: TestRepo): Promise<string[]> {
  const clean = await furrowIn(repo, { timeoutMs: 60_000 }, 'clean', '--json');
  const stop = await furrowIn(repo, { timeoutMs: 60_000 }, 'stop', '--all');
  const leak = await assertNoLeak(repo.base).then(
    () => [],
    (error: Error) => [error.message],
  );
  const refs = (await repo.git('for-each-ref', '--format=%(refname)')).split('\n').filter((ref) => ref !== '' && !LASTING.test(ref));
  const locks = (await readdir(await repo.git('rev-parse', '--absolute-git-dir'), { recursive: true })).filter(
    // The daemon's own is held by the kernel, and its file stays.
    (name) => (name.endsWith('.lock') && name !== 'furrow.run/daemon.lock') || /^worktrees\/[^/]+\/locked$/.test(name),
  );
  return [
    ...(clean.code === 0 ? [] : [`furrow clean: exit ${clean.code}: ${clean.stderr.trim()}`]),
    ...(stop.code === 0 ? [] : [`furrow stop --all: exit ${stop.code}: ${stop.stderr.trim()}`]),
    ...leak,
    ...refs.map((ref) => `a temporary ref is left: ${ref}`),
    ...locks.map((name) => `a lock is left: .git/${name}`),
  ];
}
