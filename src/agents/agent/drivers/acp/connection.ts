import { join } from 'node:path';
import type { Connection, Link } from '../../driver.ts';
import { parsed } from '../json.ts';
import { tail } from '../tail.ts';
import { send } from './mail.ts';
import { TRANSCRIPT } from './order.ts';
import { holds, lastEnd, lastUsage, readTranscript } from './transcript.ts';

const UNASKED = 'it changes files without asking: what it must not change is found at the end of its turn';

/** Messages go by files to the program in the agent's window; what a daemon missed stands in the transcript that this program keeps. */
export async function connect(link: Link): Promise<Connection> {
  const { folder } = link.request;
  const used = async () => {
    const usage = lastUsage(readTranscript(folder));
    if (usage) await link.heard(usage, 'transcript');
  };
  const missed = link.fresh ? undefined : lastEnd(readTranscript(folder));
  if (missed) await link.heard(missed, 'transcript');
  if (!link.fresh) await used();

  let told = false;
  const unasked = tail(
    join(folder, TRANSCRIPT),
    (lines, past) => {
      if (past || told || !lines.some((line) => parsed(line)?.['on'] === 'unasked')) return;
      told = true;
      link.tell(UNASKED).catch((error: unknown) => link.warn(String(error)));
    },
    (error) => link.warn(`the conversation cannot be followed: ${String(error)}`),
  );
  await unasked.read();
  return {
    deliver: (text) => send(folder, text),
    seen: async (stamp) => holds(readTranscript(folder), stamp),
    drain: used,
    async close() {
      unasked.close();
    },
  };
}
