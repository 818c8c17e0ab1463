import type { ListedTask } from '../../../api/contract.ts';
import type { QuestionKind } from '../../../work/question/kind.ts';
import { openQuestions } from '../../../work/question/store.ts';
import { indexTasks, type TaskIndex, type TaskState, taskState } from '../../../work/task/derive.ts';
import type { DispatchSnapshot, PlanTask } from '../../../work/task/dispatch.ts';
import { explain, type Reason } from '../../../work/task/explain.ts';
import { cycleText, graphOf } from '../../../work/task/graph.ts';
import type { Task } from '../../../work/task/store.ts';
import { takenOf } from '../../../work/task/taken-over.ts';
import type { Farm } from '../../farm/farm.ts';
import { dispatchSnapshot, type FarmRows, readRows } from '../../farm/snapshot.ts';
import { kindReasons, withoutKind } from '../../leader/work/kinds.ts';
import type { Desk } from '../context.ts';

export interface TaskList {
  readonly lines: ListedTask[];
  readonly reasons: Map<string, Reason[]>;
  readonly problems: string[];
  readonly rows: readonly Task[];
}

/** Every task as people and scripts see it. All faces get it from here, so all of them say the same. */
export async function listTasks({ farm, state }: Desk, known?: FarmRows): Promise<TaskList> {
  const rows = known ?? (await readRows(farm));
  const snapshot = dispatchSnapshot(farm, rows);
  const reasons = explain(snapshot, farm.clock.awake(), farm.clock.now() - farm.clock.awake());
  // A task that nothing on the board holds back may still have to wait for its kind of agent.
  const index = indexTasks(snapshot.tasks);
  const lost = kindReasons(farm, withoutKind(farm, snapshot, rows));
  for (const task of snapshot.tasks) {
    const kind = lost.get(task.ref);
    const held = kind ? undefined : state.held.get(task.ref);
    if (kind) reasons.set(task.ref, [kind, ...(reasons.get(task.ref) ?? []).filter((one) => one.code === 'phase-idle')]);
    if (held && taskState(task, index) === 'ready')
      reasons.set(task.ref, [...(reasons.get(task.ref) ?? []), { code: held.code, text: held.text, refs: [] }]);
  }
  for (const [ref, text] of await waitingForPerson(farm))
    if (reasons.get(ref)?.[0]?.code === 'in-queue') reasons.set(ref, [{ code: 'in-queue', text, refs: [] }]);
  const lines = rows.tasks.map((row, n): ListedTask => {
    const task = snapshot.tasks[n] as PlanTask;
    const attempt = rows.newest.get(row.ref);
    const why = reasons.get(row.ref) ?? [];
    return {
      id: row.id,
      title: row.title,
      phase: row.phase,
      status: row.status,
      state: shownState(snapshot, index, task),
      priority: row.priority,
      depends_on: [...task.dependsOn],
      agent: row.taken === null ? (attempt?.agent ?? null) : null,
      model: row.model,
      effort: row.effort,
      ...(row.issue !== null && { issue: row.issue }),
      attempt: row.attempt,
      branch: takenOf(row)?.branch ?? attempt?.branch ?? null,
      taken_by: takenOf(row)?.by ?? null,
      commit: row.unchanged === null ? (row.commit ?? attempt?.sha ?? null) : null,
      reason: row.unchanged !== null ? unchangedReason(row.unchanged).text : why.length > 0 ? why.map((one) => one.text).join('; ') : null,
      missing: row.missing === null ? null : new Date(row.missing).toISOString(),
    };
  });
  return { lines, reasons, problems: problemsOf(snapshot.tasks, state.scan?.quarantined ?? []), rows: rows.tasks };
}

const FOR_PERSON: Partial<Record<QuestionKind, string>> = {
  approval: 'passed its checks and waits for your approval',
  review: 'waits for your decision about its review',
};

/** The tasks in the queue that only a person can move, and for what they wait: "is in the queue" would not say so. */
async function waitingForPerson({ db }: Pick<Farm, 'db'>): Promise<[ref: string, text: string][]> {
  const asked = await openQuestions(db);
  return asked.flatMap(({ kind, subject }) => (FOR_PERSON[kind] ? [[subject, FOR_PERSON[kind]] as const] : []));
}

/** The tasks of the board, without errands. */
export const onBoard = ({ lines, rows }: TaskList): ListedTask[] => lines.filter((_, n) => rows[n]!.purpose === 'work');

/** A task that a person has claimed is taken, whatever its column says. */
function shownState(snapshot: DispatchSnapshot, index: TaskIndex, task: PlanTask): TaskState {
  const state = taskState(task, index);
  return state === 'ready' && snapshot.claim?.(task) ? 'leased' : state;
}

/** The reason why a task counts as landed without a commit. */
export const unchangedReason = (reason: string): Reason => ({ code: 'unchanged', text: `needed no change: ${reason}`, refs: [] });

/** The problems of the board as a whole. */
function problemsOf(tasks: readonly PlanTask[], quarantined: readonly { file: string; line: number; reason: string }[]): string[] {
  const graph = graphOf(tasks);
  return [
    ...quarantined.map((one) => `${one.file}:${one.line}: ${one.reason}`),
    ...graph.cycles.map((cycle) => `these wait for each other: ${cycleText(cycle)}`),
    ...[...graph.missing].map(([task, names]) => `${task.id} waits for ${names.join(', ')}, which the board does not have`),
  ];
}
