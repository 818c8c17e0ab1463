import { asStored, closeQuestions, openQuestions, raiseQuestion } from '../../../work/question/store.ts';
import type { DispatchSnapshot, PlanTask } from '../../../work/task/dispatch.ts';
import type { Reason } from '../../../work/task/explain.ts';
import { graphOf, stateIn } from '../../../work/task/graph.ts';
import { canStart } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import type { Asking } from '../../farm/task-rows.ts';

/** The kind of agent that a task asks for: its own, else that of the work on its phase, else the default of furrow.yaml. */
export function kindsOf(farm: Farm, rows: Pick<FarmRows, 'work'>): (task: Asking) => string {
  const work = new Map(rows.work.map((row) => [row.phase, row.kind]));
  return ({ agent, phase }) => agent ?? work.get(phase) ?? farm.config.agent;
}

/** By kind: tasks that nothing on the board holds back, but whose kind of agent is not in furrow.yaml. */
export function withoutKind(farm: Farm, snapshot: DispatchSnapshot, rows: Pick<FarmRows, 'work' | 'askings'>): Map<string, PlanTask[]> {
  const kindOf = kindsOf(farm, rows);
  const lost = ofUnknownKind(farm, snapshot.tasks, rows.askings, kindOf);
  if (lost.length === 0) return new Map();
  const graph = graphOf(snapshot.tasks);
  return Map.groupBy(
    lost.filter((task) => stateIn(graph, task) === 'ready'),
    kindOf,
  );
}

/** Looks at each pair of a phase and an agent's name once: with 5,000 tasks that is a handful, in every tick. */
function ofUnknownKind({ config }: Farm, tasks: readonly PlanTask[], askings: readonly Asking[], kindOf: (task: Asking) => string) {
  const unknown = new Set(askings.map(kindOf).filter((kind) => !canStart(config, kind)));
  return unknown.size === 0 ? [] : tasks.filter((task) => unknown.has(kindOf(task)));
}

/** The reason of each such task, by its ref. */
export function kindReasons(farm: Farm, lost: ReadonlyMap<string, readonly PlanTask[]>): Map<string, Reason> {
  const kinds = Object.keys(farm.config.agents).join('|');
  return new Map(
    [...lost].flatMap(([kind, tasks]) =>
      tasks.map(({ ref, id }): [string, Reason] => {
        const text = `task ${id} asks for agent kind ${kind}, which furrow.yaml does not have; furrow edit ${id} --agent ${kinds}`;
        return [ref, { code: 'no-kind', text, refs: [] }];
      }),
    ),
  );
}

/** Keeps one question open for each kind that tasks of a started phase ask for and furrow.yaml does not have. */
export async function askForKinds(farm: Farm, rows: FarmRows, lost: ReadonlyMap<string, readonly PlanTask[]>): Promise<void> {
  const worked = new Set(rows.work.map((row) => row.phase));
  const open = await openQuestions(farm.db, { kinds: [KIND] });
  const wanted = new Map(
    [...lost].flatMap(([kind, tasks]): [string, string][] => {
      const [first, ...more] = tasks.filter((task) => worked.has(task.phase));
      return first ? [[kind, question(farm, kind, first, more.length)]] : [];
    }),
  );
  const news = [...wanted].filter(([kind, reason]) => !open.some((one) => one.subject === kind && one.reason === asStored(reason)));
  const over = open.filter((one) => !wanted.has(one.subject));
  if (news.length + over.length === 0) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const [subject, reason] of news) await raiseQuestion(tx, { kind: KIND, subject, reason }, now);
    for (const { subject } of over) await closeQuestions(tx, KIND, subject, 'no task asks for it any more', now);
  });
}

const KIND = 'agent-kind';

function question(farm: Farm, kind: string, { id }: PlanTask, more: number): string {
  const kinds = Object.keys(farm.config.agents).join('|');
  const others = more === 0 ? '' : ` (and ${more} more)`;
  return `task ${id}${others} asks for agent kind ${kind}, which furrow.yaml does not have: add it below agents:, or furrow edit ${id} --agent ${kinds}`;
}
