import type { ToolUse } from '../../../agents/agent/event.ts';
import { type Asked, NO_HOOKS, type Policy } from '../../../agents/agent/permission/policy.ts';
import { openLeases } from '../../../agents/lease/store.ts';
import { ownHooks } from '../../../repo/worktree/hooks-changed.ts';
import { findAttempt } from '../../../work/attempt/store.ts';
import { endsByAnswer } from '../../../work/errand/purpose.ts';
import { findTaskRow } from '../../../work/task/store.ts';
import { protectRules } from '../../farm/protect.ts';
import type { Host } from '../host.ts';
import { fileLook } from './look.ts';
import type { RunningAttempt } from './running.ts';

/** A tool use as the rules judge it: with the files as they are now, and the hooks that git commands run there. */
export async function askedOf(farm: Host, running: RunningAttempt, tool: ToolUse): Promise<Asked> {
  const { worktree, attempt } = running;
  const row = tool.action === 'run' || tool.action === 'edit' ? await findAttempt(farm.db, attempt) : undefined;
  const hooks = row === undefined ? NO_HOOKS : await ownHooks(farm.repo, worktree, row.base);
  return { tool, worktree, look: fileLook, hooks };
}

/** The permissions of an agent: its kind's mode, the rules, the checks it has to pass anyway, and the protected paths. */
export async function policyFor(farm: Host, running: RunningAttempt): Promise<Policy> {
  const task = await findTaskRow(farm.db, running.task);
  // Of a configuration that nobody has trusted yet no rule holds: then a person is asked.
  const trusted = farm.trust.config;
  const { protect, board } = protectRules(farm);
  const checks = (trusted?.checks ?? []).map((check) => check.run);
  return {
    answers: task !== undefined && endsByAnswer(task.purpose),
    mode: running.settings.permission,
    rules: trusted?.permissions.rules ?? [],
    checks: task?.check ? [...checks, task.check] : checks,
    protect,
    board,
    leases: await otherPaths(farm, running),
    own: JSON.parse(task?.paths ?? '[]') as string[],
  };
}

/** The paths that nobody but another holder may change now. */
async function otherPaths(farm: Host, { attempt }: RunningAttempt): Promise<Policy['leases']> {
  const held = (await openLeases(farm.db)).filter(
    (lease) => lease.kind === 'path' && lease.standing === 'held' && lease.mode === 'exclusive' && lease.attempt !== attempt,
  );
  return held.flatMap(({ who, names, until, reason, origin }) =>
    names.map((pattern) => ({ holder: who, pattern, until, reason, reserved: origin === 'reserved' })),
  );
}
