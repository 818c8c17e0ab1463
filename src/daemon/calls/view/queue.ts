import type { Out } from '../../../api/contract.ts';
import { recentLandings } from '../../../queue/landing/read.ts';
import { entriesOf, type Landing } from '../../../queue/landing/store.ts';
import { endedEntries, entriesById } from '../../../work/entry/read.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { outputIn } from '../../farm/failed-output.ts';
import { targetOf } from '../../farm/target-of.ts';
import { explainOpen } from '../../leader/queue/explain.ts';
import { unchangedIn } from '../../leader/queue/landing.ts';
import { heldByLeases } from '../../leader/queue/leased-paths.ts';
import { queueSnapshot } from '../../leader/queue/snapshot.ts';
import { waitingElsewhere } from '../../leader/queue/switch-target.ts';
import { notRunFor } from '../checks-not-run.ts';
import { iso, type Shown } from '../context.ts';
import type { Reading } from './reading.ts';
import { haltIn } from './status.ts';

const SHOWN = 200;

/** The merge queue: its entries with their reasons, what landed, and the checks that run. */
export async function queueOf(reading: Reading): Promise<Out<'queue'>> {
  const { state, farm, machine, hosts } = reading.desk;
  const { db } = farm;
  const { snapshot, shown } = await explainedQueue(reading);
  const entries = [...(await reading.open()), ...(await endedEntries(db, SHOWN))].sort((a, b) => a.id - b.id);
  const landings = await recentLandings(db, SHOWN);
  const notRun = await notRunFor(db, landings);
  const halt = haltIn(await reading.questions());
  const hanging = new Map((await reading.hanging()).map((one) => [one.log, one.text]));
  const older = await entriesById(db, landings.flatMap(entriesOf));
  const known = new Map([...older, ...entries].map((row) => [row.id, row]));
  const named = (ids: readonly number[]) => ({
    tasks: ids.map((id) => nameOf(known.get(id)?.task ?? String(id))),
    titles: ids.map((id) => known.get(id)?.title ?? ''),
  });
  return {
    ...(await reading.target()),
    entries: entries.map(shown),
    landings: landings.reverse().map((row) => shownLanding(row, named(entriesOf(row)), notRun.get(row.commit) ?? [])),
    slots: snapshot.slots,
    paused: await reading.paused(),
    halted: halt?.reason ?? null,
    output: (halt && outputIn(halt.data)) ?? null,
    checks: [...state.queue.running.values()].map((run) => ({
      slot: run.slot,
      host: run.host ?? hosts.here,
      check: run.name,
      tree: run.tree,
      ...(run.race === undefined ? named(run.chain) : { tasks: [run.race] }),
      since: iso(run.since),
      setup: machine.checksInSetup.has(run.log),
      log: run.log,
      hanging: hanging.get(run.log) ?? null,
      unchanged: unchangedIn(snapshot, run.tree),
    })),
  };
}

const nameOf = (task: string) => splitRef(task).id;

/**
 * The queue as the planner sees it, and a function that shows an entry with the reason why it is where it is. The planner does not see
 * entries for another target, nor those that a lease holds back.
 */
export async function explainedQueue({ desk: { farm, state } }: Reading) {
  const snapshot = await queueSnapshot(farm, state.queue);
  const planned = explainOpen(snapshot);
  const elsewhere = await waitingElsewhere(farm, state.queue.target);
  const leased = await heldByLeases(farm);
  const codeOf = (id: number) => (elsewhere.has(id) ? 'other-target' : leased.has(id) ? 'lease' : null);
  const plannedText = (id: number) => {
    const text = planned.get(id)?.text;
    const at = runsElsewhere(state, id);
    return text === undefined || at === undefined ? text : `${text}, by ${at}`;
  };
  const shown = (row: Entry): Out<'queue'>['entries'][number] => ({
    task: nameOf(row.task),
    title: row.title,
    phase: splitRef(row.task).phase,
    attempt: row.attempt,
    sha: row.sha,
    state: row.state,
    approved: row.approved === null ? null : iso(row.approved),
    checks: row.checks,
    at: iso(row.at),
    code: planned.get(row.id)?.code ?? codeOf(row.id),
    reason: plannedText(row.id) ?? elsewhere.get(row.id) ?? leased.get(row.id) ?? row.reason,
    target: targetOf(row, farm),
  });
  return { snapshot, shown };
}

/** The machine that checks an entry, if it is one that joined the farm. */
const runsElsewhere = ({ queue }: Shown, entry: number): string | undefined =>
  [...queue.running.values()].find((run) => run.chain.at(-1) === entry && run.host !== undefined)?.host;

const shownLanding = (row: Landing, named: { tasks: string[]; titles: string[] }, unchanged: readonly string[]) => ({
  commit: row.commit,
  tree: row.tree,
  ...named,
  at: iso(row.at),
  published: row.published !== null,
  target: row.target,
  checks: row.checks,
  unchanged: [...unchanged],
});
