import type { AgentEvent, Usage } from '../../event.ts';
import { count, type Fields, fields, list, parsed, text } from '../json.ts';
import { troubleOf } from './trouble.ts';

const CANCELLED = 'Request cancelled.';

export interface Transcript {
  /** Reads a line: what it tells that no hook does, which is that a turn ended without the agent's will. */
  take(line: string): AgentEvent | undefined;
  /** What was used in all, when it is another sum than the last time. */
  changed(): Usage | undefined;
  /** How the last turn ended, if it did so without the agent's will. */
  readonly ended: AgentEvent | undefined;
  /** Whether the user's words with this in them are still there. Of a turn that failed or was stopped gemini forgets all. */
  remembers(words: string): 'yes' | 'forgotten' | 'never said';
}

/** What was written before `since` is past: it is taken in, and told by `ended` alone. */
export function transcript(since: number): Transcript {
  /** By message: a line is written again when the tools in it have ended, and all of them after an error. */
  const used = new Map<string, Usage>();
  const seen = new Set<string>();
  /** What the user said: all of it, and what is still part of the conversation. */
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

/** Whether what the user said, or was told to the model beside the result of a tool, holds these words. */
export function holds(line: string, words: string): boolean {
  if (!line.includes(words)) return false;
  const entry = parsed(line);
  const all = [entry, ...list(fields(entry?.['$set'])['messages'])].map(fields);
  return all.some((one) => one['type'] === 'user' && JSON.stringify(one['content'] ?? '').includes(words));
}
