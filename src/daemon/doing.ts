import type { Doing } from '../farm/failing.ts';
import { splitRef } from '../task/id.ts';
import type { StartArgs } from './acts/attempt-start.ts';
import type { BoardWriteArgs } from './acts/board-write.ts';
import type { CheckArgs } from './acts/check-run.ts';
import type { DisposeArgs } from './acts/dispose.ts';
import type { LandArgs } from './acts/land.ts';
import type { PushArgs } from './acts/push.ts';

type About = Omit<Doing, 'key'>;

const nameOf = (ref: string) => splitRef(ref)?.id ?? ref;

/** An attempt as the store knows it, for acts that only have its number. */
export type AttemptOf = (id: number) => Promise<{ agent: string; task: string } | undefined>;

/** An act in words: what it is about to do, for whom, and which command shows more. */
export async function describeAct(kind: string, key: string, args: unknown, attemptOf: AttemptOf): Promise<Doing> {
  const about = ABOUT[kind];
  return { key, ...(about ? await about(args, attemptOf) : { what: kind, next: 'furrow doctor' }) };
}

const ofAttempt =
  (verb: string) =>
  async (args: unknown, attemptOf: AttemptOf): Promise<About> => {
    const { attempt } = args as { attempt: number };
    const row = await attemptOf(attempt);
    if (!row) return { what: `${verb} attempt ${attempt}`, next: 'furrow status' };
    return {
      what: `${verb} the attempt of ${row.agent} on ${nameOf(row.task)}`,
      next: `furrow why ${row.agent}`,
      agent: row.agent,
      tasks: [row.task],
    };
  };

const ABOUT: Readonly<Record<string, (args: unknown, attemptOf: AttemptOf) => Promise<About>>> = {
  'attempt.start': async (args) => {
    const { agent, task } = args as StartArgs;
    return { what: `start ${agent} on ${nameOf(task)}`, next: `furrow why ${nameOf(task)}`, agent, tasks: [task] };
  },
  'attempt.end': ofAttempt('end'),
  'attempt.relaunch': ofAttempt('relaunch the process of'),
  'board.write': async (args) => {
    const { task } = args as BoardWriteArgs;
    return { what: `write the file of task ${nameOf(task)}`, next: `furrow show ${nameOf(task)}`, tasks: [task] };
  },
  'check.run': async (args) => {
    const { check, task, tree } = args as CheckArgs;
    return { what: `run the check ${check.name} on ${tree.slice(0, 8)}`, next: 'furrow doctor', tasks: task === null ? [] : [task] };
  },
  'landing.land': async (args) => {
    const { entries } = args as LandArgs;
    return {
      what: `land ${entries.map(({ task }) => nameOf(task)).join(', ')}`,
      next: 'furrow doctor',
      tasks: entries.map(({ task }) => task),
    };
  },
  'landing.publish': async () => ({ what: 'publish what has landed', next: 'furrow queue, git status' }),
  'landing.push': async (args) => ({ what: `push to ${(args as PushArgs).remote}`, next: `git ls-remote ${(args as PushArgs).remote}` }),
  'worktree.dispose': async (args) => {
    const { agent, path } = args as DisposeArgs;
    return { what: `put away ${path}`, next: 'furrow clean --dry-run', agent };
  },
};
