import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ToolUse } from '../../../agents/agent/event.ts';
import type { Look } from '../../../agents/agent/permission/path.ts';
import { type Asked, NO_HOOKS, type Policy } from '../../../agents/agent/permission/policy.ts';
import { isErrno } from '../../../platform/error.ts';
import { ownHooks } from '../../../repo/worktree/hooks-changed.ts';
import { protectRules } from '../../farm/protect.ts';
import type { Host } from '../host.ts';
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
  // The rules of a configuration that nobody has trusted do not count: a person is asked.
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

/** As many links as Linux follows. */
const LINKS = 40;

/** The file system as it is now. It is asked for a few paths a request, and an answer that comes later would be about another state. */
export const fileLook: Look = {
  // A circle of links, a folder that may not be read: nobody knows where it leads.
  real: (path) => orUndefined(() => realPath(path, LINKS)),
  list: (folder) => orUndefined(() => readdirSync(folder)),
};

function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Undefined: `..` leads to the parent of where a link leads, and what is not there leads nowhere yet. */
function realPath(path: string, links: number): string | undefined {
  try {
    // The other one takes `..` away before it follows links.
    return realpathSync.native(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'ENOTDIR')) throw error;
  }
  const name = basename(path);
  if (name === '..' || path === '/' || links === 0) return undefined;
  const folder = realPath(dirname(path), links);
  if (folder === undefined) return undefined;
  const here = join(folder, name);
  // A link to what is not there yet: a write through it makes the file.
  const isLink = lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return here;
  const text = readlinkSync(here);
  return realPath(isAbsolute(text) ? text : `${folder}/${text}`, links - 1);
}
