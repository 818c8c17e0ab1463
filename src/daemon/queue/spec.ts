import { createHash } from 'node:crypto';
import type { CheckSpec } from '../../queue/snapshot.ts';

/** A check with its name among verdicts: a hash of all that could change its answer. */
export const specOf = ({ name, run, timeoutMs, env }: Omit<CheckSpec, 'id'>): CheckSpec => ({
  id: createHash('sha256')
    .update(JSON.stringify([name, run, timeoutMs, env]))
    .digest('hex')
    .slice(0, 16),
  name,
  run,
  timeoutMs,
  env,
});

/** One name for a set of checks, in any order: entries, landings and intents tell by it what they were judged by. */
export const checksHash = (ids: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...new Set(ids)].sort()))
    .digest('hex')
    .slice(0, 16);

const OWN_TIMEOUT_MS = 600_000;

/** What a task's `check:` line asks for, besides what every task must pass. */
export const ownCheck = (run: string | null | undefined): CheckSpec[] =>
  run ? [specOf({ name: 'task-check', run, timeoutMs: OWN_TIMEOUT_MS, env: {} })] : [];
