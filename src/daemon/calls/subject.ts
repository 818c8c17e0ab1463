import type { Selectable } from 'kysely';
import type { AgentRow } from '../../journal/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { resolve } from '../../platform/git/refs.ts';
import { splitRef } from '../../task/id.ts';
import type { Task } from '../../task/store.ts';
import type { Farm } from '../farm.ts';
import { agentNamed, findTask } from './context.ts';

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
  throw new FurrowError('NO_SUBJECT', `there is no ${list} ${name}`, { hint: 'furrow list, furrow status or furrow queue' });
}

const FINDERS: Record<Kind, (farm: Farm, name: string) => Promise<Subject | undefined>> = {
  task: async (farm, name) => (await taskNamed(farm, name)) ?? entryNamed(farm, name),
  agent: async (farm, name) => {
    const agent = await agentNamed(farm, name).catch((error: unknown) => {
      if (unknown(error, 'NO_AGENT')) return undefined;
      throw error;
    });
    return agent && { is: 'agent', name: agent.name, agent };
  },
  check: async ({ db, config }, name) => {
    if ([...config.checks, ...config.queue.after].some((check) => check.name === name)) return { is: 'check', name };
    const isTree = /^[0-9a-f]{7,64}$/.test(name);
    const ran = await db
      .selectFrom('check_run')
      .select('id')
      .where((e) => e.or([e('name', '=', name), ...(isTree ? [e('tree', 'like', `${name}%`)] : [])]))
      .limit(1)
      .executeTakeFirst();
    return ran && { is: 'check', name };
  },
  branch: async ({ repo }, name) => {
    const sha = await resolve(repo, `refs/heads/${name}`);
    return sha === undefined ? undefined : { is: 'branch', name, sha };
  },
};

async function taskNamed(farm: Farm, name: string): Promise<Subject | undefined> {
  const task = await findTask(farm, name).catch((error: unknown) => {
    if (unknown(error, 'NO_TASK')) return undefined;
    throw error;
  });
  return task && { is: 'task', name: task.id, ref: task.ref, task };
}

/** A branch that a person submitted: by its name, or by the name that its entry has. */
async function entryNamed({ db }: Farm, name: string): Promise<Subject | undefined> {
  const rows = await db
    .selectFrom('entry')
    .select(['task', 'title'])
    .where((e) => e.or([e('task', '=', name), e('task', 'like', `%/${name}`), e('title', '=', name)]))
    .orderBy('id', 'desc')
    .execute();
  const known = new Set((await db.selectFrom('task').select('ref').execute()).map((row) => row.ref));
  const row = rows.find((one) => !known.has(one.task));
  return row && { is: 'task', name: splitRef(row.task)?.id ?? row.task, ref: row.task, task: undefined };
}
