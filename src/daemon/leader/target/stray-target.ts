import { append } from '../../../journal/event.ts';
import { readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { headRef, seenRef } from '../../../repo/merge/target-refs.ts';
import { type Question, raiseQuestion } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { TargetState } from '../state.ts';
import { type AgentsMove, agentsMove } from './moved-by.ts';

export const TARGET_MOVED = 'TARGET_MOVED';

const keptKey = (target: string) => `target.kept.${target}`;

/**
 * Refuses to follow a target that an agent moved, as far as can be known: nothing is built on it until a person says keep, or moves it
 * back. The result holds while neither the ref nor the person's answer changes, so a look needs no git.
 */
export async function assertPersons(farm: Farm, state: TargetState, seen: string): Promise<void> {
  const { target } = state.queue;
  const kept = await readMeta(farm.db, keptKey(target));
  if (state.strayed?.seen === seen && state.strayed.kept === kept) throw state.strayed.error;
  state.strayed = undefined;
  const refs = [`refs/heads/${target}`, headRef(target), seenRef(target)];
  const [to, head, before] = await Promise.all(refs.map((ref) => farm.git.resolve(ref)));
  if (!to || !head || to === head || to === before || to === kept) return;
  const move = await agentsMove(farm, target, { to, known: [head, ...(before ? [before] : [])] });
  if (!move) return;
  await tell(farm, target, move, head);
  const error = new FurrowError(TARGET_MOVED, `${target} was moved by an agent`, { hint: 'furrow status' });
  state.strayed = { seen, kept, error };
  throw error;
}

async function tell(farm: Farm, target: string, { to, agent, commit, subject }: AgentsMove, head: string): Promise<void> {
  const who = agent === null ? 'an agent' : `agent ${agent}`;
  const what = `${target} was moved to ${to.slice(0, 8)}, past the queue, with work of ${who} (${commit.slice(0, 8)} ${subject}); no checkout of yours did that`;
  const next = `Nothing is built on it. furrow answer ID keep follows it; git update-ref refs/heads/${target} ${head.slice(0, 12)} moves it back`;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const data = JSON.stringify({ to, head });
    const isNew = await raiseQuestion(tx, { kind: 'target-moved', subject: target, reason: `${what}. ${next}`, data }, now);
    if (isNew) await append(tx, { kind: 'target.moved', agent, text: what, data: { from: head, to, commit } }, now);
  });
}

/** A person's answer: the target is followed as the agent left it. */
export async function keepTarget(tx: Tx, { subject, data }: Question, text: string): Promise<void> {
  if (!/^\s*(keep|y|yes|ok)\b/i.test(text)) {
    const hint = `say keep, or move it back: git reflog ${subject}`;
    throw new FurrowError('USAGE', `${subject} stays where it is only if you answer keep`, { hint });
  }
  await writeMeta(tx, keptKey(subject), (JSON.parse(data ?? '{}') as { to: string }).to);
}
