import type { AgentEvent, AgentQuestion, ToolUse, Trouble, Usage } from '../../event.ts';
import type { Item, Params, RateLimits, TokenUsage, Turn, TurnError } from './protocol.ts';

/** The tool behind an item, or undefined when it is none: a message, a thought, a plan. */
export function toolOf(item: Item): ToolUse | undefined {
  switch (item.type) {
    case 'commandExecution':
      return commandUse(item.command ?? '', item.cwd);
    case 'fileChange': {
      const changes = item.changes ?? [];
      const paths = changes.flatMap((change) => [change.path, ...(change.kind?.move_path ? [change.kind.move_path] : [])]);
      return { name: 'apply_patch', action: 'edit', paths, input: { changes } };
    }
    case 'mcpToolCall':
    case 'dynamicToolCall':
      return { name: [item.server, item.tool].filter(Boolean).join('.'), action: 'other', paths: [], input: item.arguments };
    case 'webSearch':
      return { name: 'web_search', action: 'fetch', paths: [], input: { query: item.query } };
    case 'imageView':
      return { name: 'view_image', action: 'read', paths: item.path ? [item.path] : [], input: { path: item.path } };
    default:
      return undefined;
  }
}

export function commandUse(line: string, cwd: string | undefined, reason?: string): ToolUse {
  const command = innerCommand(line);
  return {
    name: 'shell',
    action: 'run',
    command,
    paths: [],
    ...(cwd && { cwd }),
    input: { command, ...(cwd && { cwd }), ...(reason && { reason }) },
  };
}

export function failed(item: Item): boolean {
  return item.status === 'failed' || item.status === 'declined' || (item.exitCode ?? 0) !== 0;
}

/** The tool use that the agent asks permission for. `item` is the earlier notice of it, if there was one: only that names a patch. */
export function askedFor(method: string, params: Params, item: Item | undefined): ToolUse | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return commandUse(params.command ?? item?.command ?? '', params.cwd, params.reason ?? undefined);
    case 'item/fileChange/requestApproval': {
      // A patch that was told of before the daemon came back is not told of again: it may touch anything.
      const paths = item ? (toolOf(item)?.paths ?? []) : ['/'];
      const asked = { reason: params.reason, changes: item?.changes, grantRoot: params.grantRoot };
      return { name: 'apply_patch', action: 'edit', paths: [...paths, ...(params.grantRoot ? [params.grantRoot] : [])], input: asked };
    }
    case 'item/permissions/requestApproval':
      return { name: 'request_permissions', action: 'other', paths: [], input: { permissions: params.permissions, reason: params.reason } };
    case 'mcpServer/elicitation/request':
      return { name: params.serverName ?? 'mcp', action: 'other', paths: [], input: { message: params.message } };
    default:
      return undefined;
  }
}

export function questionsOf(params: Params): AgentQuestion[] {
  return (params.questions ?? []).map((asked) => ({ text: asked.question, options: (asked.options ?? []).map((option) => option.label) }));
}

/** The name of an open request. The server's own number is kept, but not promised, between two connections. */
export function requestOf(params: Params): string {
  return params.approvalId ?? params.itemId ?? `${params.turnId ?? params.threadId} ${params.serverName} ${params.message}`;
}

export function userText(item: Item): string {
  return (item.content ?? []).flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : [])).join('\n');
}

/** The end of a turn, or undefined while it goes on, and when an earlier server died in it. */
export function endOf(turn: Turn, last: string | undefined, limits: RateLimits): AgentEvent | undefined {
  if (turn.status === 'completed') {
    const said = (turn.items ?? []).findLast((item) => item.type === 'agentMessage')?.text;
    return { on: 'turn-ended', last: said ?? last ?? '' };
  }
  if (turn.status === 'interrupted') return turn.completedAt ? { on: 'interrupted' } : undefined;
  if (turn.status !== 'failed') return undefined;
  return { on: 'turn-failed', ...troubleOf(turn.error ?? { message: 'the turn failed' }, limits) };
}

export function troubleOf(error: TurnError, limits: RateLimits): { why: Trouble; text: string; until?: number } {
  const why = whyOf(error.codexErrorInfo);
  const until = why === 'limit' ? freeAgain(limits) : undefined;
  return { why, text: error.additionalDetails ?? error.message, ...(until !== undefined && { until }) };
}

const NAMED: Readonly<Record<string, Trouble>> = {
  contextWindowExceeded: 'context',
  usageLimitExceeded: 'limit',
  rateLimitExceeded: 'limit',
  sessionBudgetExceeded: 'limit',
  unauthorized: 'auth',
  serverOverloaded: 'overloaded',
  internalServerError: 'overloaded',
  flexUnavailable: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
};

function whyOf(info: unknown): Trouble {
  if (typeof info === 'string') return NAMED[info] ?? 'error';
  const detail = info && typeof info === 'object' ? (Object.values(info)[0] as unknown) : undefined;
  if (!detail || typeof detail !== 'object' || !('httpStatusCode' in detail)) return 'error';
  const status = detail.httpStatusCode;
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'limit';
  // No status at all: the stream broke off, which is how a 500 is told while it is tried again.
  return status === null || (typeof status === 'number' && status >= 500) ? 'overloaded' : 'error';
}

/** An update says only what changed; null is not a change. */
export function updated(limits: RateLimits, by: RateLimits): RateLimits {
  return { ...limits, ...Object.fromEntries(Object.entries(by).filter(([, value]) => value !== null)) };
}

/** When the windows that are used up begin anew, in milliseconds. */
function freeAgain(limits: RateLimits): number | undefined {
  const resets = [limits.primary, limits.secondary].flatMap((window) =>
    window && window.usedPercent >= 100 && window.resetsAt ? [window.resetsAt * 1000] : [],
  );
  return resets.length > 0 ? Math.max(...resets) : undefined;
}

/** Input counts what was read from the cache too: it is taken out. The last request is what the context holds. */
export function usageOf(usage: TokenUsage, model: string | undefined): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens = 0 } = usage.total;
  const window = usage.modelContextWindow;
  return {
    input: Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens),
    output: outputTokens,
    cacheRead: cachedInputTokens,
    cacheWrite: cacheWriteInputTokens,
    ...(model !== undefined && { model }),
    ...(window && usage.last && { context: Math.min(1, usage.last.totalTokens / window) }),
  };
}

/** The words of a command line as `sh` would read them, without expansions; undefined when it does not end properly. */
function splitWords(line: string): string[] | undefined {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === '\\') {
      const next = line[++at];
      if (next === undefined) return undefined;
      word = (word ?? '') + (quote && !'"\\$`\n'.includes(next) ? char + next : next);
    } else if (quote) {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === ' ' || char === '\t' || char === '\n') {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote) return undefined;
  return word === undefined ? found : [...found, word];
}

/** `/bin/bash -lc 'git status'` is `git status`: what the agent wrote, which is what rules are about. */
export function innerCommand(line: string): string {
  const [shell, flag, script, ...more] = splitWords(line) ?? [];
  const wrapped = shell !== undefined && /(^|\/)(ba|z|da|k)?sh$/.test(shell) && (flag === '-lc' || flag === '-c');
  return wrapped && script !== undefined && more.length === 0 ? script : line;
}
