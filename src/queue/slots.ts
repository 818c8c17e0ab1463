import type { Decision } from './decide.ts';
import { errorText, suspectHead } from './head.ts';
import { segmentsOf } from './line.ts';
import { type Look, older, runKey } from './look.ts';
import type { QueuePlan, WantedCheck } from './plan.ts';
import type { Search, Want } from './probes.ts';
import type { Group, QueueEntry, QueueNotes } from './snapshot.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

export type Work = Pick<QueuePlan, 'checks' | 'cancel' | 'halted' | 'notes'>;

/** Fits what is wanted into the slots. */
export function arrange(decision: Decision): Work {
  const { look, land } = decision;
  const { running, slots } = look.snapshot;
  const listing = listed(look, decision.chain, decision.searches);
  const broken = land ? undefined : listing.find((want) => want.broken && !look.busy.has(keyOf(look, want.tree, want.check.id)));
  const proof = broken && headProof(look, broken);
  const halted = broken && !proof ? brokenText(look, broken) : undefined;
  const wanted = proof ? [proof] : listing;
  const keys = new Set([
    ...[...listing, ...wanted].map((want) => keyOf(look, want.tree, want.check.id)),
    ...decision.searches
      .flatMap((search) => search.stale)
      .flatMap((probe) => running.filter((run) => run.tree === probe.tree).map((run) => keyOf(look, run.tree, run.check))),
  ]);
  // A landing changes the head in a moment: then is the time to begin and to end checks. The same goes for merges not yet known.
  const settled = !land && !halted && look.asks.size === 0;
  const cancel = settled ? running.filter((run) => !keys.has(keyOf(look, run.tree, run.check))) : [];
  const free = land || halted ? 0 : Math.max(0, slots - running.length + cancel.length);
  const begin = wanted.filter((want) => !look.busy.has(keyOf(look, want.tree, want.check.id))).slice(0, free);
  return {
    checks: begin.map(({ tree, chain, check, purpose }): WantedCheck => ({ tree, chain, check, purpose })),
    cancel: cancel.map(({ tree, check }) => ({ tree, check })),
    halted,
    notes: notesOf(look, decision.searches, begin),
  };
}

/** Chain and search in turn, the chain first; with one slot whoever has the oldest entry. Nothing twice. */
function listed(look: Look, chain: readonly Want[], searches: readonly Search[]): Want[] {
  const search: Want[] = [];
  for (let at = 0; searches.some(({ wants }) => wants.length > at); at++)
    search.push(...searches.flatMap(({ wants }) => wants.slice(at, at + 1)));
  const searchFirst = look.slots === 1 && chain[0] && search[0] && older(search[0].oldest, chain[0].oldest) < 0;
  const [first, second] = searchFirst ? [search, chain] : [chain, search];
  const turns = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]]).flat();
  const byKey = new Map<string, Want>();
  for (const want of [headWant(look, turns[0]?.oldest), ...turns]) {
    if (!want) continue;
    const key = keyOf(look, want.tree, want.check.id);
    if (!byKey.has(key)) byKey.set(key, want);
  }
  return [...byKey.values()];
}

function headWant(look: Look, oldest: QueueEntry | undefined): Want | undefined {
  const check = suspectHead(look);
  const { headTree: tree } = look.snapshot;
  if (!check || !oldest) return undefined;
  const broken = (trailOf(look.runs, tree, check.id)?.errors ?? 0) >= MAX_ERRORS;
  return { tree, chain: [], check, purpose: 'head', oldest, broken };
}

/** Before the line stops for a tree on which a check cannot be run: can it be run on the head? Then that tree is the trouble. */
function headProof(look: Look, broken: Want): Want | undefined {
  const { headTree, checks } = look.snapshot;
  const everybody = checks.some((check) => check.id === broken.check.id);
  const known = trailOf(look.runs, headTree, broken.check.id);
  if (
    !everybody ||
    aboutOf(look.runs, broken.tree, broken.check.id) === aboutOf(look.runs, headTree, broken.check.id) ||
    known?.answer === 'fail' ||
    (known?.errors ?? 0) >= MAX_ERRORS
  )
    return undefined;
  return { ...broken, tree: headTree, chain: [], purpose: 'head', broken: false };
}

function brokenText(look: Look, broken: Want): string {
  const tasks = broken.chain.map((id) => look.open.get(id)!.task);
  const last = tasks.length > 1 ? `${tasks.at(-1)} stacked on ${tasks.slice(0, -1).join(', ')}` : tasks[0];
  return errorText(look, broken.check, broken.tree, last ?? 'the head');
}

function notesOf(look: Look, searches: readonly Search[], begin: readonly Want[]): QueueNotes {
  const { headTree } = look.snapshot;
  const begun = new Set(begin.map((want) => want.tree));
  const groups = searches.map(({ group, wants, stale }): Group => {
    const current = wants.filter((want) => want.purpose !== 'head' && (begun.has(want.tree) || look.busyTrees.has(want.tree)));
    return { ...group, probes: [...stale, ...current.map(({ chain, tree }) => ({ ids: chain, tree, headTree }))] };
  });
  const marks = [...look.marks].filter(([id, mark]) => !look.gone.has(id) && mark.cleared + mark.reds.length > 0);
  const green = [...look.green].filter(([id]) => !look.gone.has(id));
  const notes = { segments: segmentsOf(look.line), held: look.held, groups, marks: Object.fromEntries(marks) };
  return green.length > 0 ? { ...notes, green: Object.fromEntries(green) } : notes;
}

const keyOf = (look: Look, tree: string, check: string) => runKey(look.runs, tree, check);
