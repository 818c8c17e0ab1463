import { judgedBy } from './green.ts';
import { push, stackUp } from './line.ts';
import { hasLanded, isReady, type Look, lives, markOf } from './look.ts';
import type { Chain, CheckSpec, Group, Probe, QueueEntry } from './snapshot.ts';
import { verdictOf } from './verdict.ts';

/** Brings every group to what is known by now. */
export function narrowGroups(look: Look): void {
  look.groups = look.groups.flatMap((group) => {
    let now = cleaned(look, group);
    while (now) {
      const next = narrowed(look, now);
      if (next === now) break;
      // What is left may have merged only with what was cut off in front of it.
      now = next && cleaned(look, next);
    }
    return now ? [now] : [];
  });
}

/** Without what has ended, what waits for something that will never land, and what does not stack any more. */
function cleaned(look: Look, group: Group): Group | undefined {
  const ids = group.ids.filter((id) => {
    const entry = look.open.get(id);
    if (!entry || !lives(look, id)) return false;
    const hopeless = entry.after.find((task) => !hasLanded(look, task) && !look.openTasks.has(task));
    if (hopeless) look.back.set(id, `released: it waits for ${hopeless}`);
    return !hopeless;
  });
  const clash = clashIn(look, ids);
  if (clash !== undefined) {
    look.back.set(clash, 'released without blame: it does not merge with the others any more');
    return cleaned(look, { ...group, ids: ids.filter((id) => id !== clash) });
  }
  return ids.length > 0 ? { ...group, ids } : undefined;
}

function clashIn(look: Look, ids: Chain): number | undefined {
  const links = stackUp(look, ids);
  const entry = look.open.get(ids[links.length] ?? -1);
  return entry && links.length > 0 && push(look, [...links], entry) === 'out' ? entry.id : undefined;
}

/** Cuts off what is known: a green part in front is cleared, and behind a red part all is released untested. */
function narrowed(look: Look, group: Group): Group | undefined {
  const known = knownCuts(look, group);
  const green = known.lastIndexOf('green') + 1;
  if (green > 0) {
    if (group.yes) note(look, group.ids[0]!);
    else for (const id of group.ids.slice(0, green)) clear(look, id);
    return green < group.ids.length ? { ...group, ids: group.ids.slice(green) } : undefined;
  }
  const red = known.indexOf('red') + 1;
  if (red === 0 || red === group.ids.length) return group;
  for (const id of group.ids.slice(red)) look.back.set(id, 'released untested: the part before it is red without it');
  return { ...group, ids: group.ids.slice(0, red) };
}

/** An entry that awaits a person's yes was green: it is shown to them. What was red before is no mark against it. */
function note(look: Look, id: number): void {
  const entry = look.open.get(id)!;
  look.marks.set(id, { cleared: markOf(look, id).cleared, reds: [] });
  if (entry.awaitsYes) look.green.set(id, judgedBy(look.snapshot, entry));
}

function clear(look: Look, id: number): void {
  look.marks.set(id, { cleared: markOf(look, id).cleared + 1, reds: [] });
  look.back.set(id, 'cleared: green on the head without the rest of its group');
}

/** What is known of each part in front of the group, by its size less one: on this head, and from probes on earlier ones. */
function knownCuts(look: Look, group: Group): ('green' | 'red' | undefined)[] {
  const known = new Array<'green' | 'red' | undefined>(group.ids.length).fill(undefined);
  const learn = (size: number, tree: string, checks: readonly CheckSpec[]) => {
    const verdict = verdictOf(look.runs, tree, checks);
    if (verdict.is !== 'open') known[size - 1] = verdict.is;
  };
  for (const probe of group.probes) {
    const size = reach(probe, group.ids);
    if (size > 0) learn(size, probe.tree, checksFor(look, probe.ids));
  }
  for (const [at, link] of stackUp(look, group.ids).entries()) learn(at + 1, link.tree, link.checks);
  return known;
}

/**
 * How much of a group a probe speaks about. Entries in front that were in the group when it was asked are known to be green
 * by now, so that it speaks about the rest; 0 if it speaks about others.
 */
export function reach(probe: Probe, ids: Chain): number {
  const from = probe.ids.indexOf(ids[0]!);
  const rest = probe.ids.slice(from);
  return from >= 0 && rest.every((id, at) => ids[at] === id) ? rest.length : 0;
}

function checksFor(look: Look, ids: Chain): CheckSpec[] {
  const own = ids.flatMap((id) => look.open.get(id)?.own ?? []);
  return [...new Map([...look.snapshot.checks, ...own].map((check) => [check.id, check])).values()];
}

/** How many in front can be put on the head: the first that needs something unlanded outside the group has to wait. */
export function reachable(look: Look, group: Group): number {
  const tasks = new Set<string>();
  for (const [at, id] of group.ids.entries()) {
    const entry = look.open.get(id) as QueueEntry;
    if (!isReady(look, entry) && !entry.after.every((task) => tasks.has(task) || hasLanded(look, task))) return at;
    tasks.add(entry.task);
  }
  return group.ids.length;
}
