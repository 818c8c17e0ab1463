import type { NewEvent } from '../../journal/event.ts';
import { type Attempt, findAttempt } from '../../work/attempt/store.ts';
import { splitRef } from '../../work/task/id.ts';
import type { AgentRows } from '../farm/snapshot.ts';
import type { RosterFarm } from './farm.ts';
import type { Member } from './member.ts';

/** The reason of an attempt whose machine is lost has these words; before them it may say that it was still being started. */
export const lostReason = (host: string): string => `${host} is lost`;

/** Tells a host which of its attempts are over for the farm: what still runs of them ends, and what nobody took over stays there. */
export async function tellOver(
  farm: RosterFarm,
  member: Member,
  open: AgentRows['attempts'],
  tell: (event: NewEvent) => void,
): Promise<void> {
  if (!member.isConnected || member.attempts.size === 0) return;
  const { name } = member.row;
  const theirs = new Set(open.filter(({ host }) => host === name).map(({ id }) => id));
  const over: number[] = [];
  for (const attempt of [...member.attempts]) {
    if (theirs.has(attempt)) continue;
    // The rows may be older than the attempt.
    const row = await findAttempt(farm.db, attempt);
    if (row !== undefined && row.state !== 'ended' && row.host === name) continue;
    const isNew = !member.toldOver.has(attempt);
    member.toldOver.add(attempt);
    member.attempts.delete(attempt);
    member.seen.delete(attempt);
    over.push(attempt);
    if (isNew && row?.host === name && row.reason?.includes(lostReason(name))) tell(cameBack(name, row));
  }
  if (over.length > 0) member.tell({ tell: 'over', attempts: over });
}

function cameBack(host: string, { agent, task, n }: Attempt): NewEvent {
  const text = `${host} came back with attempt ${n} of ${agent} at ${splitRef(task).id}, which was given up: it ends, and its work is kept on ${host}`;
  return { kind: 'host.trouble', agent, task, attempt: n, text, data: { host } };
}
