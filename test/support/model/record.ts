import type { Protocol } from './protocol.ts';
import type { Tokens } from './script.ts';
import type { Call } from './tools.ts';

/** One request that reached the model, and what it was answered. */
export interface Recorded {
  readonly protocol: Protocol['name'];
  readonly model: string;
  readonly key: string;
  /** Titles, routers, summaries: asked without tools, answered apart from the script. */
  readonly side: boolean;
  readonly step: number;
  /** What users said in the whole conversation, in order. */
  readonly users: readonly string[];
  readonly tools: readonly string[];
  /** The whole body, to look for a text wherever the client put it. */
  readonly body: string;
  /** Undefined while it waits, and when the client has gone before an answer. */
  answer?: { readonly status: number; readonly say: string; readonly call: Call | undefined; readonly usage: Tokens | undefined };
}

/** How often a text stands in a conversation: the most that any one request had of it. Once is exactly once. */
export function timesSeen(requests: readonly Recorded[], text: string): number {
  const needle = JSON.stringify(text).slice(1, -1);
  return Math.max(0, ...requests.filter(({ side }) => !side).map(({ body }) => body.split(needle).length - 1));
}
