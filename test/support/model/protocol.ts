import { randomUUID } from 'node:crypto';
import type { Item } from './conversation.ts';
import type { Failure, Tokens } from './script.ts';
import type { Call, Declared, Schema } from './tools.ts';

/** What a client asked, in the same words for every protocol. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  /** The conversation's own name, where the client tells it. */
  readonly session?: string | undefined;
  readonly items: readonly Item[];
  readonly tools: readonly Declared[];
  /** It wants JSON of this form instead of words. */
  readonly form?: Schema | undefined;
}

export interface Reply {
  readonly say: string;
  readonly call: Call | undefined;
  readonly usage: Tokens;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One way in which models are asked over HTTP. Pure: a body in, a body out. */
export interface Protocol {
  readonly name: 'anthropic' | 'responses' | 'chat' | 'gemini';
  serves(path: string): boolean;
  read(body: unknown, path: string): Asked;
  reply(asked: Asked, reply: Reply): Answer;
  failure(failure: Failure): Answer;
  /** The conversation is longer than the model can take. */
  overflow(asked: Asked): Answer;
}

export const id = (prefix: string) => prefix + randomUUID().replaceAll('-', '').slice(0, 24);

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Server-sent events: `[name, data]`, the name left out where the protocol has none. */
export function events(frames: readonly (readonly [name: string | undefined, data: unknown])[]): Answer {
  const line = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  const body = frames.map(([name, data]) => (name === undefined ? '' : `event: ${name}\n`) + line(data)).join('');
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }, body };
}

export const retryAfter = ({ retryAfter: seconds }: Failure): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) };

/** The text of a content that is a string, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

export const user = (text: string): Item[] => (text.trim() === '' ? [] : [{ is: 'user', text }]);
export const said = (text: string): Item[] => (text.trim() === '' ? [] : [{ is: 'said' }]);
