import type { Selectable } from 'kysely';
import { agentNamed } from '../../agents/agent/store.ts';
import type { AgentRow } from '../../journal/rows/agent.ts';
import { FurrowError } from '../../platform/error.ts';
import { resolve } from '../../platform/git/refs.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { runsNamed } from '../../queue/check-run/read.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Task } from '../../work/task/store.ts';
import type { Farm } from '../farm/farm.ts';
import { findTask } from './context.ts';
import { SETUP } from './output/setup-logs.ts';

/** The thing that a person named on the command line. */
export type Subject =
  /** `task` is undefined for a person's branch in the queue that belongs to no task of the board. */
  | { readonly is: 'task'; readonly name: string; readonly ref: string; readonly task: Task | undefined }
  | { readonly is: 'agent'; readonly name: string; readonly agent: Selectable<AgentRow> }
  | { readonly is: 'check'; readonly name: string }
  | { readonly is: 'branch'; readonly name: string; readonly sha: string };

type Kind = Subject['is'];

const unknown = (error: unknown, code: string) => error instanceof FurrowError && error.code === code;

/**
 * Finds what a name means, in this order: a task, a branch in the queue, an agent, a check, a local branch; only the kinds
 * that are asked for. Every command that takes TASK|AGENT|… finds its subject here.
 */
export async function findSubject(farm: Farm, name: string, kinds: readonly Kind[]): Promise<Subject> {
  for (const kind of ['task', 'agent', 'check', 'branch'] as const) {
    const found = kinds.includes(kind) ? await FINDERS[kind](farm, name) : undefined;
    if (found) return found;
  }
  const words = kinds.map((kind) => (kind === 'check' ? 'check that has run' : kind));
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const agent = kinds.includes('agent') && /^\d+$/.test(name) ? await agentCalled(farm, `agent-${name}`) : undefined;
  throw new FurrowError('NO_SUBJECT', `there is no ${list} ${name}`, {
    hint: agent ? `the agent of that number is agent-${name}` : 'furrow list, furrow status or furrow queue',
  });
}

const FINDERS: Record<Kind, (farm: Farm, name: string) => Promise<Subject | undefined>> = {
  task: workNamed,
  // A bare number is a task: `3` for the third agent would answer about other work where task 3 is gone. Say `agent-3`.
  agent: async (farm, name) => (/^\d+$/.test(name) ? undefined : agentCalled(farm, name)),
  check: async ({ db, config }, name) => {
    if ([...config.checks, ...config.queue.after].some((check) => check.name === name)) return { is: 'check', name };
    if (name === SETUP) return { is: 'check', name };
    return (await runsNamed(db, name, 1)).length > 0 ? { is: 'check', name } : undefined;
  },
  branch: async ({ repo }, name) => {
    const sha = await resolve(repo, `refs/heads/${name}`);
    return sha === undefined ? undefined : { is: 'branch', name, sha };
  },
};

async function agentCalled({ db }: Farm, name: string): Promise<Subject | undefined> {
  const agent = await agentNamed(db, name).catch((error: unknown) => {
    if (unknown(error, 'NO_AGENT')) return undefined;
    throw error;
  });
  return agent && { is: 'agent', name: agent.name, agent };
}

/** A task of the board, or an entry of the queue without one: a branch that a person submitted, or a revert. */
type Work = Extract<Subject, { is: 'task' }>;

const HEADS = 'refs/heads/';

/**
 * Finds a task by its id or `phase/id`, a submitted branch by its name or `refs/heads/NAME`. Where a task and a branch in the
 * queue have the same name, a person has to say which.
 */
async function workNamed(farm: Farm, name: string): Promise<Work | undefined> {
  const asBranch = name.startsWith(HEADS);
  const entry = await entryNamed(farm, asBranch ? name.slice(HEADS.length) : name);
  if (asBranch) return entry;
  const task = await findTask(farm, name).catch((error: unknown) => {
    if (unknown(error, 'NO_TASK')) return undefined;
    throw error;
  });
  if (!task) return entry;
  // Only a task can be called `phase/id` in full.
  if (!entry?.open || name === task.ref) return { is: 'task', name: task.id, ref: task.ref, task };
  throw new FurrowError('WHICH_TASK', `there is a task ${name}, and a branch ${name} in the queue`, {
    hint: `say ${task.ref} for the task, or ${HEADS}${name} for the branch`,
  });
}

/** The same, or an error that says what to type. */
export async function findWork(farm: Farm, name: string): Promise<Work> {
  const found = await workNamed(farm, name);
  if (found) return found;
  const branch = name.startsWith(HEADS) ? name.slice(HEADS.length) : name;
  if (await resolve(farm.repo, `${HEADS}${branch}`))
    throw new FurrowError('NOT_QUEUED', `the branch ${branch} was never submitted`, { hint: `furrow submit ${quotedIfNeeded(branch)}` });
  throw new FurrowError('NO_TASK', `there is no task ${name}, and no branch of that name was submitted`, {
    hint: 'furrow list, or furrow queue',
  });
}

/** The newest entry of this name that is of no task; one in the queue first. */
async function entryNamed({ db }: Farm, name: string): Promise<(Work & { readonly open: boolean }) | undefined> {
  const rows = await db
    .selectFrom('entry')
    .leftJoin('task', 'task.ref', 'entry.task')
    .select(['entry.task', 'entry.ended'])
    .where('task.ref', 'is', null)
    .where((e) => e.or([e('entry.task', '=', name), e('entry.task', 'like', `%/${name}`)]))
    .orderBy('entry.id', 'desc')
    .execute();
  const named = rows.filter((one) => one.task === name || splitRef(one.task).id === name);
  const last = named.find((one) => one.ended === null) ?? named[0];
  return last && { is: 'task', name: splitRef(last.task).id, ref: last.task, task: undefined, open: last.ended === null };
}
