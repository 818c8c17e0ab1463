import type { In, Out } from '../../api/contract.ts';
import { type PlanAgent, planDispatch } from '../../work/task/dispatch.ts';
import { explain } from '../../work/task/explain.ts';
import type { Farm } from '../farm/farm.ts';
import { dispatchSnapshot, type FarmRows, readRows } from '../farm/snapshot.ts';
import { kindReasons, withoutKind } from '../leader/work/kinds.ts';
import { choosePhase, nextNames, pausedBy } from '../leader/work/work.ts';
import type { Desk } from './context.ts';
import { listTasks } from './view/tasks.ts';

/** The tasks that `furrow work` would start now, with the agents that it would have, and why not the rest. */
export async function plan(desk: Desk, { phase: named, parallel }: In<'plan'>): Promise<Out<'plan'>> {
  const { farm } = desk;
  await desk.readBoard();
  const phase = await choosePhase(farm, named);
  const rows = await readRows(farm);
  const snapshot = dispatchSnapshot(farm, rows);
  const agents = agentsFor(farm, rows, phase, parallel);
  const lost = kindReasons(farm, withoutKind(farm, snapshot, rows));
  const held = (task: { ref: string }) => lost.has(task.ref);
  const would = { ...snapshot, agents, activePhases: new Set([...snapshot.activePhases, phase]), paused: false, held };
  const now = farm.clock.awake();
  const starts = new Map(planDispatch(would, now).map((one) => [one.task, one.agent]));
  const everyone = snapshot.tasks.map((_, n) => ({ name: `#${n}`, phase, free: true, paused: false }));
  const order = planDispatch({ ...would, agents: everyone }, now).map((one) => one.task);
  const starting = new Set(order);
  const { lines, problems, rows: tasks } = await listTasks(desk, rows);
  const byRef = new Map(tasks.map((row, n) => [row.ref, lines[n]!]));
  const reasons = explain(would, now, farm.clock.now() - now);
  for (const [ref, why] of lost) reasons.set(ref, [why]);
  return {
    phase,
    order: order.map((ref) => {
      const { id, title } = byRef.get(ref)!;
      const agent = starts.get(ref);
      const why = agent ? 'starts now' : (reasons.get(ref)?.[0]?.text ?? 'waits for a free agent');
      return { id, title, agent: agent ?? '', now: agent !== undefined, why };
    }),
    waiting: [...reasons]
      .filter(([ref, why]) => !starting.has(ref) && why.length > 0 && byRef.get(ref)?.phase === phase)
      .map(([ref, why]) => ({ id: byRef.get(ref)!.id, title: byRef.get(ref)!.title, reasons: why })),
    problems: [...problems, ...(await pausedBy(farm))],
  };
}

/** The agents of the phase as `work` would have them: those that work on go on, those of a work that ended come back, new ones join. */
function agentsFor(farm: Farm, rows: FarmRows, phase: string, parallel: number | undefined): PlanAgent[] {
  const work = rows.work.find((row) => row.phase === phase && row.state !== 'ended');
  const count = parallel ?? work?.parallel ?? farm.config.parallel;
  const ours = rows.agents.filter((row) => row.phase === phase);
  const back = ours
    .filter((row) => row.idx <= count)
    .map((row) => ({
      name: row.name,
      phase,
      free: row.attempt === null && (row.state === 'idle' || row.state === 'stopped'),
      paused: work !== undefined && row.paused === 1,
    }));
  return [...back, ...nextNames(farm, rows.agents, count - ours.length).map((name) => ({ name, phase, free: true, paused: false }))];
}
