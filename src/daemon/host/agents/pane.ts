import { watch } from 'node:fs';
import { quietPane } from '../../../agents/message/pane.ts';
import { RULES } from '../../../agents/message/plan.ts';
import type { Pane } from '../../../agents/message/type-in.ts';
import { attemptFiles } from '../../farm/farm.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt } from './running.ts';

/** An agent's pane to type into, in a person's absence; undefined when one is there, or the agent has none. */
export async function paneOf(farm: Host, running: RunningAttempt): Promise<Pane | undefined> {
  const at = await farm.terminals.at(running.agent);
  if (!at) return undefined;
  const { log } = attemptFiles(farm.places, running.agent, running.attempt, running.launch);
  return quietPane(at.tmux, at, { humanMs: RULES.humanMs, now: farm.clock.now() }, (signal) => grown(log, signal));
}

/** Resolves when the pane's log grows: what a program draws goes there at once. */
function grown(log: string, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
    if (signal.aborted) return done();
    try {
      const watcher = watch(log, { signal }, () => {
        watcher.close();
        done();
      });
      watcher.on('error', () => done());
    } catch {
      // No watches are left, or no log is: the caller's own bound is what ends the wait.
    }
  });
}
