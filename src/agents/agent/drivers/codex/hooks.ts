import { join, resolve } from 'node:path';
import type { HookDialect } from '../../driver.ts';
import type { AgentEvent, Decision, ToolUse } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import { commandUse } from './read.ts';

/** The only hook: codex waits for it before it uses a tool. All else, and the end of that tool, is told over its connection. */
export const HOOK = 'PreToolUse';

/** The tools it is run for, by the names that hooks have for them, and by those of their items on the connection. */
export const HOOKED = '^(Bash|apply_patch|mcp__.*)$';
export const HOOKED_ITEMS: ReadonlySet<string> = new Set(['commandExecution', 'fileChange', 'mcpToolCall']);

/**
 * The name under which the hook is told to furrow where codex has no sandbox and so asks for nothing: before a command or an edit it then
 * waits for furrow's rules, or a person, as other agents do.
 */
export const LEAVE = 'Leave';

export const hooks: HookDialect = {
  read: (name, payload) => (name === HOOK || name === LEAVE ? [eventOf(name, fields(payload))] : []),
  reply: (name, payload, decision) => {
    if (name === LEAVE && eventOf(name, fields(payload)).on === 'permission') return decision.do === 'allow' ? undefined : denied(decision);
    return name === HOOK || name === LEAVE ? refusal(decision) : undefined;
  },
};

/** Tools of MCP servers that were given to it need no permission, as always. */
function eventOf(name: string, payload: Fields): Extract<AgentEvent, { on: 'tool' | 'permission' }> {
  const tool = toolOf(payload);
  const asks = name === LEAVE && tool.action !== 'other';
  return asks ? { on: 'permission', request: text(payload['tool_use_id']) || text(payload['turn_id']), tool } : { on: 'tool', tool };
}

/** Every answer but a yes is sent as a no: nothing else would stop the command. */
const denied = (decision: Decision) => refusal(decision.do === 'deny' ? decision : { do: 'deny', reason: 'nobody allowed it' });

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
  // As its connection names it: `furrow.progress`.
  return { name: name.replace(/^mcp__/, '').replace('__', '.'), action: 'other', paths: [], input };
}

function edit(paths: readonly string[], cwd: string, patch: string): ToolUse {
  return { name: 'apply_patch', action: 'edit', paths: paths.map((path) => resolve(cwd, path)), input: { patch } };
}

const FILES = /^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to): *(.*?)[ \t\r]*$/gm;

/**
 * The files that a patch in codex's own form names. A line of a file's content that looks like one counts too: codex
 * reads some lines of a damaged patch more kindly than others, and a file too many is the smaller mistake.
 */
function patchedBy(patch: string): string[] {
  return [...patch.matchAll(FILES)].map(([, path]) => path!);
}

/** `apply_patch <<'EOF'`, alone or after one `cd`: codex makes an edit of these command lines instead of running them. */
const LINE = /^\s*(?:cd\s+(?:'([^']+)'|"([^"]+)"|([^\s'"]+))\s*&&\s*)?apply_?patch\s+<<-?\s*(['"]?)(\w+)\4[ \t]*\n([\s\S]*)\n\5\s*$/;

/** The files of a patch that is the whole of a command line; undefined: it is a command like any other. */
function patchedIn(command: string): string[] | undefined {
  const found = LINE.exec(command);
  const folder = found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
  return found?.[6] === undefined ? undefined : patchedBy(found[6]).map((path) => (path.startsWith('/') ? path : join(folder, path)));
}
