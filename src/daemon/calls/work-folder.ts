import { stat } from 'node:fs/promises';
import type { Selectable } from 'kysely';
import { findAgent } from '../../agents/agent/store.ts';
import type { Handlers } from '../../api/server.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import { FurrowError } from '../../platform/error.ts';
import { linkedAt, linkedWorktrees } from '../../platform/git/admin.ts';
import { tryGit } from '../../platform/git/run.ts';
import { lastAttemptAt, lastAttemptBy } from '../../work/attempt/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { findTaskRow } from '../../work/task/store.ts';
import { takenOf } from '../../work/task/taken-over.ts';
import type { Farm } from '../farm/farm.ts';
import type { Desk } from './context.ts';
import type { Subject } from './subject.ts';
import { findSubject } from './subject.ts';

/** A folder in which work is in hand, and whose it is. */
export interface WorkFolder {
  readonly path: string;
  readonly branch: string | null;
  readonly attempt: Selectable<AttemptRow> | undefined;
}

/** The folder of what a person named; `undefined` when it has none now. */
export async function folderOf(farm: Farm, subject: Subject): Promise<WorkFolder | undefined> {
  switch (subject.is) {
    case 'agent':
      return agentFolder(farm, subject.agent);
    case 'task':
      return subject.task ? taskFolder(farm, subject.ref) : undefined;
    case 'branch':
      return branchFolder(farm, subject.name);
    case 'check':
      return undefined;
    default:
      return subject satisfies never;
  }
}

async function agentFolder(farm: Farm, agent: { name: string; worktree: string; attempt: number | null }): Promise<WorkFolder | undefined> {
  const attempt = await lastAttemptBy(farm.db, agent.name);
  if (isElsewhere(attempt) || !(await isFolder(agent.worktree))) return undefined;
  const branch = await branchIn(farm, agent.worktree);
  return { path: agent.worktree, branch, attempt: attempt?.id === agent.attempt || attempt?.branch === branch ? attempt : undefined };
}

/** The worktree of its newest attempt, for as long as its agent has not gone on to another task in it. */
async function taskFolder(farm: Farm, ref: string): Promise<WorkFolder | undefined> {
  const row = await findTaskRow(farm.db, ref);
  const taken = row && takenOf(row);
  if (taken && (await isFolder(taken.worktree)))
    return { path: taken.worktree, branch: await branchIn(farm, taken.worktree), attempt: undefined };
  const attempt = await lastAttemptAt(farm.db, ref);
  if (!attempt || isElsewhere(attempt)) return undefined;
  const agent = await findAgent(farm.db, attempt.agent);
  if (!agent || !(await isFolder(agent.worktree))) return undefined;
  const branch = await branchIn(farm, agent.worktree);
  if (agent.attempt !== attempt.id && branch !== attempt.branch) return undefined;
  return { path: agent.worktree, branch, attempt };
}

/** It runs on another machine, with its files. */
const isElsewhere = (attempt: Selectable<AttemptRow> | undefined) => attempt?.host != null && attempt.state !== 'ended';

async function branchFolder(farm: Farm, branch: string): Promise<WorkFolder | undefined> {
  const linked = (await linkedWorktrees(farm.repo)).find((one) => one.head === `ref: refs/heads/${branch}`);
  if (linked?.path && (await isFolder(linked.path))) return { path: linked.path, branch, attempt: undefined };
  const main = await tryGit(farm.repo, ['symbolic-ref', '--quiet', 'HEAD']);
  return main.stdout.trim() === `refs/heads/${branch}` ? { path: farm.repo.root, branch, attempt: undefined } : undefined;
}

async function branchIn({ repo }: Farm, path: string): Promise<string | null> {
  const linked = await linkedAt(repo, path);
  return /^ref: refs\/heads\/(.+)$/.exec(linked?.head ?? '')?.[1] ?? null;
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The error that says why there is no folder, and what to type instead. */
export async function noFolder(farm: Farm, subject: Subject): Promise<FurrowError> {
  const { name } = subject;
  const error = (text: string, hint: string) => new FurrowError('NO_WORKTREE', text, { hint });
  const there = await elsewhereOf(farm, subject);
  if (there)
    return error(
      `${name} is worked on at ${there.host}, and its files are there`,
      `on ${there.host}: ls ~/furrow/hosts; its commits come here when the attempt ends`,
    );
  if (subject.is === 'agent')
    return error(`${name} has no worktree now: it was put away`, `furrow work ${subject.agent.phase}, or furrow logs ${name}`);
  if (subject.is !== 'task')
    return error(`${name} is checked out in no worktree`, `git worktree add ../${name.replaceAll('/', '-')} ${name}`);
  const { task } = subject;
  if (task?.commit && task.standing === 'landed')
    return error(
      `${name} landed as ${task.commit.slice(0, 12)}, and its worktree was put away`,
      `furrow diff ${name}, or git show ${task.commit.slice(0, 12)}`,
    );
  const attempt = await lastAttemptAt(farm.db, subject.ref);
  if (attempt)
    return error(
      `${name} has no worktree now: its agent went on to other work. Its commits are on ${attempt.branch}`,
      `furrow diff ${name}`,
    );
  if (!task) return error(`${name} was submitted from a branch, and has no worktree of furrow's`, `furrow diff ${name}`);
  return error(`${name} has no worktree: no agent has worked on it`, `furrow why ${name}`);
}

/** The attempt of a task or an agent that runs on another machine. */
export async function elsewhereOf(farm: Farm, subject: Subject): Promise<Selectable<AttemptRow> | undefined> {
  const row =
    subject.is === 'agent'
      ? await lastAttemptBy(farm.db, subject.agent.name)
      : subject.is === 'task'
        ? await lastAttemptAt(farm.db, subject.ref)
        : undefined;
  return isElsewhere(row) ? row : undefined;
}

/** The folder in which a task, or an agent, is at work. */
export function folders({ farm }: Desk): Pick<Handlers, 'path'> {
  return {
    async path({ subject: name }) {
      const subject = await findSubject(farm, name, ['task', 'agent', 'branch']);
      const found = await folderOf(farm, subject);
      if (!found) throw await noFolder(farm, subject);
      const { path, branch, attempt } = found;
      const task = attempt ? splitRef(attempt.task).id : null;
      return { subject: subject.name, path, branch, agent: attempt?.agent ?? null, task, attempt: attempt?.n ?? null };
    },
  };
}
