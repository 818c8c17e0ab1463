import { lacksOnlyYes } from '../../queue/green-lacks-approval.ts';
import type { CheckSpec, QueueSnapshot } from '../../queue/snapshot.ts';
import { indexRuns, trailOf } from '../../queue/verdict.ts';
import type { AskedWork } from '../../tell/notice/rule.ts';
import { lastEntryOf, openEntries } from '../../work/entry/read.ts';
import type { Entry } from '../../work/entry/store.ts';
import type { Question } from '../../work/question/store.ts';
import { isRef, splitRef } from '../../work/task/id.ts';
import { outputIn } from '../farm/failed-output.ts';
import { aboutOf, QUESTION } from '../farm/failing.ts';
import type { Farm } from '../farm/farm.ts';
import { targetOf } from '../farm/target-of.ts';
import { queueSnapshot } from './queue/snapshot.ts';
import type { LoopState } from './state.ts';

type Asked = Pick<Question, 'id' | 'subject' | 'agent' | 'data'> & { readonly kind: string };
type Queue = Readonly<LoopState['queue']>;

/** By id of the question; one that is about the farm, or about several tasks, is not in it. */
export async function askedWork(farm: Farm, queue: Queue, questions: readonly Asked[]): Promise<ReadonlyMap<number, AskedWork>> {
  const found = new Map<number, AskedWork>();
  const about = questions.flatMap((one) => {
    const ref = taskOf(one);
    return ref === undefined ? [] : [{ one, ref }];
  });
  if (about.length === 0) return found;
  const tasks = await farm.tasks();
  const open = await openEntries(farm.db);
  let snapshot: QueueSnapshot | undefined;
  for (const { one, ref } of about) {
    const task = tasks.row(ref);
    const newest = tasks.newest.get(ref);
    const last = open.find((entry) => entry.task === ref) ?? (await lastEntryOf(farm.db, ref));
    // An entry of an earlier attempt is not what is asked about.
    const entry = task && last && last.attempt < task.attempt && last.ended !== null ? undefined : last;
    if (!task && !entry) continue;
    if (entry?.ended === null) snapshot ??= await queueSnapshot(farm, queue as LoopState['queue']);
    found.set(one.id, {
      task: splitRef(ref).id,
      title: task?.title ?? entry!.title,
      agent: entry?.agent ?? one.agent ?? newest?.agent ?? null,
      attempt: entry?.attempt ?? (task && task.attempt > 0 ? task.attempt : null),
      commit: entry?.sha ?? newest?.sha ?? null,
      target: targetOf(entry ?? {}, farm),
      checks: entry?.ended === null && snapshot ? checksOf(snapshot, entry) : failedCheck(one),
    });
  }
  return found;
}

/** The one task that a question is about. */
function taskOf({ kind, subject, data }: Asked): string | undefined {
  if (kind === 'pattern') return undefined;
  if (kind !== QUESTION) return isRef(subject) ? subject : undefined;
  const { tasks } = aboutOf(data);
  return tasks.length === 1 ? tasks[0] : undefined;
}

/** An entry that was green alone on an earlier head waits only for a yes, and is not checked again before it. */
function checksOf(snapshot: QueueSnapshot, { id }: Pick<Entry, 'id'>): AskedWork['checks'][number][] {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return [];
  const alone = snapshot.stacked.get(String(id));
  const tree = alone?.kind === 'clean' ? alone.tree : undefined;
  const runs = indexRuns(snapshot.runs, snapshot.abouts);
  const green = lacksOnlyYes(snapshot, entry);
  const answer = (check: CheckSpec) => (tree === undefined ? undefined : trailOf(runs, tree, check.id)?.answer);
  const outcome = (check: CheckSpec) => (green || answer(check) === 'pass' ? 'passed' : answer(check) === 'fail' ? 'failed' : 'open');
  return [...snapshot.checks, ...entry.own].map((check) => ({ name: check.name, outcome: outcome(check) }));
}

/** Of an entry that has left the queue only the check that failed is known. */
function failedCheck({ kind, data }: Asked): AskedWork['checks'][number][] {
  const output = kind === QUESTION ? undefined : outputIn(data);
  return output ? [{ name: output.check, outcome: 'failed' }] : [];
}
