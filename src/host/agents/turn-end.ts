import { overBudget } from '../../agent/budget.ts';
import { type Decision, PASS } from '../../agent/event.ts';
import { findAgent } from '../../agent/store.ts';
import { missing } from '../../attempt/evidence.ts';
import { readSaid } from '../../attempt/said.ts';
import { allowance, spent } from '../../farm/cost.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import { isProtected } from '../../farm/protect.ts';
import { append } from '../../journal/event.ts';
import { headRef } from '../../merge/land.ts';
import { mark } from '../../message/state.ts';
import { send } from '../../message/store.ts';
import { resolve } from '../../platform/git/refs.ts';
import { openQuestions } from '../../question/store.ts';
import { HUMAN_MS } from '../../supervision/due.ts';
import { fold } from '../../supervision/signals.ts';
import { atTurnEnd, type TurnDecision, type TurnFacts } from '../../supervision/turn-end.ts';
import { reworkOf } from '../../task/rework.ts';
import { readTask } from '../../task/store.ts';
import { harvest } from '../../worktree/harvest.ts';
import type { Ears, Live } from './ears.ts';
import type { Post } from './post.ts';

/** The turn is over: the evidence is looked at, and the agent goes on, waits, or is done. */
export async function endTurn(farm: Farm, live: Live, last: string, post: Post, ears: Ears): Promise<Decision> {
  // A daemon that comes back reads the end of a turn once more; it was judged then.
  if (live.heard.turn && live.heard.turn.do !== 'go-on') return PASS;
  const decision = await judgeTurn(farm, live, last, post, ears);
  if (decision.do !== 'go-on') return PASS;
  const told = decision.why === 'message' ? await post.take(live) : decision.text;
  if (told === undefined) return PASS;
  // Another turn begins with this answer, and no agent tells of that.
  await ears.note(live, { signals: fold(live.heard.signals, { on: 'prompt', text: told }, 'hook', farm.clock.awake()) });
  return { do: 'go-on', text: told };
}

/** A turn that ended while nobody listened, judged when it is found out. */
export async function lateEnd(farm: Farm, live: Live, last: string, post: Post, ears: Ears): Promise<Decision> {
  if (live.heard.turn && live.heard.turn.do !== 'go-on') return PASS;
  // Its hook would have said the same, had anybody heard it.
  await ears.note(live, { signals: fold(live.heard.signals, { on: 'turn-ended', last }, 'hook', farm.clock.awake()) });
  await reconsider(farm, live, last, post, ears);
  return PASS;
}

/** Decides the end of a turn again after the reason to wait has passed or was missed. The text for the agent goes by message, because no hook waits for it. */
export async function reconsider(farm: Farm, live: Live, last: string, post: Post, ears: Ears): Promise<void> {
  const decision = await judgeTurn(farm, live, last, post, ears);
  if (decision.do !== 'go-on') return;
  // No answer to a hook carries it: until the message has reached it, the agent waits.
  await ears.note(live, { turn: { do: 'wait', why: 'ask', at: farm.clock.awake(), last } });
  if (decision.why !== 'reminder') return;
  const message = { sender: 'furrow', receiver: live.agent, kind: 'notify', body: decision.text } as const;
  await farm.db.transaction().execute((tx) => send(tx, message, farm.clock.now()));
}

async function judgeTurn(farm: Farm, live: Live, last: string, post: Post, ears: Ears): Promise<TurnDecision> {
  const facts = await turnFacts(farm, live, last, post);
  const decision = atTurnEnd(facts);
  const { care } = live.heard;
  const reminded = decision.do === 'go-on' && decision.why === 'reminder';
  await ears.note(live, {
    turn: { ...decision, at: farm.clock.awake(), last },
    care: reminded ? { ...care, reminders: care.reminders + 1 } : care,
  });
  const text = said(live.agent, decision, facts);
  if (text) await tell(farm, live, text);
  return decision;
}

/** All that the end of a turn is judged by. */
async function turnFacts(farm: Farm, live: Live, last: string, post: Post): Promise<TurnFacts> {
  const row = await farm.db.selectFrom('attempt').selectAll().where('id', '=', live.attempt).executeTakeFirstOrThrow();
  const agent = await findAgent(farm.db, live.agent);
  const said = readSaid(row.said);
  const { usd, task } = await spent(farm, live.task);
  const over = overBudget(farm.config.budget, { run: usd, task }, await allowance(farm, live.task));
  const asks = await openQuestions(farm.db, { kinds: ['ask'], agent: live.agent });
  return {
    missing: (await lacking(farm, live, row)) ?? null,
    said: said ? ('blocked' in said || 'givenUp' in said ? 'blocked' : 'unchanged' in said ? 'unchanged' : 'done') : null,
    reminders: live.heard.care.reminders,
    messages: (await post.waiting(live)).map((one) => ({ mark: mark(one.id), text: one.body })),
    openAsks: asks.length,
    paused: agent?.paused === 1,
    overBudget: over?.reason ?? null,
    humanTyping: await isTyping(farm, live),
    last,
  };
}

/** Somebody has just written half of a prompt there: ending the agent now would take it from under their hands. */
async function isTyping(farm: Farm, live: Live): Promise<boolean> {
  const seen = live.settings.mode === 'window' ? await farm.terminals.look(live.agent) : undefined;
  if (!seen || seen.typedAt === null || farm.clock.now() - seen.typedAt >= HUMAN_MS) return false;
  return (live.driver.screen?.(seen.text).draft ?? '') !== '';
}

/** The part of the evidence that is missing now. Files that furrow commits itself do not count as uncommitted. */
export async function lacking(
  farm: Farm,
  live: Live,
  row: { branch: string; base: string; target: string | null },
): Promise<string | undefined> {
  const task = await readTask(farm.db, live.task);
  const from = reworkOf(task)?.from ?? null;
  const target = (await resolve(farm.repo, headRef(targetOf(row, farm)))) ?? row.base;
  const left = await harvest(farm.repo, live.worktree, { branch: row.branch, base: from ?? row.base, target });
  const commits = live.own.commit ?? live.driver.commits;
  const mine = commits === 'auto' ? [...new Set([...left.changed, ...left.uncommitted])] : left.changed;
  const protectedPaths = mine.filter((path) => isProtected(farm, path));
  if (left.dirty && commits === 'auto' && !left.detached && !left.operation)
    return missing({ ...left, dirty: false, commits: 1, changed: ['.'], protectedPaths });
  return missing({ ...left, protectedPaths });
}

function said(agent: string, decision: TurnDecision, facts: TurnFacts): string | undefined {
  if (decision.do === 'go-on') return decision.why === 'reminder' ? `${agent} is told what is missing: ${facts.missing}` : undefined;
  if (decision.do === 'wait') return `${agent} ended its turn and waits (${decision.why})`;
  return undefined;
}

async function tell(farm: Farm, live: Live, text: string): Promise<void> {
  const now = farm.clock.now();
  await farm.db
    .transaction()
    .execute((tx) => append(tx, { kind: 'agent.turn', agent: live.agent, task: live.task, attempt: live.n, text }, now));
}
