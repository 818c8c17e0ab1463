import { resolve } from 'node:path';
import type { HookDialect } from '../../driver.ts';
import type { Decision, ToolUse } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import { patchedBy, patchedIn } from './patch.ts';
import { commandUse } from './read.ts';

/** The only hook: codex waits for it before it uses a tool. All else, and the end of that tool, is told over its channel. */
export const HOOK = 'PreToolUse';

/** The tools it is run for, by the names that hooks have for them, and by those of their items on the channel. */
export const HOOKED = '^(Bash|apply_patch|mcp__.*)$';
export const HOOKED_ITEMS: ReadonlySet<string> = new Set(['commandExecution', 'fileChange', 'mcpToolCall']);

export const hooks: HookDialect = {
  read: (name, payload) => (name === HOOK ? [{ on: 'tool', tool: toolOf(fields(payload)) }] : []),
  reply: (name, _payload, decision) => (name === HOOK ? refusal(decision) : undefined),
};

/** An empty answer leaves it to codex: its sandbox, and the request for leave that may follow. */
function refusal(decision: Decision): unknown {
  if (decision.do !== 'deny') return undefined;
  return { hookSpecificOutput: { hookEventName: HOOK, permissionDecision: 'deny', permissionDecisionReason: decision.reason } };
}

function toolOf(payload: Fields): ToolUse {
  const name = text(payload['tool_name']);
  const input = fields(payload['tool_input']);
  const cwd = text(payload['cwd']);
  const given = text(input['command']);
  if (name === 'apply_patch') return edit(patchedBy(given), cwd, given);
  if (name === 'Bash') {
    const patched = patchedIn(given);
    return patched ? edit(patched, cwd, given) : commandUse(given, cwd);
  }
  // As its channel names it: `furrow.progress`.
  return { name: name.replace(/^mcp__/, '').replace('__', '.'), action: 'other', paths: [], input };
}

function edit(paths: readonly string[], cwd: string, patch: string): ToolUse {
  return { name: 'apply_patch', action: 'edit', paths: paths.map((path) => resolve(cwd, path)), input: { patch } };
}
