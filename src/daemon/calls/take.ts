import { join } from 'node:path';
import { passedEnvironment } from '../../agents/agent/environment.ts';
import { agentsOf } from '../../agents/agent/store.ts';
import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { createRef, isAncestor, resolve } from '../../platform/git/refs.ts';
import { identityOf } from '../../platform/git/repository.ts';
import { git } from '../../platform/git/run.ts';
import { killTree } from '../../platform/process/kill.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { harvest } from '../../repo/worktree/harvest.ts';
import { prepare } from '../../repo/worktree/prepare.ts';
import { snapshot } from '../../repo/worktree/snapshot.ts';
import { lastWithCommit } from '../../work/attempt/read.ts';
import { closeTaskQuestions } from '../../work/question/store.ts';
import { type Rework, reworkOf } from '../../work/task/rework.ts';
import { advance, noteTaken, readTask, type Task } from '../../work/task/store.ts';
import { slugOf, type Taken, takenOf } from '../../work/task/taken-over.ts';
import type { Farm } from '../farm/farm.ts';
import { pinOf } from '../farm/pins.ts';
import { takenMarker } from '../farm/process-names.ts';
import { setupCommands } from '../farm/trust/trusted-config.ts';
import { ANEW } from '../leader/attempt/try-again.ts';
import { type Desk, findTask } from './context.ts';
import { until } from './wait-until.ts';

/** A person takes a task over from the agents, and gives it back. */
export function takeOver(desk: Desk): Pick<Handlers, 'take' | 'give'> {
  const { farm } = desk;
  return {
    async take({ task: name }) {
      const task = await findTask(farm, name);
      const taken = takenOf(task) ?? (await claim(farm, task));
      await ended(desk, task);
      const held = taken.ready ? taken : await makeReady(desk, await findTask(farm, task.ref), taken);
      farm.wake();
      const { personal } = setupCommands(farm);
      const { worktree, branch, by, problem } = held;
      return {
        task: task.id,
        worktree,
        branch,
        by,
        setup: [...(problem ? farm.config.worktree.setup : personal)],
        problem: problem ?? null,
      };
    },

    async give({ task: name, note }) {
      const task = await findTask(farm, name);
      const taken = takenOf(task);
      if (!taken) throw new FurrowError('NOT_TAKEN', `nobody has taken ${task.id}`, { hint: `furrow take ${task.id}` });
      const from = await leftBy(farm, task, taken);
      await farm.db.transaction().execute((tx) => giveBack(tx, task, taken, { from, note }, farm.clock.now()));
      farm.wake();
      return { task: task.id, from: from ?? null };
    },
  };
}

/** Stores that the task is theirs. From here on no agent gets it, also after a crash; an attempt at it is ended by the loop. */
async function claim(farm: Farm, task: Task): Promise<Taken> {
  refuse(task);
  const { name } = await identityOf(farm.repo);
  const agents = new Set((await agentsOf(farm.db)).map((row) => row.name));
  const slug = slugOf(name, agents);
  const now = farm.clock.now();
  const branch = `furrow/${task.phase}/${slug}/${task.id}`;
  const taken: Taken = { by: name, at: now, branch, worktree: join(farm.places.worktrees, task.phase, `${slug}-${task.id}`), ready: false };
  await farm.db.transaction().execute(async (tx) => {
    const row = await readTask(tx, task.ref);
    refuse(row);
    await noteTaken(tx, task.ref, taken);
    if (row.standing !== 'leased') await hold(tx, task, taken, now);
    await append(tx, { kind: 'task.taken', task: task.ref, text: `${name} takes ${task.id} over`, data: { branch } }, now);
  });
  farm.wake();
  return taken;
}

/** Writes on the board that it is theirs, and closes the questions about it. */
async function hold(tx: Tx, task: Pick<Task, 'ref'>, taken: Taken, now: number): Promise<void> {
  await advance(tx, task.ref, { on: 'retried' }, now, { ...ANEW, tell: { status: 'in-progress', blocked: null, claimedBy: taken.by } });
  await closeTaskQuestions(tx, task.ref, `${taken.by} took it over`, now);
}

function refuse(task: Task): void {
  const { id, standing } = task;
  const no = (text: string, hint: string) => new FurrowError('TASK_BUSY', text, { hint });
  if (standing === 'submitted') throw no(`${id} is in the queue`, `furrow queue eject ${id}, then furrow take ${id}`);
  if (standing === 'landed') throw no(`${id} has landed`, `furrow retry ${id}`);
  if (task.missing !== null) throw no(`${task.file} is not on the board`, `furrow why ${id}`);
}

/** Waits until the attempt at it has been stopped, and what it did is pinned. It may have handed its work in at that very moment. */
async function ended({ farm, feed, ending }: Desk, task: Task): Promise<void> {
  await until(feed, ending, async () => (await findTask(farm, task.ref)).standing !== 'leased');
  const row = await findTask(farm, task.ref);
  if (row.standing === 'leased') throw new FurrowError('TRY_AGAIN', 'the daemon is ending', { hint: `furrow take ${task.id}` });
  const taken = takenOf(row);
  const now = farm.clock.now();
  if (row.standing === 'submitted' || row.standing === 'landed') {
    await noteTaken(farm.db, task.ref, null);
    refuse(row);
  }
  if (row.standing === 'parked' && taken) await farm.db.transaction().execute((tx) => hold(tx, row, taken, now));
}

/**
 * Makes their worktree: the commits of the last attempt on a branch of theirs, its uncommitted files on top, set up as for an agent. Safe
 * to repeat.
 */
async function makeReady(desk: Desk, task: Task, taken: Taken): Promise<Taken> {
  const { farm } = desk;
  const { repo } = farm;
  const { commit, base, files } = await workSoFar(farm, task);
  await prepare(repo, {
    path: taken.worktree,
    branch: taken.branch,
    base,
    fresh: false,
    trash: farm.places.trash,
    rescueRef: `refs/furrow/rescue/${taken.branch.split('/')[2]}/${task.phase}-${task.id}-${taken.at}`,
    continueFrom: commit,
  });
  if (files) await git(repo, ['restore', `--source=${files}`, '--worktree', '--', '.'], { cwd: taken.worktree });
  const problem = await setUp(desk, task, taken);
  const ready: Taken = { ...taken, ready: true, ...(problem && { problem }) };
  await noteTaken(farm.db, task.ref, ready);
  return ready;
}

/** A failed set-up does not stop the person: the failure is reported with the worktree. */
async function setUp({ farm, machine, ending }: Desk, task: Task, { worktree, branch }: Taken): Promise<string | undefined> {
  const marker = takenMarker(farm, task.ref);
  // Left by a daemon that was killed while it did this.
  await killTree({ root: undefined, marker }, 0);
  const env = { ...passedEnvironment(process.env), FURROW_RUN: marker };
  try {
    await machine.setUp(branch.split('/')[2]!, worktree, env, ending);
    return undefined;
  } catch (error) {
    if (ending.aborted) throw new FurrowError('TRY_AGAIN', 'the daemon is ending', { hint: `furrow take ${task.id}` });
    if (!(error instanceof FurrowError)) farm.log.warn({ error: (error as Error).stack }, 'a worktree that was taken over is not set up');
    return (error as Error).message;
  }
}

/** The commit to continue a task from: the tip of its last attempt, else the commits that were handed back, else the head. */
async function workSoFar(farm: Farm, task: Task): Promise<{ commit: string; base: string; files: string | undefined }> {
  const { repo } = farm;
  const base = (await resolve(repo, `refs/furrow/head/${farm.target}`)) ?? (await resolve(repo, `refs/heads/${farm.target}`))!;
  const last = await lastWithCommit(farm.db, task.ref);
  const from = reworkOf(task)?.from;
  const saved = last && (await resolve(repo, `${pinOf(task.ref, last.n)}-uncommitted`));
  const files = saved && (await resolve(repo, `${saved}^1`)) === last.sha ? saved : undefined;
  if (last?.sha && (files || !(await isAncestor(repo, last.sha, base)))) return { commit: last.sha, base, files };
  return { commit: from ?? base, base, files: undefined };
}

/** Pins what the person did, uncommitted files included. `undefined`: they did nothing. */
async function leftBy(farm: Farm, task: Task, taken: Taken): Promise<string | undefined> {
  if (!taken.ready) return undefined;
  const base = (await resolve(farm.repo, `refs/furrow/head/${farm.target}`)) ?? `refs/heads/${farm.target}`;
  const left = await harvest(farm.repo, taken.worktree, { branch: taken.branch, base }).catch(() => undefined);
  if (left?.operation)
    throw new FurrowError('OPERATION_IN_PROGRESS', `${taken.worktree} is in the middle of a ${left.operation}`, {
      hint: `git -C ${quotedIfNeeded(taken.worktree)} status, then furrow give ${task.id}`,
    });
  const message = `uncommitted work of ${taken.by} on ${task.id}\n`;
  const saved = left?.dirty ? await snapshot(farm.repo, taken.worktree, message, taken.at) : undefined;
  // A worktree that is gone has left its branch.
  const tip = saved ?? left?.head ?? (await resolve(farm.repo, `refs/heads/${taken.branch}`));
  if (!tip || (await isAncestor(farm.repo, tip, base))) return undefined;
  await createRef(farm.repo, `refs/furrow/pin/${task.phase}/${task.id}/given-${tip.slice(0, 12)}`, tip);
  return tip;
}

async function giveBack(
  tx: Tx,
  task: Task,
  taken: Taken,
  { from, note }: { from: string | undefined; note: string | undefined },
  now: number,
): Promise<void> {
  const before = reworkOf(task);
  const words = note?.trim() ? `: ${note.trim()}` : '';
  const report = `${taken.by} took this task over and gave it back${words}`;
  const rework: Rework | null = from || words ? { why: 'taken', report, from: from ?? before?.from ?? null } : before;
  await advance(tx, task.ref, { on: 'retried' }, now, {
    ...ANEW,
    taken: null,
    rework,
    tell: { status: 'todo', blocked: null, release: true, notes: [`${taken.by} gave it back${words}`] },
  });
  await append(
    tx,
    { kind: 'task.given', task: task.ref, text: `${taken.by} gives ${task.id} back${words}`, data: { from: from ?? null } },
    now,
  );
}
