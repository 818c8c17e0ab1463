import type { Receiver } from '../../../agents/message/plan.ts';
import type { Way } from '../../../agents/message/state.ts';
import { FURROW, HUMAN } from '../../../agents/message/text.ts';
import { isOver } from '../../../agents/supervision/record.ts';
import { toWall } from '../../../platform/clock.ts';
import { stateOf } from '../../farm/agent-list.ts';
import type { AgentRows } from '../../farm/snapshot.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** The first message that waits: what a turn that failed would take depends on it. */
export type First = { readonly sender: string; readonly kind: string };

/** The known facts about an agent that has messages waiting. Its screen is looked at only when keys are the way and it is quiet. */
export async function receiverOf(
  farm: Host,
  attempts: RunningAttempts,
  rows: AgentRows,
  name: string,
  first: First,
): Promise<Omit<Receiver, 'busy'> & { running: RunningAttempt | undefined }> {
  const agent = rows.agents.find((one) => one.name === name);
  const row = rows.attempts.find((one) => one.id === agent?.attempt && one.state === 'running');
  const running = row && (await attempts.find(row.id));
  const away = { agent: name, attempt: null, gone: agent === undefined, ways: [], state: 'unknown', sure: false, draft: undefined };
  if (!row || !running || isOver(running.record)) return { ...away, typedAt: null, running: undefined };
  const ways = waysTo(running);
  // It fetches its messages itself, so that its process need not be looked at for each of them.
  if (ways.includes('inbox')) return { ...away, attempt: row.id, ways, typedAt: null, running };
  const now = farm.clock.now();
  const derived = stateOf(rows, row, farm.clock.awake())!;
  const quiet = isQuiet(running, derived, first, now);
  const seen = quiet && ways.includes('keys') ? await farm.terminals.look(name) : undefined;
  return {
    agent: name,
    attempt: row.id,
    gone: false,
    ways,
    state: quiet ? 'idle' : derived.state,
    sure: derived.sure,
    draft: seen && running.driver.screen?.(seen.text).draft,
    typedAt: seen?.typedAt ?? null,
    heardAt: toWall(farm.clock, running.record.signals.lastAt),
    running,
  };
}

function waysTo({ driver, connection, settings }: RunningAttempt): Way[] {
  if (!driver.speaks(settings)) return ['inbox'];
  if (connection?.deliver) return ['channel'];
  if (!driver.hooks) return [];
  return driver.screen && settings.mode === 'window' ? ['hook', 'keys'] : ['hook'];
}

/**
 * True when it would take a prompt now. One whose turn failed takes only what was said because of that: to go on, when
 * the limit has passed, or a person's answer.
 */
function isQuiet(
  running: RunningAttempt,
  derived: { state: string; detail: string | null; until: number | null },
  first: First,
  now: number,
): boolean {
  const { signals, turn } = running.record;
  if (signals.turnOpen || signals.open.length > 0 || !signals.own) return false;
  // Its end is being judged: what waits is handed over with the answer, or the turn was the last one.
  if (derived.detail === 'turn-ended' && turn?.do !== 'wait') return false;
  const answer = first.kind === 'reply' && first.sender === HUMAN;
  if (derived.state === 'idle') return derived.detail !== 'context' || answer;
  if (derived.state === 'limited') return first.sender === FURROW || (derived.until !== null && derived.until <= now);
  return derived.state === 'waiting' && derived.detail === 'auth' && (answer || first.sender === FURROW);
}
