import { HUMAN } from '../../../agents/message/text.ts';
import { nextChange } from '../../../agents/supervision/derive.ts';
import type { Due, Intervention } from '../../../agents/supervision/intervention.ts';
import { HUMAN_MS, planInterventions } from '../../../agents/supervision/plan-interventions.ts';
import type { SeenProcess } from '../../../agents/supervision/process.ts';
import { isOver, type TurnEnd } from '../../../agents/supervision/record.ts';
import { QUICK_MS, type Watched } from '../../../agents/supervision/watched.ts';
import { toAwake } from '../../../platform/clock.ts';
import type { RelaunchArgs } from '../../acts/attempt-relaunch/arguments.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { HostRows, Observation } from '../../farm/host-side.ts';
import type { Host } from '../host.ts';
import { reconsider, type TurnContext } from './judge-turn.ts';
import type { RunningAttempt } from './running.ts';
import { leftByItself, watch } from './watch.ts';

interface Context extends TurnContext {
  /** Called for an attempt that could not be supervised; the others still are. */
  failed(error: unknown): void;
}

/** The part that is the leader's: it ends attempts, and starts processes again. */
interface Outcome {
  readonly goesOn: Set<number>;
  readonly relaunches: RelaunchArgs[];
}

/** A supervised attempt: as the daemon holds it, and as the decision about it sees it. */
interface Pair {
  readonly running: RunningAttempt;
  readonly watched: Watched;
}

/** Carries out what is due for running attempts. Answers which of them go on and must not be ended, and which must be started again. */
export async function intervene(
  at: Context,
  rows: HostRows,
  looked: readonly SeenProcess[],
): Promise<Pick<Observation, 'goesOn' | 'relaunches'>> {
  const { farm, failed } = at;
  const outcome: Outcome = { goesOn: new Set(), relaunches: [] };
  const pairs: Pair[] = [];
  for (const look of looked) {
    const pair = await consider(at, rows, look).catch(failed);
    if (pair) pairs.push(pair);
  }
  // All of them at once, for those of one provider go on one after the other.
  const due = planInterventions(
    pairs.map((pair) => pair.watched),
    farm.clock.awake(),
  );
  for (const [n, pair] of pairs.entries()) await seeTo(at, pair, due[n]!, outcome).catch(failed);
  return { goesOn: [...outcome.goesOn], relaunches: outcome.relaunches };
}

/** Undefined for an attempt that is not supervised, or whose end is the loop's business. */
async function consider(at: Context, rows: HostRows, look: SeenProcess): Promise<Pair | undefined> {
  const running = look.state === 'running' ? await at.running.find(look.id) : undefined;
  if (!running?.driver.speaks(running.settings) || leftByItself(at.farm, rows, look, running)) return undefined;
  if (isOver(running.record)) return undefined;
  const { turn } = running.record;
  if (turn?.do === 'wait' && look.alive && mayGoOn(at.farm, rows, running, turn)) await reconsider(at, running, turn.last);
  return { running, watched: await watch(at, rows, look, running) };
}

/** The reason to wait at the end of its turn has passed, as far as time and a key can tell. */
function mayGoOn(farm: Host, rows: HostRows, running: RunningAttempt, turn: Extract<TurnEnd, { do: 'wait' }>): boolean {
  if (turn.why === 'paused') return rows.agents.find((one) => one.name === running.agent)?.paused !== 1;
  if (turn.why !== 'human') return false;
  const now = farm.clock.awake();
  if (now < turn.at + HUMAN_MS) wakeAt(farm, turn.at + HUMAN_MS);
  return now >= turn.at + HUMAN_MS;
}

async function seeTo(at: Context, { running, watched }: Pair, { action, next }: Due, outcome: Outcome): Promise<void> {
  const { halted = false } = running.record.ended ?? {};
  if (halted) outcome.goesOn.add(running.attempt);
  if (action) await carryOut(at, { running, watched }, action, outcome);
  else if (halted) await relaunchIfAnswered(at, running, watched, outcome);
  else if (watched.state.state === 'working') await calm(at, running);
  const now = at.farm.clock.awake();
  // A title that stands for long enough counts without anything new being heard.
  for (const time of [next, nextChange(running.record.signals, now)]) if (time !== undefined && time > now) wakeAt(at.farm, time);
}

/** Relaunches an agent whose process ended with its failed turn: it takes no message before, and gets the person's answer then. */
async function relaunchIfAnswered(at: Context, running: RunningAttempt, watched: Watched, outcome: Outcome): Promise<void> {
  const { lastAt } = running.record.signals;
  const answers = (await at.messages.waiting(running)).filter(
    (one) => one.kind === 'reply' && one.sender === HUMAN && toAwake(at.farm.clock, one.at) > lastAt,
  );
  if (answers.length > 0) relaunch(outcome, watched, 'the model could not be reached; a person has dealt with it');
}

function relaunch(
  { relaunches }: Outcome,
  { attempt, launches }: Watched,
  why: string,
  how: 'resume' | 'fresh' = 'resume',
  leavesAccount = false,
): void {
  relaunches.push({ attempt, launch: launches + 1, how, why, ...(leavesAccount && { leavesAccount }) });
}

async function carryOut(at: Context, { running, watched }: Pair, action: Intervention, outcome: Outcome): Promise<unknown> {
  const now = at.farm.clock.awake();
  switch (action.do) {
    case 'look':
      return look(at, running);
    case 'nudge':
      await tellAgent(at.farm, running, action.text);
      return at.running.advance(running, { on: 'nudged', at: now });
    case 'continue':
      if (running.record.ended?.halted) relaunch(outcome, watched, 'the model could not be reached');
      else await tellAgent(at.farm, running, action.text);
      return at.running.advance(running, { on: 'continued', at: now });
    case 'ask':
      await askAbout(at.farm, running, action.reason);
      return at.running.advance(running, { on: 'asked', condition: action.condition, at: now });
    case 'relaunch':
      outcome.goesOn.add(running.attempt);
      if (action.notBefore > now || (await isSomebodyThere(at, running, watched))) return;
      return relaunch(outcome, watched, RELAUNCHED[action.why], action.how, action.why === 'account');
    case 'give-up':
      outcome.goesOn.delete(running.attempt);
      if (isGone(watched) || (await isSomebodyThere(at, running, watched))) return;
      return at.running.advance(running, { on: 'turn-judged', decision: { do: 'question', reason: action.reason }, last: '', at: now });
    default:
      return action satisfies never;
  }
}

const RELAUNCHED = {
  died: 'its process ended',
  closed: 'its conversation was closed',
  context: 'its context was full',
  account: 'its account met a limit, and another one is free',
};

const isGone = ({ state: { state } }: Watched) => state === 'dead' || state === 'stopped';

async function askAbout(farm: Host, { agent, task }: RunningAttempt, reason: string): Promise<void> {
  const question = { kind: 'agent' as const, subject: task, reason: `${agent}: ${reason}`, agent };
  await farm.report({ questions: [question] });
}

/** A person who types in the window of a living process is not interrupted. */
async function isSomebodyThere({ farm, running: attempts }: Context, running: RunningAttempt, watched: Watched): Promise<boolean> {
  if (isGone(watched)) return false;
  const typedAt = (await farm.terminals.look(running.agent))?.typedAt ?? null;
  if (typedAt === null || farm.clock.now() - typedAt >= HUMAN_MS) return false;
  await attempts.advance(running, { on: 'typed', at: toAwake(farm.clock, typedAt) });
  return true;
}

/** Nothing is wrong any more: the question about it is closed. */
async function calm({ farm, running: attempts }: Context, running: RunningAttempt): Promise<void> {
  const { interventions, signals } = running.record;
  if (signals.turns > 0 && signals.lastAt > (interventions.continuedAt ?? 0) + QUICK_MS)
    await attempts.advance(running, { on: 'recovered' });
  if (interventions.askedFor === null) return;
  await farm.report({ closed: [{ kind: 'agent', subject: running.task, answer: 'it works again' }] });
  await attempts.advance(running, { on: 'settled' });
}

async function tellAgent(farm: Host, running: RunningAttempt, text: string): Promise<void> {
  await farm.report({ notes: [{ to: running.agent, body: text }] });
  farm.wake();
}

/** One look at the window, as the driver reads it. */
async function look({ farm, running: attempts }: Context, running: RunningAttempt): Promise<void> {
  const seen = await farm.terminals.look(running.agent);
  const { driver } = running;
  await attempts.advance(running, {
    on: 'looked',
    ...(seen && driver.title && { title: { reading: driver.title(seen.title) } }),
    ...(seen && driver.screen && { screen: driver.screen(seen.text) }),
    at: farm.clock.awake(),
  });
}
