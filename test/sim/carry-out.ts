import type { QueuePlan } from '../../src/queue/plan.ts';
import type { QueueNotes } from '../../src/queue/snapshot.ts';
import type { Tree } from './tree.ts';
import { type OpenEntry, taskOf, type World } from './world.ts';

/** Told of what happens, for time and totals. */
export interface Listener {
  started(tree: Tree, check: string): void;
  landed(entries: readonly OpenEntry[]): void;
  handedBack(entry: OpenEntry): void;
  rejected(entry: OpenEntry, innocent: boolean): void;
}

/** Does what a plan says, and cries when that breaks a rule. Answers whether the plan has to be made again. */
export function carryOut(world: World, plan: QueuePlan, listener: Listener): boolean {
  // As through the store: what is not plain JSON would be lost.
  world.notes = JSON.parse(JSON.stringify(plan.notes)) as QueueNotes;
  for (const { entry, state } of plan.states) openEntry(world, entry).state = state;
  const ends = plan.contained.length + plan.handback.length + plan.refuse.length + plan.reject.length + (plan.land ? 1 : 0);
  const again = ends + plan.stack.length > 0;
  if (world.paused && ends + plan.checks.length > 0) world.cry('nothing begins or ends in a pause', 'the plan starts or ends something');
  startAndCancel(world, plan, listener, !again || world.workload.parameters.eager);
  for (const id of plan.contained) pass(world, id, listener);
  for (const { entry } of plan.handback) handBack(world, entry, listener);
  for (const { entry } of plan.refuse) refuse(world, entry, listener);
  for (const rejection of plan.reject) reject(world, rejection, listener);
  if (plan.land) land(world, plan.land, listener);
  return again;
}

function startAndCancel(world: World, plan: QueuePlan, listener: Listener, start: boolean): void {
  for (const { tree, check } of plan.cancel) {
    const at = world.running.findIndex((run) => run.tree.id === tree && run.check === check);
    if (at < 0) world.cry('checks are of known trees', `cancels ${check} on ${tree}, which does not run`);
    world.running.splice(at, 1);
  }
  if (!start) return;
  for (const { tree, chain, check } of plan.checks) {
    const built = world.tree(chain);
    if ('kind' in built || built.id !== tree) world.cry('checks are of known trees', `[${chain}] on the head is not the tree ${tree}`);
    if (world.running.some((run) => run.tree === built && run.check === check.id))
      world.cry('checks are of known trees', `${check.id} on [${chain}] runs already`);
    listener.started(built, check.id);
  }
  // With slots taken away, what runs in them may come to its end; only nothing new may begin.
  if (plan.checks.length > 0 && world.running.length > world.slots)
    world.cry('no more checks than slots', `${world.running.length} checks run in ${world.slots} slots`);
}

function openEntry(world: World, id: number): OpenEntry {
  return world.open.get(id) ?? world.cry('an entry ends once', `entry ${id} is not open`);
}

function end(world: World, id: number): OpenEntry {
  const entry = openEntry(world, id);
  world.open.delete(id);
  return entry;
}

function land(world: World, { entries, tree, head, unchecked }: NonNullable<QueuePlan['land']>, listener: Listener): void {
  const landing = entries.map((id) => openEntry(world, id));
  const built = world.tree(entries);
  if (entries.length === 0 || 'kind' in built || built.id !== tree || head !== `h${world.head}`)
    world.cry('what lands is what was planned', `[${entries}] on the head h${world.head} is not the tree ${tree} on ${head}`);
  const tasks = new Set(world.landedTasks);
  for (const { change, awaitsYes } of landing) {
    if (awaitsYes) world.cry('nothing lands without its yes', `${taskOf(change)} lands, and nobody said yes to it`);
    const missing = change.after.find((needed) => !tasks.has(`sim/${needed}`));
    if (missing !== undefined) world.cry('landings are dependency-closed', `${taskOf(change)} lands before sim/${missing}`);
    tasks.add(taskOf(change));
  }
  const required = world.checksOf(entries);
  const red = required.find((check) => world.forest.isRed(built, check));
  if (red !== undefined) world.cry('no red landing', `[${entries}] fails ${red}`);
  const passed = new Set(world.runs.filter((run) => run.tree === tree && run.outcome === 'pass').map(({ check }) => check));
  const missed = required.find((check) => !passed.has(check));
  if (missed !== undefined || unchecked !== (required.length === 0))
    world.cry('no unverified landing', `[${entries}] has not passed ${missed ?? 'anything, and not a word of it'}`);
  world.advance(entries, built);
  for (const { id, change } of landing) {
    end(world, id);
    world.landedTasks.add(taskOf(change));
    world.record.passes++;
  }
  listener.landed(landing);
}

function pass(world: World, id: number, listener: Listener): void {
  const entry = end(world, id);
  if (!world.headTree.has.has(entry.change.source))
    world.cry('only contained work is passed over', `the head has nothing of ${taskOf(entry.change)}`);
  world.landedTasks.add(taskOf(entry.change));
  listener.landed([entry]);
}

function handBack(world: World, id: number, listener: Listener): void {
  openEntry(world, id);
  const merged = world.tree([id]);
  if (!('kind' in merged) || merged.kind !== 'conflict') world.cry('only conflicts are handed back', `entry ${id} merges with the head`);
  listener.handedBack(end(world, id));
}

function refuse(world: World, id: number, listener: Listener): void {
  const entry = end(world, id);
  if (!entry.change.unrelated) world.cry('only unmergeable work is refused', `entry ${id} has a common history`);
  listener.rejected(entry, false);
}

/** Evidence is enough red runs of the entry alone on a head. Without flakes it is also true. */
function reject(world: World, { entry: id, check, runs }: QueuePlan['reject'][number], listener: Listener): void {
  const entry = openEntry(world, id);
  const { retries, flakes } = world.workload.parameters;
  const red = new Set(runs.filter((run) => isRedAlone(world, entry, check, run)));
  if (red.size < retries + 1 || red.size < runs.length)
    world.cry('rejections have evidence', `entry ${id} has ${red.size} red runs alone of ${runs.length}, needs ${retries + 1}`);
  if (entry.state !== 'quarantined') world.cry('rejections have evidence', `entry ${id} is ${entry.state}, not quarantined`);
  const innocent = world.forest.innocent(entry.change.id, world.headTree);
  if (innocent && flakes === 0) world.cry('no good change is rejected', `${taskOf(entry.change)} is good on the head`);
  end(world, id);
  world.record.fails++;
  listener.rejected(entry, innocent);
}

/** A run of the check on a tree that is nothing but the entry on some head, which is green itself. */
function isRedAlone(world: World, entry: OpenEntry, check: string, id: number): boolean {
  const run = world.runs[id - 1];
  const tree = run && world.forest.get(run.tree);
  if (!tree || run.outcome !== 'fail' || run.check !== check) return false;
  const { source } = entry.change;
  const head = world.forest.without(tree, source);
  return tree.has.get(source) === entry.attempt && world.heads.has(head.id) && !world.forest.isRed(head, check);
}
