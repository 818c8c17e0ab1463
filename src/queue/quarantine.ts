import { hasLanded, type QueueFacts } from './facts.ts';
import { reach } from './groups.ts';
import { linkOnto, stackUp } from './links.ts';
import type { Chain, CheckSpec, Group } from './snapshot.ts';
import { verdictOf } from './verdict.ts';

/**
 * By entry: the reason why it left its group or its hold and is in the pool again. Quarantine is in three files: this one narrows a group
 * by what is known, `search.ts` picks the next checks, and `confirm.ts` convicts a single suspect.
 */
export type Released = ReadonlyMap<number, string>;

export interface Narrowed {
  readonly groups: readonly Group[];
  /** Entries found green without the rest of their group. */
  readonly cleared: readonly number[];
  /** Entries that were checked alone for a person's yes, and are green. */
  readonly forYes: readonly number[];
  readonly released: Released;
}

/** Narrows every group by the verdicts that are known now. */
export function narrowGroups(facts: QueueFacts, groups: readonly Group[]): Narrowed {
  const all = groups.map((group) => narrowGroup(facts, group));
  return {
    groups: all.flatMap(({ group }) => (group ? [group] : [])),
    cleared: all.flatMap((one) => one.cleared),
    forYes: all.flatMap((one) => one.forYes),
    released: new Map(all.flatMap((one) => [...one.released])),
  };
}

interface Step extends Omit<Narrowed, 'groups'> {
  /** Undefined: it is empty. */
  readonly group: Group | undefined;
}

function narrowGroup(facts: QueueFacts, group: Group): Step {
  let now = cleaned(facts, group);
  while (now.group) {
    const next = cutKnown(facts, now.group);
    if (next.group === now.group) break;
    // The rest may have merged only with the part in front that was cut off.
    now = both(now, next.group ? both(next, cleaned(facts, next.group)) : next);
  }
  return now;
}

const both = (a: Step, b: Step): Step => ({
  group: b.group,
  cleared: [...a.cleared, ...b.cleared],
  forYes: [...a.forYes, ...b.forYes],
  released: new Map([...a.released, ...b.released]),
});

const NOTHING = { cleared: [], forYes: [], released: new Map<number, string>() };

/** Removes entries that have ended, that wait for something that will never land, or that no longer stack. */
function cleaned(facts: QueueFacts, group: Group): Step {
  const released = new Map<number, string>();
  let ids = group.ids.filter((id) => {
    const entry = facts.live.get(id);
    const hopeless = entry?.after.find((task) => !hasLanded(facts, task) && !facts.openTasks.has(task));
    if (hopeless) released.set(id, `back in the queue: it waits for ${hopeless}`);
    return entry && !hopeless;
  });
  for (let clash = clashIn(facts, ids); clash !== undefined; clash = clashIn(facts, ids)) {
    released.set(clash, 'back in the queue: it no longer merges with the others of its group');
    ids = ids.filter((id) => id !== clash);
  }
  return { ...NOTHING, group: ids.length > 0 ? { ...group, ids } : undefined, released };
}

function clashIn(facts: QueueFacts, ids: Chain): number | undefined {
  const top = stackUp(facts, ids);
  const entry = facts.open.get(ids[top.length] ?? -1);
  return entry && top.length > 0 && linkOnto(facts, top.at(-1), entry) === 'clash' ? entry.id : undefined;
}

/** Cuts off what is known: clears a green part in front, and releases everything behind a red part untested. */
function cutKnown(facts: QueueFacts, group: Group): Step {
  const { ids } = group;
  const known = knownCuts(facts, group);
  const green = known.lastIndexOf('green') + 1;
  if (green > 0) {
    const rest = green < ids.length ? { ...group, ids: ids.slice(green) } : undefined;
    return { ...NOTHING, group: rest, ...(group.yes ? { forYes: ids.slice(0, 1) } : { cleared: ids.slice(0, green) }) };
  }
  const red = known.indexOf('red') + 1;
  if (red === 0 || red === ids.length) return { ...NOTHING, group };
  const released = new Map(ids.slice(red).map((id) => [id, 'back in the queue: checks fail without it too']));
  return { ...NOTHING, group: { ...group, ids: ids.slice(0, red) }, released };
}

/** The verdict of each front part of the group, by its size less one: on this head, and from trials on earlier heads. */
function knownCuts(facts: QueueFacts, group: Group): ('green' | 'red' | undefined)[] {
  const known = new Array<'green' | 'red' | undefined>(group.ids.length).fill(undefined);
  const learn = (size: number, tree: string, checks: readonly CheckSpec[]) => {
    const verdict = verdictOf(facts.runs, tree, checks);
    if (verdict.is !== 'open') known[size - 1] = verdict.is;
  };
  for (const trial of group.trials) {
    const size = reach(trial, group.ids);
    if (size > 0) learn(size, trial.tree, checksFor(facts, trial.ids));
  }
  for (const [at, link] of stackUp(facts, group.ids).entries()) learn(at + 1, link.tree, link.checks);
  return known;
}

function checksFor(facts: QueueFacts, ids: Chain): CheckSpec[] {
  const own = ids.flatMap((id) => facts.open.get(id)?.own ?? []);
  return [...new Map([...facts.snapshot.checks, ...own].map((check) => [check.id, check])).values()];
}
