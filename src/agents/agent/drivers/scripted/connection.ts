import { join } from 'node:path';
import type { Connection, LaunchRequest, Link } from '../../driver.ts';
import type { AgentEvent } from '../../event.ts';
import { type Line, readLines } from './transcript.ts';

export function transcriptOf(request: Pick<LaunchRequest, 'home' | 'session'>): string {
  return join(request.home, 'conversations', `${request.session}.jsonl`);
}

/** Looks up the conversation, which is there whoever heard of it: how it stands for a daemon that was away, and what was used. */
export async function connect(link: Link): Promise<Connection> {
  // Asked anew each time: right after a start the conversation has no name yet.
  const lines = () => readLines(transcriptOf({ home: link.request.home, session: link.session ?? link.request.session }));
  const used = async () => {
    const last = lines()?.findLast((line) => line.on === 'usage');
    const session = link.session ?? link.request.session;
    if (last) await link.heard({ on: 'usage', session, usage: last.usage }, 'transcript');
  };
  if (!link.fresh) for (const event of missed(lines() ?? [])) await link.heard(event, 'transcript');
  if (!link.fresh) await used();
  return {
    drain: used,
    async seen(stamp) {
      return lines()?.some((line) => line.on === 'user' && line.text.includes(stamp));
    },
    async close() {},
  };
}

/** The events that a restarted daemon missed: the end of the last turn, unless another has begun. */
function missed(lines: readonly Line[]): AgentEvent[] {
  const last = lines.findLast((line) => line.on !== 'said' && line.on !== 'usage');
  switch (last?.on) {
    case 'ended':
      return [{ on: 'turn-ended', last: last.last }];
    case 'failed':
      return [{ ...last, on: 'turn-failed' }];
    case 'interrupted':
      return [{ on: 'interrupted' }];
    default:
      return [];
  }
}
