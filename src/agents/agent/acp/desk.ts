import type { Order } from '../drivers/acp/order.ts';
import type { Line } from '../drivers/acp/transcript.ts';
import type { Ask, Post } from '../relay/post.ts';
import type { Call } from './tool.ts';
import type { Spending } from './usage.ts';
import type { Window } from './window.ts';

/** The knowledge of the program about the conversation, and its doors to the farm and to the person. */
export interface Desk {
  readonly order: Order;
  readonly window: Window;
  readonly post: Post;
  readonly ask: Ask;
  note(line: Line): void;
  /** The agent's own name of the conversation; empty before it has one. */
  session: string;
  spent: Spending;
  /** Uses of tools that have not ended. */
  readonly calls: Map<string, Call>;
  /** Those among them that the agent asked about. */
  readonly asked: Set<string>;
  /** Those that the window has shown. */
  readonly shown: Set<string>;
  /** Its last words. */
  last: string;
  /** The agent has said or done something in this turn. */
  heard: boolean;
  /** True while the agent tells again what was said before it was started. */
  quiet: boolean;
  /** The turn that runs; aborted when somebody stops it. */
  turn: AbortController | undefined;
  /** The reasons why requests of this turn were denied: the protocol has no words for it, so the next prompt says it. */
  readonly denials: string[];
  /** Gives the agent a text with its next prompt. */
  queue(text: string): void;
  /** The next line that a person types in the window, in place of a prompt. */
  typed(signal: AbortSignal): Promise<string>;
}

/** Tells the farm what was used, if that has changed. */
export async function tellUsage(desk: Desk): Promise<void> {
  const usage = desk.spent.changed();
  if (!usage) return;
  desk.note({ on: 'usage', session: desk.session, usage });
  await desk.post({ on: 'usage', session: desk.session, usage });
}
