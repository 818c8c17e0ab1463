import { createHash } from 'node:crypto';
import { keptByText } from '../../platform/cache.ts';
import type { CheckSpec } from '../../queue/snapshot.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The ids of the same few checks are asked for many times in each look at the queue. */
const idOf = keptByText(200, hashOf);

const HOST = 'host:';

/** The labels that a machine must have to run a check. */
export const hostLabels = ({ needs = [] }: Pick<CheckSpec, 'needs'>): readonly string[] =>
  needs.filter((name) => name.startsWith(HOST)).map((name) => name.slice(HOST.length));

/** The resources that a check holds while it runs. */
export const resourcesOf = ({ needs = [] }: Pick<CheckSpec, 'needs'>): readonly string[] => needs.filter((name) => !name.startsWith(HOST));

/**
 * A check with its id for verdicts: a hash of everything that could change its answer, set-up commands included. So a project that was red
 * because of missing dependencies is checked again when it gets a set-up.
 */
function specOf({ name, run, timeoutMs, env, dir, paths, needs }: Omit<CheckSpec, 'id'>, setup: readonly string[] = []): CheckSpec {
  const where = { ...(dir !== undefined && { dir }), ...(paths !== undefined && { paths }) };
  const labels = hostLabels({ needs });
  // Without any of these the hash is as in earlier versions, so that green stays green.
  const more = [
    ...(setup.length > 0 ? [setup] : []),
    ...(dir === undefined && paths === undefined ? [] : [where]),
    ...(labels.length > 0 ? [{ labels }] : []),
  ];
  const id = idOf(JSON.stringify([name, run, timeoutMs, env, ...more]));
  return { id, name, run, timeoutMs, env, ...where, ...(needs !== undefined && { needs }) };
}

/** Checks of a configuration. */
export const specsOf = (checks: readonly Omit<CheckSpec, 'id'>[], { worktree }: { worktree: { setup: readonly string[] } }): CheckSpec[] =>
  checks.map((check) => specOf(check, worktree.setup));

/** One hash for a set of checks, in any order: entries, landings and intents store it to tell what judged them. */
export const checksHash = (ids: readonly string[]): string => hashOf(JSON.stringify([...new Set(ids)].sort()));

const OWN_TIMEOUT_MS = 600_000;

/** The check in a task's `check:` line, beside those that every task must pass. */
export const ownCheck = (run: string | null | undefined): CheckSpec[] =>
  run ? [specOf({ name: 'task-check', run, timeoutMs: OWN_TIMEOUT_MS, env: {} })] : [];
