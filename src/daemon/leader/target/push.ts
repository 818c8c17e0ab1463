import { type Db, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { publishedCommits } from '../../../queue/landing/read.ts';
import type { Pushed } from '../../../repo/merge/push.ts';
import { type PushState, passes, planPush, pushAgain } from '../../../repo/merge/push-failure.ts';
import { closeQuestion, openQuestions } from '../../../work/question/store.ts';
import { PUSH } from '../../acts/keys.ts';
import type { PushArgs } from '../../acts/push/arguments.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { TargetState } from '../state.ts';

/** Pushes published landings to the remote, if one is configured. The user pushes their own commits on top. */
export async function pushPublished(farm: Farm, state: TargetState, perform: Performer, now: number): Promise<void> {
  const { remote } = farm.config.queue;
  const { target } = state.queue;
  state.unpushed = null;
  await forgetOthers(farm, target, remote);
  if (remote === null) return;
  const newest = await newestLanding(farm, state);
  if (newest === undefined) return;
  const last = await lastPush(farm.db, target, remote);
  if (newest !== last?.commit) state.unpushed = { remote, commit: newest };
  const busy = perform.busy(PUSH);
  const seen = `${state.targetAt} ${farm.git.remoteStamp(remote, target)}`;
  const moved = seen !== state.pushSeen;
  const plan = planPush({ target: newest, pushed: last?.commit ?? null, failed: state.pushFailed, busy, moved }, now);
  if (plan.wakeAt !== undefined) wakeAt(farm, plan.wakeAt);
  if (plan.push === undefined) return;
  state.pushSeen = seen;
  void perform.start('landing.push', { remote, commit: plan.push, expected: last?.at ?? null, target });
}

/** Closes questions about a remote that is no longer pushed to. */
async function forgetOthers({ db, clock }: Farm, target: string, remote: string | null): Promise<void> {
  const place = remote === null ? undefined : placeOf(remote, target);
  const others = (await openQuestions(db, { kinds: ['push'] })).filter(
    ({ subject }) => subject !== place && subject.endsWith(`/${target}`),
  );
  if (others.length === 0) return;
  await db.transaction().execute(async (tx) => {
    for (const one of others) await closeQuestion(tx, one, 'nothing is pushed there any more', clock.now());
  });
}

/** The name of the remote's branch. */
export const placeOf = (remote: string, target: string) => `${remote}/${target}`;

const LOOK_BACK = 20;

/**
 * The newest landing that the target has. Unpublished landings may still be queued again on top of a commit of the user's, and landings
 * that the user took out must not appear at the remote.
 */
export async function newestLanding({ db, git }: Pick<Farm, 'db' | 'git'>, state: LandedState): Promise<string | undefined> {
  const { target } = state.queue;
  const commits = await publishedCommits(db, target, LOOK_BACK);
  const key = `${target} ${state.targetAt} ${commits[0]}`;
  if (state.newest?.key !== key) state.newest = { key, commit: await firstWithin(git, commits, state.targetAt) };
  return state.newest.commit;
}

type LandedState = Pick<TargetState, 'targetAt' | 'newest'> & { readonly queue: Pick<TargetState['queue'], 'target'> };

/** The first of these commits that a branch at `at` has; none when nothing is known of the branch. */
async function firstWithin(git: Farm['git'], commits: readonly string[], at: string): Promise<string | undefined> {
  for (const one of at ? commits : []) if (await git.isAncestor(one, at)) return one;
  return undefined;
}

/** An unreachable remote is tried again automatically; after the second failure people are told. */
export async function tellPush(farm: Farm, { remote, commit }: PushArgs, result: Pushed, times: number): Promise<void> {
  const key = `push:${remote}`;
  if (result.pushed) return farm.failing.worked(key);
  // A failure that does not pass by itself has a question of its own.
  if (!passes(result.kind)) return farm.failing.dropped(key);
  const doing = { key, what: `push ${commit.slice(0, 8)} to ${remote}`, next: result.hint };
  await farm.failing.failed(doing, new Error(result.reason), pushAgain(times));
}

/** The failure of the last push, for the pause before the next. */
export function afterPush(before: PushState['failed'], args: PushArgs, result: Pushed, now: number): PushState['failed'] {
  return result.pushed ? undefined : { commit: args.commit, kind: result.kind, times: (before?.times ?? 0) + 1, at: now };
}

/** The last push, and the remote's branch after it, which is there or ahead. */
interface LastPush {
  readonly commit: string;
  readonly at: string;
}

const keyOf = (target: string, remote: string) => `push.at:${remote}:${target}`;

export async function lastPush(db: Db, target: string, remote: string): Promise<LastPush | undefined> {
  const stored = await readMeta(db, keyOf(target, remote));
  return stored === undefined ? undefined : (JSON.parse(stored) as LastPush);
}

export const noteLastPush = (tx: Tx, target: string, remote: string, last: LastPush) =>
  writeMeta(tx, keyOf(target, remote), JSON.stringify(last));
