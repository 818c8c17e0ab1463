import type { Selectable } from 'kysely';
import type { EntryRow } from '../../../journal/rows/entry.ts';
import { resolve } from '../../../platform/git/refs.ts';
import { landingAt, landingsWith } from '../../../queue/landing/read.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/target-of.ts';

/** A comparison: two commits or trees, and a description of each. */
export interface Change {
  readonly shows: 'work' | 'entry' | 'landing' | 'branch';
  readonly from: string;
  readonly to: string;
  /** In one line, after the name of the subject. */
  readonly text: string;
  readonly attempt: number | null;
  readonly target: string;
  /** Not committed work is part of it. */
  readonly uncommitted: boolean;
  /** A folder of objects that `to` needs besides the repository's own. */
  readonly objects?: string | undefined;
  /** Files that are not part of it, and why. */
  readonly leftOut: readonly string[];
}

type Entry = Selectable<EntryRow>;

/** The reason of an entry whose work the target already had; its commit is the head of that time, and it has no landing. */
const ALREADY = 'the target already has it';

/** The change of a landed task: its own step of the landing, also when its branch is long gone. */
export async function landedChange(farm: Farm, entry: Entry | undefined, commit: string | null): Promise<Change | undefined> {
  const target = entry ? targetOf(entry, farm) : farm.target;
  const change = (from: string, to: string, text: string): Change => ({
    shows: 'landing',
    from,
    to,
    text,
    attempt: entry?.attempt ?? null,
    target,
    uncommitted: false,
    leftOut: [],
  });
  const step = entry && (await stepOf(farm, entry.id));
  if (step)
    return change(
      step.before,
      step.commit,
      `landed on ${target} as ${step.commit.slice(0, 9)}${step.removed ? ', and was taken out again by a person' : ''}`,
    );
  if (!commit) return undefined;
  if (entry?.reason === ALREADY) return change(commit, commit, `${target} already had all of it at ${commit.slice(0, 9)}: nothing landed`);
  const before = await resolve(farm.repo, `${commit}^`);
  return before === undefined ? undefined : change(before, commit, `landed on ${target} as ${commit.slice(0, 9)}`);
}

/** The tasks that landed together, by the commit of the landing. */
export async function wholeLanding(farm: Farm, commit: string): Promise<Change | undefined> {
  const row = /^[0-9a-f]{40,64}$/.test(commit) ? await landingAt(farm.db, commit) : undefined;
  if (!row) return undefined;
  const { target, parent: from, removed } = row;
  const text = `landed on ${target} as ${commit.slice(0, 9)}${removed === null ? '' : ', and was taken out again by a person'}`;
  return { shows: 'landing', from, to: commit, text, attempt: null, target, uncommitted: false, leftOut: [] };
}

interface Step {
  readonly before: string;
  readonly commit: string;
  readonly removed: boolean;
}

async function stepOf({ db }: Farm, entry: number): Promise<Step | undefined> {
  const [row] = await landingsWith(db, entry);
  if (!row) return undefined;
  const steps = JSON.parse(row.steps) as { entry: number; commit: string }[];
  const at = steps.findIndex((one) => one.entry === entry);
  const removed = row.removed !== null;
  if (at < 0) return { before: row.parent, commit: row.commit, removed };
  return { before: steps[at - 1]?.commit ?? row.parent, commit: steps[at]!.commit, removed };
}
