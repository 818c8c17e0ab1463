import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { type Candidate, type Candidates, judgeBrief } from '../../../queue/race/brief.ts';
import type { RaceStep } from '../../../queue/race/plan.ts';
import { advanceEntrant, advanceRace, type Entrant } from '../../../queue/race/store.ts';
import { lastAttemptAt } from '../../../work/attempt/store.ts';
import { beginErrand, endErrand } from '../../../work/errand/store.ts';
import type { Task } from '../../../work/task/store.ts';
import { checkLog } from '../../farm/check-log.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { taskText } from '../../farm/task-text.ts';
import { startCheck } from '../queue/checks.ts';
import { recentRuns, slotsOf } from '../queue/runs.ts';
import type { LoopState } from '../state.ts';
import type { RaceLook } from './facts.ts';

/** Stores that an entrant has finished, passed or failed. If it failed or is stopped, its errand ends. */
export async function moveEntrant(tx: Tx, farm: Farm, look: RaceLook, step: Moves, now: number): Promise<void> {
  const { race, task } = look;
  const entrant = look.entrants.find((one) => one.n === step.n)!;
  const who = { race: race.id, n: step.n, task: race.task };
  const name = `entrant ${step.n} of ${task?.id ?? race.task}`;
  if (step.do === 'finish') {
    const { agent, sha } = step;
    const text = `${name} (${agent}) has finished at ${sha.slice(0, 8)}`;
    await advanceEntrant(tx, who, { on: 'finished' }, now, { agent, sha, text });
  } else if (step.do === 'pass') await advanceEntrant(tx, who, { on: 'passed' }, now, { text: `${name} passes` });
  else {
    const text = `${name} is out: ${step.why.split('\n')[0]}`;
    await advanceEntrant(tx, who, { on: 'failed' }, now, { reason: step.why, text });
    await endErrand(tx, entrant.ref, step.why.split('\n')[0]!, { now, awake: farm.clock.awake() });
  }
}

type Moves = Extract<RaceStep, { do: 'finish' | 'pass' | 'fail' | 'stop' }>;

/** Starts the next check on the merge of an entrant, in a slot that the queue leaves free. */
export async function checkEntrant(
  farm: Farm,
  { queue }: LoopState,
  perform: Performer,
  look: RaceLook,
  { n, tree, commit }: Entrant,
): Promise<void> {
  const verdict = tree === null ? undefined : look.verdicts.get(tree);
  if (tree === null || commit === null || verdict?.is !== 'open' || !farm.trust.now.yes) return;
  const inSlots = [...queue.running.values()].filter((run) => !run.abort.signal.aborted).length;
  const slots = slotsOf(farm, queue, await recentRuns(farm));
  if (inSlots >= slots) return;
  const race = `${look.task?.id ?? look.race.task} (entrant ${n})`;
  startCheck(farm, queue, perform, slots, { tree, commit, check: verdict.next, chain: [], task: look.race.task, race });
}

/** Asks the judge: an agent by an errand, or the command of furrow.yaml. */
export async function askJudge(farm: Farm, { queue }: LoopState, perform: Performer, look: RaceLook, step: Judging): Promise<void> {
  const { race, task } = look;
  if (!task || !queue.head) return;
  const candidates = await candidatesOf(farm, queue.head, look, task, step.among);
  const now = farm.clock.now();
  const { judge: run, reviewer } = farm.config.race;
  await farm.db.transaction().execute(async (tx) => {
    // Asked again after a crash: that was already told.
    if (race.judge !== null) return;
    const brief = step.by === 'agent' ? judgeBrief(candidates) : null;
    const judge = brief === null ? 'command' : await sendJudge(tx, task, reviewer, brief, now);
    if (!(await advanceRace(tx, race.id, { on: 'judging' }, now, { judge }))) return;
    const text = `a judge chooses among entrants ${step.among.join(', ')} of ${task.id}`;
    await append(tx, { kind: 'race.judging', task: race.task, attempt: race.token, text, data: { race: race.id, among: step.among } }, now);
  });
  if (step.by === 'agent' || run === null) return farm.wake();
  const tree = await farm.git.treeOf(queue.head);
  void perform
    .start('race.judge', {
      race: race.id,
      task: race.task,
      commit: queue.head,
      tree,
      run,
      candidates,
      log: checkLog(farm, tree, 'race-judge'),
    })
    .finally(() => farm.wake());
}

type Judging = Extract<RaceStep, { do: 'judge' }>;

const sendJudge = (tx: Tx, { ref, phase, id }: Task, kind: string | null, brief: string, now: number) =>
  beginErrand(
    tx,
    { purpose: 'judge', about: ref, phase, kind, title: `choose the best result for ${id}`, brief, base: null, notBy: null },
    now,
  );

/** The results that a judge chooses among, and the task. */
async function candidatesOf(farm: Farm, head: string, look: RaceLook, task: Task, among: readonly number[]): Promise<Candidates> {
  const entrants: Candidate[] = [];
  for (const { n, ref, sha, commit, lines } of look.entrants.filter((one) => among.includes(one.n))) {
    const last = await lastAttemptAt(farm.db, ref);
    const { usd = null } = look.facts.entrants.find((one) => one.n === n) ?? {};
    const { kind = '', agent = null, branch = '', summary = null } = last ?? {};
    entrants.push({ n, kind, agent, commit: sha ?? '', merged: commit ?? sha ?? '', branch, usd, lines, summary });
  }
  return { task: { id: task.id, title: task.title, text: await taskText(farm, task) }, head, entrants };
}
