import type { Line } from '../../../src/agents/agent/drivers/scripted/transcript.ts';
import type { ToolUse, Trouble, Usage } from '../../../src/agents/agent/event.ts';
import type { Post } from '../../../src/agents/agent/relay/post.ts';
import type { Step } from '../../../src/agents/agent/scripted/script.ts';

/** What the agent knows of its own work, and the doors to its window, its conversation and the farm. */
export interface Desk {
  readonly session: string;
  /** Private to the attempt; outlives a conversation. */
  readonly folder: string;
  readonly steps: Step[];
  done: number;
  usage: Usage;
  /** End of the limit it ran into. */
  limitedUntil: number | undefined;
  readonly post: Post;
  note(line: Line): void;
  say(text: string): void;
  show(state: 'idle' | 'working' | 'waiting' | 'limited', detail?: string): void;
  /** What a person types next, at a dialog. */
  answer(signal: AbortSignal): Promise<string>;
}

/** What it was told in answer to something it did stays in its conversation. */
export function learn(text: string, desk: Desk): undefined {
  desk.note({ on: 'said', text });
  desk.say(text);
}

/** The model could not be asked: the turn is over, and not by its own will. */
export class TurnFailed extends Error {
  readonly why: Trouble;
  readonly until: number | undefined;

  constructor(why: Trouble, text: string, until?: number) {
    super(text);
    this.why = why;
    this.until = until;
  }
}

/** A tool ended: the farm is told, and what it says beside the result is read. */
export async function toolEnded(tool: ToolUse, failed: boolean, desk: Desk, signal: AbortSignal): Promise<void> {
  const heard = await desk.post({ on: 'tool-done', tool, failed }, signal);
  if (heard.do !== 'tell') return;
  desk.note({ on: 'user', text: heard.text, by: 'hook' });
  desk.say(`told: ${heard.text}`);
}
