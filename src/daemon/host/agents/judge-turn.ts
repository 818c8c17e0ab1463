import { type Decision, PASS } from '../../../agents/agent/event.ts';
import { stamp } from '../../../agents/message/state.ts';
import { HUMAN_MS } from '../../../agents/supervision/plan-interventions.ts';
import { atTurnEnd, type TurnDecision, type TurnFacts, withinTurn } from '../../../agents/supervision/turn-end.ts';
import { resolve } from '../../../platform/git/refs.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { harvest } from '../../../repo/worktree/harvest.ts';
import { readSaid } from '../../../work/attempt/end-report.ts';
import { missing, NO_ANSWER, resultIn } from '../../../work/attempt/evidence.ts';
import type { OwedAnswer, TurnGrounds } from '../../farm/leader-answers.ts';
import { protectedPaths } from '../../farm/protect.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Host } from '../host.ts';
import type { AgentMessages } from './messages.ts';
import { type RunningAttempt, type RunningAttempts, whose } from './running.ts';

/** Everything that the end of a turn is judged with. */
export interface TurnContext {
  readonly farm: Host;
  readonly running: RunningAttempts;
  readonly messages: AgentMessages;
}

/** The turn is over: the evidence is looked at, and the agent goes on, waits, or is done. */
export async function endTurn(at: TurnContext, running: RunningAttempt, last: string): Promise<Decision> {
  // A daemon that comes back reads the end of a turn again, which was judged already.
  if (wasJudged(running)) return PASS;
  const decision = await judgeTurn(at, running, last);
  if (decision.do !== 'go-on') return PASS;
  const told = decision.why === 'message' ? await at.messages.take(running) : decision.text;
  if (told === undefined) return PASS;
  await at.running.advance(running, { on: 'told', text: told, at: at.farm.clock.awake() });
  return { do: 'go-on', text: told };
}

const wasJudged = ({ record: { turn } }: RunningAttempt) => turn !== null && turn.do !== 'go-on';

/** Judges a turn that ended while nobody listened, when that is found out. */
export async function endTurnLate(at: TurnContext, running: RunningAttempt, last: string): Promise<Decision> {
  if (wasJudged(running)) return PASS;
  // The hook that nobody heard would have said the same.
  const event = { on: 'turn-ended', last } as const;
  const ends = running.driver.ends(running.settings);
  await at.running.advance(running, { on: 'said', event, source: 'hook', ends, at: at.farm.clock.awake() });
  await reconsider(at, running, last);
  return PASS;
}

/** Decides the end of a turn again after the reason to wait has passed or was missed. The text for the agent goes by message, because no hook waits for it. */
export async function reconsider(at: TurnContext, running: RunningAttempt, last: string): Promise<void> {
  const { farm, running: attempts } = at;
  const decision = await judgeTurn(at, running, last);
  if (decision.do !== 'go-on') return;
  // No answer to a hook carries it: until the message has reached it, the agent waits.
  await attempts.advance(running, { on: 'turn-judged', decision: { do: 'wait', why: 'ask' }, last, at: farm.clock.awake() });
  if (decision.why === 'message') return;
  await farm.report({ notes: [{ to: running.agent, body: decision.text }] });
}

async function judgeTurn({ farm, running: attempts, messages }: TurnContext, running: RunningAttempt, last: string): Promise<TurnDecision> {
  const owed = await farm.leader.turns.owed(whose(running));
  const facts = await turnFacts(farm, running, { last, owed: owed.map((one) => one.text), messages });
  const decision = atTurnEnd(facts);
  if (decision.do === 'go-on' && decision.why === 'owed') {
    const ids = (kind: OwedAnswer['kind']) => owed.flatMap((one) => (one.kind === kind ? [one.id] : []));
    await farm.report({ reminded: { asks: ids('ask'), jobs: ids('job') } });
  }
  await attempts.advance(running, { on: 'turn-judged', decision, last, at: farm.clock.awake() });
  const text = said(running.agent, decision, facts);
  if (text) await tell(farm, running, text);
  return decision;
}

/** The reports of a turn that were over the budget, by the attempt and its turn. */
const overReports = new WeakMap<RunningAttempt, { readonly turn: number; readonly count: number }>();

/** The agent has said what it used so far: a turn that runs over the budget is ended, and its attempt with it. */
export async function checkBudget({ farm, running: attempts }: TurnContext, running: RunningAttempt): Promise<void> {
  const { turnOpen, turns } = running.record.signals;
  const overBudget = turnOpen && !wasJudged(running) ? await farm.leader.turns.overspent(running.task) : null;
  if (overBudget === null) return;
  const grounds = await farm.leader.turns.facts(whose(running));
  const last = overReports.get(running);
  const before = last?.turn === turns ? last.count : 0;
  overReports.set(running, { turn: turns, count: before + 1 });
  const decision = withinTurn({ overBudget, said: wordOf(grounds), missing: (await lacking(farm, running, grounds)) ?? null }, before);
  // Judged meanwhile: its turn has ended.
  if (!decision || wasJudged(running)) return;
  await attempts.advance(running, { on: 'turn-judged', decision, last: '', at: farm.clock.awake() });
  await tell(farm, running, `${running.agent} is stopped in its turn: ${overBudget}`);
}

/** The kind of word by which an attempt said that it is over. */
function wordOf({ said }: { readonly said: string | null }): TurnFacts['said'] {
  const word = readSaid(said);
  return word ? ('blocked' in word || 'givenUp' in word ? 'blocked' : 'unchanged' in word ? 'unchanged' : 'done') : null;
}

/** All that the end of a turn is judged by. */
async function turnFacts(
  farm: Host,
  running: RunningAttempt,
  { last, owed, messages }: Pick<TurnFacts, 'last' | 'owed'> & { readonly messages: AgentMessages },
): Promise<TurnFacts> {
  const grounds = await farm.leader.turns.facts(whose(running));
  return {
    missing: (await lacking(farm, running, grounds)) ?? null,
    said: wordOf(grounds),
    reminders: running.record.interventions.reminders,
    messages: (await messages.waiting(running)).map((one) => ({ stamp: stamp(one.id), text: one.body })),
    openAsks: grounds.openAsks,
    awaited: grounds.awaited,
    owed,
    paused: grounds.paused,
    overBudget: await farm.leader.turns.overspent(running.task),
    humanTyping: await isTyping(farm, running),
    last,
  };
}

/** A person has typed half of a prompt there, which would be lost if the agent ended now. */
async function isTyping(farm: Host, running: RunningAttempt): Promise<boolean> {
  const seen = running.settings.mode === 'window' ? await farm.terminals.look(running.agent) : undefined;
  if (!seen || seen.typedAt === null || farm.clock.now() - seen.typedAt >= HUMAN_MS) return false;
  return (running.driver.screen?.(seen.text).draft ?? '') !== '';
}

/** The part of the evidence that is missing now. Files that furrow commits itself do not count as uncommitted. */
async function lacking(farm: Host, running: RunningAttempt, { answers, from, ...row }: TurnGrounds): Promise<string | undefined> {
  if (answers) return resultIn(readSaid(row.said)) === undefined ? NO_ANSWER : undefined;
  const target = (await resolve(farm.repo, headRef(targetOf(row, farm)))) ?? row.base;
  await farm.ownGits.look(running.agent);
  const left = await harvest(farm.repo, running.worktree, { branch: row.branch, base: from ?? row.base, target });
  const commits = running.own.commit ?? running.driver.commits;
  const mine = commits === 'auto' ? [...new Set([...left.changed, ...left.uncommitted])] : left.changed;
  const found = protectedPaths(farm, mine);
  if (left.dirty && commits === 'auto' && !left.detached && !left.operation)
    return missing({ ...left, dirty: false, commits: 1, changed: ['.'], protectedPaths: found });
  return missing({ ...left, protectedPaths: found });
}

function said(agent: string, decision: TurnDecision, facts: TurnFacts): string | undefined {
  if (decision.do === 'go-on') {
    if (decision.why === 'owed') return `${agent} is reminded that others wait for it: ${facts.owed.join('; ')}`;
    return decision.why === 'reminder' ? `${agent} is told what is missing: ${facts.missing}` : undefined;
  }
  if (decision.do === 'wait') return `${agent} ended its turn and waits (${decision.why})`;
  return undefined;
}

async function tell(farm: Host, running: RunningAttempt, text: string): Promise<void> {
  await farm.report({ events: [{ kind: 'agent.turn', agent: running.agent, task: running.task, attempt: running.n, text }] });
}
