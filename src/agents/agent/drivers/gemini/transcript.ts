import type { AgentEvent, Usage } from '../../event.ts';
import { count, type Fields, fields, list, parsed, text } from '../json.ts';
import { troubleOf } from './trouble.ts';

const CANCELLED = 'Request cancelled.';

export interface Transcript {
  /** Reads a line: what it tells that no hook does, which is that a turn ended without the agent's will. */
  take(line: string): AgentEvent | undefined;
  /** The total usage, if it changed since the last call. */
  changed(): Usage | undefined;
  /** The end of the last turn, if something other than the agent ended it. */
  readonly ended: AgentEvent | undefined;
  /** Looks for a prompt of the user that holds this text. Gemini forgets everything of a turn that failed or was stopped. */
  remembers(words: string): 'yes' | 'forgotten' | 'never said';
}

/** Lines written before `since` are history: they are read, and only `ended` reports them. */
export function transcript(since: number): Transcript {
  /** By message: a line is written again when the tools in it have ended, and all of them after an error. */
  const used = new Map<string, Usage>();
  const seen = new Set<string>();
  /** The prompts of the user: all of them, and those that are still part of the conversation. */
  const said: string[] = [];
  let kept: string[] = [];
  let told = 0;
  let ended: AgentEvent | undefined;

  const message = (one: Fields): AgentEvent | undefined => {
    const id = text(one['id']);
    if (one['type'] === 'gemini' && one['tokens'] !== undefined) used.set(id, usageIn(one));
    if (isPrompt(one)) {
      const words = JSON.stringify(one['content']);
      kept.push(words);
      if (!seen.has(id)) said.push(words);
    }
    if (seen.has(id)) return undefined;
    seen.add(id);
    const event = endIn(one);
    if (event || isPrompt(one)) ended = event;
    return Date.parse(text(one['timestamp'])) >= since ? event : undefined;
  };

  return {
    take(line) {
      const entry = parsed(line);
      const whole = fields(entry?.['$set'])['messages'];
      const all = list(whole);
      if (whole !== undefined) kept = [];
      for (const one of all) message(fields(one));
      return entry && whole === undefined ? message(entry) : undefined;
    },
    changed() {
      const sum = [...used.values()].reduce(add, NOTHING);
      const total = sum.input + sum.output + sum.cacheRead;
      if (total === told) return undefined;
      told = total;
      return sum;
    },
    get ended() {
      return ended;
    },
    remembers(words) {
      const has = (one: string) => one.includes(JSON.stringify(words).slice(1, -1));
      return kept.some(has) ? 'yes' : said.some(has) ? 'forgotten' : 'never said';
    },
  };
}

function endIn(entry: Fields): AgentEvent | undefined {
  const said = text(entry['content']);
  if (entry['type'] === 'info' && said === CANCELLED) return { on: 'interrupted' };
  if (entry['type'] === 'error') return { on: 'turn-failed', why: troubleOf(said), text: said };
  return undefined;
}

/** A text of the user, and not the result of a tool. */
function isPrompt(entry: Fields): boolean {
  return entry['type'] === 'user' && list(entry['content']).some((part) => text(fields(part)['text']) !== '');
}

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** `input` counts what came from the cache too; thinking is output. */
function usageIn(entry: Fields): Usage {
  const tokens = fields(entry['tokens']);
  const cacheRead = count(tokens['cached']);
  return {
    input: Math.max(0, count(tokens['input']) - cacheRead),
    output: count(tokens['output']) + count(tokens['thoughts']),
    cacheRead,
    cacheWrite: 0,
    ...(text(entry['model']) && { model: text(entry['model']) }),
  };
}

const add = (sum: Usage, one: Usage): Usage => ({
  input: sum.input + one.input,
  output: sum.output + one.output,
  cacheRead: sum.cacheRead + one.cacheRead,
  cacheWrite: 0,
  ...(one.model && { model: one.model }),
});

/** True when a prompt, or a text added to the result of a tool, holds this text. */
export function holds(line: string, words: string): boolean {
  if (!line.includes(words)) return false;
  const entry = parsed(line);
  const all = [entry, ...list(fields(entry?.['$set'])['messages'])].map(fields);
  return all.some((one) => one['type'] === 'user' && JSON.stringify(one['content'] ?? '').includes(words));
}
