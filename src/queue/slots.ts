import { older, type QueueFacts, runKey } from './facts.ts';
import { errorText, isHeadSuspect } from './halt.ts';
import type { QueuePlan, WantedCheck } from './plan-types.ts';
import { chainSlots } from './risk.ts';
import { headWant, type Search, type Want } from './search.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

export type Work = Pick<QueuePlan, 'checks' | 'cancel' | 'halted'>;

interface Wishes {
  readonly chain: readonly Want[];
  readonly searches: readonly Search[];
  /** A landing is about to change the head. */
  readonly landing: boolean;
  /** Merges are not known yet. */
  readonly merging: boolean;
  /** Some of these are of the chain, so not all of its checks are listed yet. */
  readonly stacking: boolean;
}

/** Fits the wanted checks into the slots. */
export function fitIntoSlots(facts: QueueFacts, wishes: Wishes): Work {
  const { chain, searches, landing, merging } = wishes;
  const { running, slots } = facts.snapshot;
  const listing = listed(facts, chain, searches);
  const broken = landing ? undefined : listing.find((want) => want.broken && !facts.busy.has(keyOf(facts, want)));
  const proof = broken && headProof(facts, broken);
  const halted = broken && !proof ? brokenText(facts, broken) : undefined;
  const wanted = proof ? [proof] : listing;
  const staleTrees = new Set(searches.flatMap(({ stale }) => stale.map((trial) => trial.tree)));
  const useful = new Set([...listing, ...wanted].map((want) => keyOf(facts, want)));
  const isUseful = (run: { tree: string; check: string }) =>
    staleTrees.has(run.tree) || useful.has(runKey(facts.runs, run.tree, run.check));
  // Checks end only after the head has moved, or the merges are known.
  const cancel = landing || halted || merging ? [] : running.filter((run) => !isUseful(run));
  const free = landing || halted ? 0 : Math.max(0, slots - running.length + cancel.length);
  const due = merging ? whileMerging(facts, wanted, wishes) : wanted;
  const begin = due.filter((want) => !facts.busy.has(keyOf(facts, want))).slice(0, free);
  return {
    checks: begin.map(({ tree, chain: ids, check, purpose }): WantedCheck => ({ tree, chain: ids, check, purpose })),
    cancel: cancel.map(({ tree, check }) => ({ tree, check })),
    halted,
  };
}

/**
 * The checks that need not wait for merges. Slots that the chain will need are left to it; a search goes on in the others. When all waited,
 * no check ran in 27 % of the time and up to four slots were empty for a whole check.
 */
function whileMerging({ slots }: QueueFacts, wanted: readonly Want[], { searches, stacking }: Wishes): Want[] {
  const due = wanted.filter(({ spare }) => !spare);
  if (!stacking) return due;
  if (slots <= 2) return due.filter(({ purpose }) => purpose !== 'confirm');
  const active = searches.filter(({ wants, stale }) => wants.length + stale.length > 0);
  let left = slots - chainSlots(slots, active.length) - active.flatMap(({ stale }) => stale).length;
  return due.filter(({ purpose }) => purpose === 'chain' || left-- > 0);
}

/**
 * A suspect head first, then chain and search alternately, the chain first. With one slot groups are cut first: the green part of one
 * lands, and the rest needs no check that follows from it. Nothing twice.
 */
function listed(facts: QueueFacts, chain: readonly Want[], searches: readonly Search[]): Want[] {
  const rounds = Math.max(0, ...searches.map(({ wants }) => wants.length));
  const search = Array.from({ length: rounds }, (_, at) => searches.flatMap(({ wants }) => wants.slice(at, at + 1))).flat();
  const trials = facts.slots <= 2 ? search.filter((want) => want.purpose === 'trial') : [];
  const others = search.filter((want) => !trials.includes(want) && !want.spare);
  const searchFirst = facts.slots === 1 && chain[0] && others[0] && older(others[0].oldest, chain[0].oldest) < 0;
  const [first, second] = searchFirst ? [others, chain] : [chain, others];
  const mixed = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]]).flat();
  const byKey = new Map<string, Want>();
  for (const want of [suspectHead(facts, trials[0] ?? mixed[0] ?? mixed[1]), ...trials, ...mixed, ...search.filter((want) => want.spare)]) {
    if (want && !byKey.has(keyOf(facts, want))) byKey.set(keyOf(facts, want), want);
  }
  return [...byKey.values()];
}

function suspectHead(facts: QueueFacts, first: Want | undefined): Want | undefined {
  const check = first && facts.snapshot.checks.find((one) => isHeadSuspect(facts, one));
  if (!check) return undefined;
  const broken = (trailOf(facts.runs, facts.snapshot.headTree, check.id)?.errors ?? 0) >= MAX_ERRORS;
  return headWant(facts, { check, broken }, first.oldest);
}

/** A check of the head, before the queue halts for a tree on which a check cannot run. If it runs on the head, that tree is the trouble. */
function headProof(facts: QueueFacts, { check, tree, oldest }: Want): Want | undefined {
  const { snapshot, runs } = facts;
  const known = trailOf(runs, snapshot.headTree, check.id);
  const isForAll = snapshot.checks.some((one) => one.id === check.id);
  const isHead = aboutOf(runs, tree, check.id) === aboutOf(runs, snapshot.headTree, check.id);
  const isKnown = known?.answer === 'fail' || (known?.errors ?? 0) >= MAX_ERRORS;
  return isForAll && !isHead && !isKnown ? headWant(facts, { check, broken: false }, oldest) : undefined;
}

function brokenText(facts: QueueFacts, broken: Want): string {
  const tasks = broken.chain.map((id) => facts.open.get(id)!.task);
  const last = tasks.length > 1 ? `${tasks.at(-1)} stacked on ${tasks.slice(0, -1).join(', ')}` : tasks[0];
  return errorText(facts, broken.check, broken.tree, last ?? 'the head');
}

const keyOf = ({ runs }: QueueFacts, { tree, check }: Want) => runKey(runs, tree, check.id);
