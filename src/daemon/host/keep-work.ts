import { linkedAt } from '../../platform/git/admin.ts';
import { pinLost } from '../../platform/git/keep.ts';
import type { Harvest } from '../../repo/worktree/harvest.ts';
import { snapshot } from '../../repo/worktree/snapshot.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { pinAs } from '../farm/pin-as.ts';
import { pinOf } from '../farm/pins.ts';
import { targetOf } from '../farm/target-of.ts';
import type { AgentHost } from './host.ts';

interface Left {
  readonly row: Attempt;
  readonly worktree: string;
  readonly left: Harvest;
  readonly submitted: boolean;
}

/** Pins every commit of an ended attempt. Answers where uncommitted work is kept, if there is any that was not submitted. */
export async function keepWork(farm: AgentHost, { row, worktree, left, submitted }: Left): Promise<string | null> {
  const { repo } = farm;
  const pin = pinOf(row.task, row.n);
  if (left.tip) await pinAs(repo, submitted ? pinOf(row.task, row.n, targetOf(row, farm)) : pin, left.tip);
  if (left.head && left.head !== left.tip) await pinAs(repo, `${pin}-head`, left.head);
  const linked = await linkedAt(repo, worktree);
  const pinned = [left.tip, left.head].filter((oid) => oid !== undefined);
  if (linked) await pinLost(repo, linked, pinned);
  if (submitted || !left.dirty) return null;
  const message = `uncommitted work of ${row.agent} on ${splitRef(row.task).id}, attempt ${row.n}\n`;
  // Dated by the attempt: done again after a crash, it is the same commit.
  const saved = await snapshot(repo, worktree, message, row.started);
  return saved ? pinAs(repo, `${pin}-uncommitted`, saved) : null;
}
