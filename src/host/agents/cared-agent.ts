import { readFileSync } from 'node:fs';
import { stateOf } from '../../farm/agent-lines.ts';
import { attemptFiles, type Farm } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { toAwake } from '../../platform/clock.ts';
import { derive, hasFailed } from '../../supervision/derive.ts';
import type { CaredAgent } from '../../supervision/due.ts';
import type { Looked } from '../look-at-attempts.ts';
import type { Ears, Live } from './ears.ts';

/** The shell's way to say that a command was killed. */
const SIGNALLED = 128;

/**
 * True when a process ended because it, or somebody at its window, meant it: its work is judged. One that lives between
 * turns leaves with 0; one that ends by itself may fail, too.
 */
export function leftByItself(farm: Farm, rows: FarmRows, look: Looked, live: Live): boolean {
  const row = rows.attempts.find((one) => one.id === look.id);
  if (!look.exited || !row) return false;
  try {
    const code = Number(readFileSync(attemptFiles(farm.places, row.agent, row.id, row.launch).exit, 'utf8'));
    const failed = hasFailed(live.heard.signals, farm.clock.awake());
    return code === 0 || (live.driver.ends(live.settings) === 'exit' && code <= SIGNALLED && !failed);
  } catch {
    return false;
  }
}

/** Died within this of its start: it is not the work that kills it. */
export const QUICK_MS = 30_000;

export async function caredAgent(
  farm: Farm,
  ears: Ears,
  rows: FarmRows,
  look: Looked,
  live: Live,
  open: readonly { kind: string; agent: string | null }[],
  now: number,
): Promise<CaredAgent> {
  const row = rows.attempts.find((one) => one.id === look.id)!;
  const agent = rows.agents.find((one) => one.name === look.agent);
  const { signals, session } = live.heard;
  const dead = look.exited || look.alive === false || look.orphaned;
  const halted = dead && live.driver.ends(live.settings) === 'exit' && hasFailed(signals, now);
  if (dead && live.heard.care.endedAt === null) await ears.note(live, { care: { ...live.heard.care, endedAt: now, halted } });
  const { care } = live.heard;
  const derived = care.halted
    ? derive(signals, 'alive', now)
    : dead
      ? { ...stateOf(rows, row, now)!, state: signals.own?.state === 'stopped' ? ('stopped' as const) : ('dead' as const), sure: true }
      : stateOf(rows, row, now)!;
  // A sign of life makes what was done about silence count anew.
  const since = (count: number, at: number | null) => (at !== null && signals.lastAt > at ? 0 : count);
  const asks = open.filter((one) => one.agent === live.agent);
  return {
    attempt: live.attempt,
    agent: live.agent,
    provider: live.driver.provider,
    ends: live.driver.ends(live.settings),
    resumes: true,
    speaks: true,
    // A limit ends at a time of day, and nothing else here does.
    derived: { ...derived, until: derived.until === null ? null : toAwake(farm.clock, derived.until) },
    lastSignal: signals.lastAt,
    listened: ears.since,
    started: signals.startedAt,
    launches: row.launch,
    looks: since(care.looks, care.lookedAt),
    lookedAt: care.lookedAt,
    screen: signals.screen?.state === 'stopped' ? null : (signals.screen?.state ?? null),
    draft: signals.screen?.draft ?? null,
    nudges: since(care.nudges, care.nudgedAt),
    nudgedAt: care.nudgedAt,
    continues: care.continues,
    continuedAt: care.continuedAt,
    // An answered question is not asked again before the agent has said something new.
    asked: asks.some((one) => one.kind === 'agent') || (care.askedAt !== null && signals.lastAt <= care.askedAt),
    askedFor: care.askedFor,
    askedAt: care.askedAt,
    paused: agent?.paused === 1 || agent?.state === 'stopping',
    humanAt: signals.humanAt ?? null,
    turnOpen: signals.turnOpen,
    requests: signals.open.length,
    openAsks: asks.filter((one) => one.kind === 'ask').length + (live.heard.turn?.do === 'wait' ? 1 : 0),
    // What ended by itself is not here; what is left of those was killed.
    exited: false,
    endedAt: care.endedAt,
    // A goodbye is no sign of life: claude says one, too, when it did not find its conversation.
    crashedQuick:
      dead &&
      (care.endedAt ?? now) - signals.startedAt < QUICK_MS &&
      signals.turns === 0 &&
      (signals.own === undefined || signals.own.state === 'stopped'),
    session,
  };
}
