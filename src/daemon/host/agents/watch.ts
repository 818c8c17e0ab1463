import { readFileSync } from 'node:fs';
import { hasFailed } from '../../../agents/supervision/derive.ts';
import { processLook, type SeenProcess } from '../../../agents/supervision/process.ts';
import { stateNow, type Watched } from '../../../agents/supervision/watched.ts';
import { toAwake } from '../../../platform/clock.ts';
import { limitKey } from '../../farm/accounts.ts';
import type { HostRows } from '../../farm/host-side.ts';
import { attemptFiles } from '../../farm/process-names.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** The shell's way to say that a command was killed. */
const SIGNALLED = 128;

/**
 * True when the process ended on purpose, its own or that of somebody at its window: then its work is judged. An agent that lives between
 * turns ends with 0; one that ends by itself may fail, too.
 */
export function leftByItself(farm: Host, rows: HostRows, look: SeenProcess, running: RunningAttempt): boolean {
  const row = rows.attempts.find((one) => one.id === look.id);
  if (!look.exited || !row) return false;
  try {
    const code = Number(readFileSync(attemptFiles(farm.places, row.agent, row.id, row.launch).exit, 'utf8'));
    const failed = hasFailed(running.record.signals, farm.clock.awake());
    return code === 0 || (running.driver.ends(running.settings) === 'exit' && code <= SIGNALLED && !failed);
  } catch {
    return false;
  }
}

/** Gathers all that decides what is due for an attempt. The end of its process is stored when it is first seen. */
export async function watch(
  { farm, running: attempts }: { readonly farm: Host; readonly running: RunningAttempts },
  rows: HostRows,
  look: SeenProcess,
  running: RunningAttempt,
): Promise<Watched> {
  const now = farm.clock.awake();
  const ends = running.driver.ends(running.settings);
  const process = processLook(look);
  if (process === 'dead') {
    const halted = ends === 'exit' && hasFailed(running.record.signals, now);
    await attempts.advance(running, { on: 'process-ended', halted, at: now });
  }
  const agent = rows.agents.find((one) => one.name === look.agent);
  const { record } = running;
  const state = stateNow(record, process, now);
  return {
    attempt: running.attempt,
    provider: limitKey(running.driver, running.own),
    elsewhere: elsewhere(running, rows.limited),
    ends,
    stuckMs: running.own.stuckMs,
    launches: rows.attempts.find((one) => one.id === look.id)!.launch,
    paused: agent?.paused === 1 || agent?.state === 'stopping',
    listening: attempts.since,
    questions: rows.questions.filter((one) => one.agent === running.agent).map((one) => one.kind),
    record,
    // A limit ends at a time of day, and nothing else here does.
    state: { ...state, until: state.until === null ? null : toAwake(farm.clock, state.until) },
  };
}

/** Another account of its kind is free. */
function elsewhere({ driver, own }: RunningAttempt, limited: readonly string[]): boolean {
  if (own.account === undefined) return false;
  return own.accounts.some((account) => account !== own.account && !limited.includes(limitKey(driver, { ...own, account }) ?? ''));
}
