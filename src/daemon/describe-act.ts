import { splitRef } from '../work/task/id.ts';
import type { ActKind, ArgsOf } from './acts/table.ts';
import type { Doing } from './farm/failing.ts';

type About = Omit<Doing, 'key'>;

const nameOf = (ref: string) => splitRef(ref).id;

/** An attempt as the store knows it, for acts that only have its number. */
export type AttemptOf = (id: number) => Promise<{ agent: string; task: string } | undefined>;

/** An act in words: what it is about to do, for whom, and which command shows more. */
export async function describeAct<K extends ActKind>(kind: K, key: string, args: ArgsOf<K>, attemptOf: AttemptOf): Promise<Doing> {
  return { key, ...(await ABOUT[kind](args, attemptOf)) };
}

const ofAttempt =
  (verb: string) =>
  async ({ attempt }: { readonly attempt: number }, attemptOf: AttemptOf): Promise<About> => {
    const row = await attemptOf(attempt);
    if (!row) return { what: `${verb} attempt ${attempt}`, next: 'furrow status' };
    return {
      what: `${verb} the attempt of ${row.agent} on ${nameOf(row.task)}`,
      next: `furrow why ${row.agent}`,
      agent: row.agent,
      tasks: [row.task],
    };
  };

const ABOUT: { readonly [K in ActKind]: (args: ArgsOf<K>, attemptOf: AttemptOf) => Promise<About> } = {
  'attempt.start': async ({ agent, task }) => ({
    what: `start ${agent} on ${nameOf(task)}`,
    next: `furrow why ${nameOf(task)}`,
    agent,
    tasks: [task],
  }),
  'attempt.end': ofAttempt('end'),
  'attempt.relaunch': ofAttempt('relaunch the process of'),
  'board.write': async ({ task }) => ({
    what: `write the file of task ${nameOf(task)}`,
    next: `furrow show ${nameOf(task)}`,
    tasks: [task],
  }),
  'check.run': async ({ check, task, tree }) => ({
    what: `run the check ${check.name} on ${tree.slice(0, 8)}`,
    next: 'furrow doctor',
    tasks: task === null ? [] : [task],
  }),
  'landing.land': async ({ entries }) => ({
    what: `land ${entries.map(({ task }) => nameOf(task)).join(', ')}`,
    next: 'furrow doctor',
    tasks: entries.map(({ task }) => task),
  }),
  'landing.publish': async () => ({ what: 'publish what has landed', next: 'furrow queue, git status' }),
  'landing.push': async ({ remote }) => ({ what: `push to ${remote}`, next: `git ls-remote ${remote}` }),
  'notice.post': async ({ title }) => ({ what: `post to the webhook: ${title}`, next: 'furrow config' }),
  'notice.tell': async ({ channel, title }) => ({ what: `tell you by ${channel}: ${title}`, next: 'furrow config' }),
  'race.judge': async ({ task }) => ({
    what: `let the judge choose for ${nameOf(task)}`,
    next: `furrow race ${nameOf(task)}`,
    tasks: [task],
  }),
  'worktree.dispose': async ({ agent, path }) => ({ what: `put away ${path}`, next: 'furrow clean --dry-run', agent }),
};
