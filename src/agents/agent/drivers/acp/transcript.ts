import { join } from 'node:path';
import type { AgentEvent, Trouble, Usage } from '../../event.ts';
import { readJsonLines } from '../read-lines.ts';
import { TRANSCRIPT } from './order.ts';

/** One line of what passed between furrow and the agent, over all starts of an attempt. */
export type Line =
  | { readonly on: 'session'; readonly id: string }
  /** Taken, and not yet before the agent: a turn is running. */
  | { readonly on: 'queued'; readonly id: string; readonly text: string }
  /** Put before the agent; `ids` of those that were queued. */
  | { readonly on: 'user'; readonly text: string; readonly ids: readonly string[] }
  | { readonly on: 'usage'; readonly session: string; readonly usage: Usage }
  /** It changed a file without asking. */
  | { readonly on: 'unasked' }
  | { readonly on: 'ended'; readonly last: string }
  | { readonly on: 'failed'; readonly why: Trouble; readonly text: string; readonly until?: number }
  | { readonly on: 'interrupted' };

export const readTranscript = (folder: string): Line[] => readJsonLines<Line>(join(folder, TRANSCRIPT)) ?? [];

/** Taken texts that no prompt has carried yet. */
export function stillQueued(lines: readonly Line[]): { readonly id: string; readonly text: string }[] {
  const sent = new Set(lines.flatMap((line) => (line.on === 'user' ? line.ids : [])));
  return lines.flatMap((line) => (line.on === 'queued' && !sent.has(line.id) ? [{ id: line.id, text: line.text }] : []));
}

export const holds = (lines: readonly Line[], stamp: string): boolean =>
  lines.some((line) => (line.on === 'user' || line.on === 'queued') && line.text.includes(stamp));

/** The end of the last turn, unless another has begun. */
export function lastEnd(lines: readonly Line[]): AgentEvent | undefined {
  const last = lines.findLast((line) => line.on !== 'usage' && line.on !== 'queued' && line.on !== 'unasked');
  switch (last?.on) {
    case 'ended':
      return { on: 'turn-ended', last: last.last };
    case 'failed':
      return { ...last, on: 'turn-failed' };
    case 'interrupted':
      return { on: 'interrupted' };
    default:
      return undefined;
  }
}

export function lastUsage(lines: readonly Line[]): Extract<AgentEvent, { on: 'usage' }> | undefined {
  const last = lines.findLast((line) => line.on === 'usage');
  return last && { on: 'usage', session: last.session, usage: last.usage };
}
