import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { send } from '../../message/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../question/store.ts';
import { type CareAction, type CaredAgent, HUMAN_MS, nextCare, planCare } from '../../supervision/due.ts';
import { foldHuman, foldScreen, foldTitle } from '../../supervision/signals.ts';
import type { Looked } from '../look-at-attempts.ts';
import { caredAgent, leftByItself, QUICK_MS } from './cared-agent.ts';
import type { Ears, Live } from './ears.ts';
import type { Care, Turn } from './heard.ts';
import type { Post } from './post.ts';
import { reconsider } from './turn-end.ts';

/** The tools of supervision. `failed` is told of an attempt that could not be supervised. */
interface Hands {
  readonly ears: Ears;
  readonly post: Post;
  readonly perform: Performer;
  failed(error: unknown): void;
}

/** Sees to running attempts: what `planCare` decides is done here. Answers which of them are not to be ended, for they go on. */
export async function careFor(farm: Farm, hands: Hands, rows: FarmRows, looked: readonly Looked[]): Promise<Set<number>> {
  const { ears, post, perform, failed } = hands;
  const now = farm.clock.awake();
  const goesOn = new Set<number>();
  // Once for all of them, not once for each of twenty.
  const open = looked.length === 0 ? [] : await openQuestions(farm.db);
  const cared: { agent: CaredAgent; live: Live; stuckMs: number }[] = [];
  const consider = async (look: Looked): Promise<void> => {
    const live = look.state === 'running' ? await ears.live(look.id) : undefined;
    if (!live?.driver.speaks(live.settings) || leftByItself(farm, rows, look, live)) return;
    // Its turn is over and judged: its end is the loop's business.
    if (isOver(live)) return;
    const { turn } = live.heard;
    if (turn?.do === 'wait' && look.alive && mayGoOn(farm, rows, live, turn, now)) await reconsider(farm, live, turn.last, post, ears);
    const { stuckMs } = live.own;
    cared.push({ agent: await caredAgent(farm, ears, rows, look, live, open, now), live, stuckMs });
  };
  for (const look of looked) await consider(look).catch(failed);
  const seeTo = async ({ agent, live, stuckMs }: (typeof cared)[number]): Promise<void> => {
    // All of them are given, for those of one provider go on one after the other.
    const all = cared.map((one) => one.agent);
    const [action] = planCare(all, now, stuckMs).filter((one) => one.attempt === agent.attempt);
    if (live.heard.care.halted) goesOn.add(live.attempt);
    if (action) await carryOut(farm, ears, perform, live, agent, action, now, goesOn);
    else if (live.heard.care.halted) await answered(farm, perform, post, live, agent);
    else await calm(farm, ears, live, agent);
    const next = nextCare([agent], now, stuckMs);
    if (next !== undefined && next > now) wakeAt(farm, next);
  };
  for (const one of cared) await seeTo(one).catch(failed);
  return goesOn;
}

/** True when the reason to wait at the end of its turn has passed, as far as time and a key can tell. */
function mayGoOn(farm: Farm, rows: FarmRows, live: Live, turn: Extract<Turn, { do: 'wait' }>, now: number): boolean {
  if (turn.why === 'paused') return rows.agents.find((one) => one.name === live.agent)?.paused !== 1;
  if (turn.why !== 'human') return false;
  if (now < turn.at + HUMAN_MS) wakeAt(farm, turn.at + HUMAN_MS);
  return now >= turn.at + HUMAN_MS;
}

/** The attempt's process may live on, but nothing more is expected of it. */
export const isOver = ({ heard: { turn } }: Pick<Live, 'heard'>) => turn !== null && turn.do !== 'go-on' && turn.do !== 'wait';

/** Relaunches an agent whose process ended with its failed turn: it takes no message before, and gets the person's answer then. */
async function answered(farm: Farm, perform: Performer, post: Post, live: Live, agent: CaredAgent): Promise<void> {
  const answers = (await post.waiting(live)).filter((one) => one.kind === 'reply' && toAwake(farm.clock, one.at) > agent.lastSignal);
  if (answers.length > 0) again(perform, live, agent, 'the model could not be reached; a person has dealt with it');
}

function again(perform: Performer, live: Live, agent: CaredAgent, why: string, how: 'resume' | 'fresh' = 'resume'): void {
  void perform.start('attempt.relaunch', { attempt: live.attempt, launch: agent.launches + 1, how, why });
}

async function carryOut(
  farm: Farm,
  ears: Ears,
  perform: Performer,
  live: Live,
  agent: CaredAgent,
  action: CareAction,
  now: number,
  goesOn: Set<number>,
): Promise<void> {
  const note = (change: Partial<Care>) => ears.note(live, { care: { ...live.heard.care, ...change } });
  switch (action.do) {
    case 'look':
      return look(farm, ears, live, agent, now);
    case 'nudge':
      await tellAgent(farm, live, action.text);
      return note({ nudges: agent.nudges + 1, nudgedAt: now });
    case 'continue':
      if (live.heard.care.halted) again(perform, live, agent, 'the model could not be reached');
      else await tellAgent(farm, live, action.text);
      return note({ continues: agent.continues + 1, continuedAt: now });
    case 'ask': {
      const reason = `${live.agent}: ${action.reason}`;
      await farm.db
        .transaction()
        .execute((tx) => raiseQuestion(tx, { kind: 'agent', subject: live.task, reason, agent: live.agent }, farm.clock.now()));
      return note({ askedFor: action.condition, askedAt: now });
    }
    case 'relaunch': {
      goesOn.add(live.attempt);
      if (action.notBefore > now || (await isSomebodyThere(farm, ears, live, agent))) return;
      const why = { died: 'its process ended', closed: 'its conversation was closed', context: 'its context was full' }[action.why];
      return again(perform, live, agent, why, action.how);
    }
    case 'give-up':
      goesOn.delete(live.attempt);
      if (agent.derived.state === 'dead' || agent.derived.state === 'stopped') return;
      if (await isSomebodyThere(farm, ears, live, agent)) return;
      return ears.note(live, { turn: { do: 'question', reason: action.reason, at: now, last: '' } });
    default:
      return action satisfies never;
  }
}

/** A person at the window of a living process is not cut off: they are given their time. */
async function isSomebodyThere(farm: Farm, ears: Ears, live: Live, agent: CaredAgent): Promise<boolean> {
  if (agent.derived.state === 'dead' || agent.derived.state === 'stopped') return false;
  const typedAt = (await farm.terminals.look(live.agent))?.typedAt ?? null;
  if (typedAt === null || farm.clock.now() - typedAt >= HUMAN_MS) return false;
  await ears.note(live, { signals: foldHuman(live.heard.signals, toAwake(farm.clock, typedAt)) });
  return true;
}

/** Nothing is wrong any more: what was asked about it is settled. */
async function calm(farm: Farm, ears: Ears, live: Live, agent: CaredAgent): Promise<void> {
  const { care } = live.heard;
  if (agent.derived.state !== 'working') return;
  if (care.continues > 0 && live.heard.signals.turns > 0 && agent.lastSignal > (care.continuedAt ?? 0) + QUICK_MS)
    await ears.note(live, { care: { ...care, continues: 0, continuedAt: null } });
  if (care.askedFor === null) return;
  await farm.db.transaction().execute((tx) => closeQuestions(tx, 'agent', live.task, 'it works again', farm.clock.now()));
  await ears.note(live, { care: { ...live.heard.care, askedFor: null, askedAt: null } });
}

async function tellAgent(farm: Farm, live: Live, text: string): Promise<void> {
  const now = farm.clock.now();
  await farm.db.transaction().execute((tx) => send(tx, { sender: 'furrow', receiver: live.agent, kind: 'notify', body: text }, now));
  farm.wake();
}

/** One look at the screen, by the driver's own eyes; it only ever adds to what was heard. */
async function look(farm: Farm, ears: Ears, live: Live, agent: CaredAgent, now: number): Promise<void> {
  const seen = await farm.terminals.look(live.agent);
  const care = { ...live.heard.care, looks: agent.looks + 1, lookedAt: now };
  if (!seen) return ears.note(live, { care });
  const { driver, heard } = live;
  const titled = driver.title ? foldTitle(heard.signals, driver.title(seen.title), now) : heard.signals;
  await ears.note(live, { care, signals: driver.screen ? foldScreen(titled, driver.screen(seen.text), now) : titled });
}
