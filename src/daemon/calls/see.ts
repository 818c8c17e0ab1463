import type { Handlers } from '../../api/server.ts';
import { eventsAfter } from '../../journal/event.ts';
import { toWall } from '../../platform/clock.ts';
import { FurrowError } from '../../platform/error.ts';
import { splitRef } from '../../task/id.ts';
import { explain, planDispatch } from '../../task/plan.ts';
import { agentLines } from '../agent-lines.ts';
import { totals } from '../cost.ts';
import { aboutOf, QUESTION } from '../failing.ts';
import type { Farm } from '../farm.ts';
import { toFarmEvent } from '../feed.ts';
import { kindReasons, withoutKind } from '../kinds.ts';
import { hangingChecks } from '../output/hanging.ts';
import { outputIn } from '../output/question.ts';
import { dispatchSnapshot, readRows } from '../snapshot.ts';
import { targetLine } from '../target-line.ts';
import { taskLines } from '../task-lines.ts';
import { until } from '../until.ts';
import { choosePhase } from '../work.ts';
import { type Desk, iso } from './context.ts';
import { findWork } from './subject.ts';
import { why } from './why.ts';

type Names = 'ping' | 'status' | 'plan' | 'why' | 'log' | 'attach';

export function see(desk: Desk): Pick<Handlers, Names> {
  const { farm, state, feed } = desk;
  return {
    ping: async () => ({ pid: process.pid, version: farm.version, repo: farm.repo.root }),

    async status() {
      const rows = await readRows(farm);
      const { lines } = await taskLines(desk, rows);
      const counts: Record<string, number> = {};
      for (const line of lines) counts[line.state] = (counts[line.state] ?? 0) + 1;
      const active = rows.work.some((row) => row.state !== 'ended');
      const depth = await farm.db
        .selectFrom('entry')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('ended', 'is', null)
        .executeTakeFirstOrThrow();
      const questions = await farm.db.selectFrom('question').selectAll().where('closed', 'is', null).orderBy('since').execute();
      return {
        farm: { state: active ? (rows.paused ? 'paused' : 'running') : 'stopped', pid: process.pid, version: farm.version },
        agents: agentLines(rows, farm.clock),
        tasks: counts,
        target: farm.target,
        queue: {
          ...(await targetLine(farm, state)),
          depth: depth.n,
          checking: state.queue.running.size,
          hanging: (await hangingChecks(farm)).map((one) => one.text),
        },
        attention: [...trouble(farm), ...questions].map((row) => ({
          id: String(row.id),
          kind: row.kind,
          subject: subjectOf(row),
          reason: row.reason,
          since: iso(row.since),
          agent: row.agent,
          request: requestOf(row),
          output: row.kind === QUESTION ? null : (outputIn(row.data) ?? null),
          expires: row.expires === null ? null : iso(toWall(farm.clock, row.expires)),
        })),
        config: configLine(farm),
        cost: await totals(farm),
      };
    },

    async plan({ phase: named, parallel }) {
      await desk.readBoard();
      const phase = choosePhase(farm, named);
      const rows = await readRows(farm);
      const snapshot = dispatchSnapshot(farm, rows);
      const count = parallel ?? farm.config.parallel;
      const own = snapshot.agents.filter((agent) => agent.phase === phase);
      const agents =
        own.length > 0 ? own : Array.from({ length: count }, (_, n) => ({ name: `agent-${n + 1}`, phase, free: true, paused: false }));
      const lost = kindReasons(farm, withoutKind(farm, snapshot, rows));
      const held = (task: { ref: string }) => lost.has(task.ref);
      const would = { ...snapshot, agents, activePhases: new Set([...snapshot.activePhases, phase]), paused: false, held };
      const now = farm.clock.awake();
      const starts = new Map(planDispatch(would, now).map((one) => [one.task, one.agent]));
      const everyone = snapshot.tasks.map((_, n) => ({ name: `#${n}`, phase, free: true, paused: false }));
      const order = planDispatch({ ...would, agents: everyone }, now).map((one) => one.task);
      const starting = new Set(order);
      const { lines, problems, rows: tasks } = await taskLines(desk, rows);
      const byRef = new Map(tasks.map((row, n) => [row.ref, lines[n]!]));
      const reasons = explain(would, now, farm.clock.now() - now);
      for (const [ref, why] of lost) reasons.set(ref, [why]);
      return {
        phase,
        order: order.map((ref) => {
          const line = byRef.get(ref)!;
          const agent = starts.get(ref);
          return {
            id: line.id,
            title: line.title,
            agent: agent ?? '',
            now: agent !== undefined,
            why: agent ? 'starts now' : (reasons.get(ref)?.[0]?.text ?? 'waits for a free agent'),
          };
        }),
        waiting: [...reasons]
          .filter(([ref, why]) => !starting.has(ref) && why.length > 0 && byRef.get(ref)?.phase === phase)
          .map(([ref, why]) => ({ id: byRef.get(ref)!.id, title: byRef.get(ref)!.title, reasons: why })),
        problems,
      };
    },

    why: ({ subject }) => why(desk, subject),

    async log({ since, last, follow, agent, task }, { signal, item }) {
      const ref = task ? (await findWork(farm, task)).ref : undefined;
      await feed.pump();
      let seq = since ?? (last === undefined ? 0 : Math.max(0, feed.seq - last));
      // A landing is of several tasks, and is told to whoever asks for one of them.
      const about = ({ ref: one, refs }: Record<string, unknown>) => one === ref || (Array.isArray(refs) && refs.includes(ref));
      const wanted = (event: { agent: string | null; data: Record<string, unknown> }) =>
        (!agent || event.agent === agent) && (!ref || about(event.data));
      const catchUp = async () => {
        for (;;) {
          const rows = await eventsAfter(farm.db, seq);
          if (rows.length === 0 || signal.aborted) return;
          for (const row of rows) {
            seq = row.seq;
            const event = toFarmEvent(row);
            if (wanted(event)) item(event);
          }
        }
      };
      if (!follow) await catchUp();
      else
        await until(feed, signal, async () => {
          await catchUp();
          return false;
        });
      return {};
    },

    async attach({ agent }) {
      const { socket, session } = farm.terminals;
      const panes = await farm.terminals.panes();
      if (!panes) throw new FurrowError('NO_TERMINALS', 'no agent has a window now', { hint: 'furrow work' });
      if (!agent) return { socket, session, window: null };
      const row = await farm.db
        .selectFrom('agent')
        .selectAll()
        .where((e) => e.or([e('name', '=', agent), ...(/^\d+$/.test(agent) ? [e('idx', '=', Number(agent))] : [])]))
        .executeTakeFirst();
      const window = panes.find((pane) => pane.name === row?.name)?.window;
      if (!window) throw new FurrowError('NO_WINDOW', `${agent} has no window now`, { hint: 'furrow status' });
      return { socket, session, window };
    },
  };
}

function configLine(farm: Farm) {
  const { version, differs, committedAs } = farm.inputs.now;
  return { source: version.source, commit: version.commit ?? committedAs, since: iso(version.at), differs: differs ?? null };
}

/** What a question is about, by the name that people know. */
function subjectOf({ kind, subject, data }: { kind: string; subject: string; data: string | null }): string {
  if (kind !== QUESTION) return splitRef(subject)?.id ?? subject;
  const { agent, tasks } = aboutOf(data);
  return tasks.length === 1 ? (splitRef(tasks[0]!)?.id ?? tasks[0]!) : (agent ?? subject);
}

/** The exact request behind a question; what is stored beside the others is not one. */
function requestOf({ kind, data }: { kind: string; data: string | null }): unknown {
  if (data === null || kind === QUESTION || OUTPUTS.has(kind)) return null;
  return JSON.parse(data) as unknown;
}

/** Kinds of questions about a failed check. */
const OUTPUTS = new Set(['queue', 'parked', 'rejected', 'conflict']);

/** What cannot be stored, because storing is what fails. */
function trouble(farm: Farm) {
  const [reason] = farm.troubles.values();
  const since = farm.clock.now();
  const nobody = { agent: null, data: null, expires: null };
  return reason ? [{ id: 0, kind: 'trouble', subject: 'farm', reason: `furrow cannot go on: ${reason}`, since, ...nobody }] : [];
}
