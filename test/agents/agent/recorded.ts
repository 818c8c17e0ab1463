import { readFileSync } from 'node:fs';
import { hooks } from '../../../src/agents/agent/drivers/claude/hooks.ts';
import type { AgentEvent, ToolUse } from '../../../src/agents/agent/event.ts';

// biome-ignore lint/suspicious/noExplicitAny: a recording has no type
type Recorded = any;

const lines = (file: string): Recorded[] =>
  readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const claude = lines('claude-hooks.jsonl');

/** What claude's recorded hook says; of several of a name, the one that contains `part`. */
export function claudeHook(name: string, part = ''): readonly AgentEvent[] {
  const payload = claude.find((line) => line['hook_event_name'] === name && JSON.stringify(line).includes(part));
  if (payload === undefined) throw new Error(`no ${name} with ${part} was recorded`);
  return hooks.read(name, payload);
}

/** Turns of codex as its app server told them: steered, interrupted, refused. */
export function codexTurns(): { event: AgentEvent; at: number }[] {
  return lines('codex-turns.jsonl').flatMap((line) => {
    const { method, params, emittedAtMs } = line['msg'] as { method?: string; params: Recorded; emittedAtMs: number };
    const event = line['dir'] === 'in' ? codexEvent(method, params) : undefined;
    return event ? [{ event, at: emittedAtMs }] : [];
  });
}

function codexEvent(method: string | undefined, params: Recorded): AgentEvent | undefined {
  const run = (): ToolUse => ({ name: 'shell', action: 'run', command: params.item.command, paths: [], input: params.item });
  const { turn, item, error } = params ?? {};
  if (method === 'item/started' && item.type === 'userMessage') return { on: 'prompt', text: item.content[0].text };
  if (method === 'item/started' && item.type === 'commandExecution') return { on: 'tool', tool: run() };
  if (method === 'item/completed' && item.type === 'commandExecution') return { on: 'tool-done', tool: run(), failed: false };
  if (method === 'error' && params.willRetry) return { on: 'retrying', why: 'auth', text: error.message };
  if (method !== 'turn/completed') return undefined;
  if (turn.status === 'interrupted') return { on: 'interrupted' };
  if (turn.status === 'failed') return { on: 'turn-failed', why: 'auth', text: turn.error.message };
  return { on: 'turn-ended', last: turn.items.at(-1)?.text ?? '' };
}

/** opencode's own stream, one event of a kind. */
export function opencodeEvents(): AgentEvent[] {
  return lines('opencode-events.jsonl').flatMap(({ type, properties }) => opencodeEvent(String(type), properties) ?? []);
}

function opencodeEvent(type: string, said: Recorded): AgentEvent | undefined {
  const { status } = said;
  if (type === 'session.created') return { on: 'ready', session: said.sessionID };
  if (type === 'session.status' && status.type === 'busy') return { on: 'prompt', text: '' };
  if (type === 'session.status' && status.type === 'retry') {
    return { on: 'retrying', why: /key/.test(status.message) ? 'auth' : 'limit', text: status.message, until: status.next };
  }
  if (type === 'session.idle') return { on: 'turn-ended', last: '' };
  if (type === 'session.error') return { on: 'interrupted' };
  if (type === 'permission.asked') {
    const { command } = said.metadata;
    return { on: 'permission', request: said.id, tool: { name: 'bash', action: 'run', command, paths: [], input: said } };
  }
  if (type === 'question.asked') {
    return { on: 'question', request: said.id, questions: said.questions.map((one: Recorded) => ({ text: one.question, options: [] })) };
  }
  return type === 'permission.replied' || type === 'question.replied' ? { on: 'answered', request: said.requestID } : undefined;
}
