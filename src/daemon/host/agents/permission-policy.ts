import type { ToolUse } from '../../../agents/agent/event.ts';
import { type Asked, NO_HOOKS, type Policy } from '../../../agents/agent/permission/policy.ts';
import { ownHooks } from '../../../repo/worktree/hooks-changed.ts';
import { protectRules } from '../../farm/protect.ts';
import type { Host } from '../host.ts';
import { fileLook } from './look.ts';
import { type RunningAttempt, whose } from './running.ts';

/** A tool use as the rules judge it: with the files as they are now, and the hooks that git commands run there. */
export async function askedOf(farm: Host, running: RunningAttempt, tool: ToolUse): Promise<Asked> {
  const { worktree, attempt } = running;
  const row = tool.action === 'run' || tool.action === 'edit' ? await farm.leader.attempts.find(attempt) : undefined;
  const hooks = row === undefined ? NO_HOOKS : await ownHooks(farm.repo, worktree, row.base);
  return { tool, worktree, look: fileLook, hooks };
}

/** The permissions of an agent: its kind's mode, the rules, the checks it has to pass anyway, and the protected paths. */
export async function policyFor(farm: Host, running: RunningAttempt): Promise<Policy> {
  const { answers, check, own, leases } = await farm.leader.turns.policy(whose(running));
  // Of a configuration that nobody has trusted yet no rule holds: then a person is asked.
  const trusted = farm.trust.config;
  const { protect, board } = protectRules(farm);
  const checks = (trusted?.checks ?? []).map((check) => check.run);
  return {
    answers,
    mode: running.settings.permission,
    rules: trusted?.permissions.rules ?? [],
    checks: check ? [...checks, check] : checks,
    protect,
    board,
    leases,
    own,
  };
}
