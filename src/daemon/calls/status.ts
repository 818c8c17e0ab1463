import { agentNamed } from '../../agents/agent/store.ts';
import { HUMAN } from '../../agents/message/frame.ts';
import { waitingFor } from '../../agents/message/read.ts';
import type { FarmEvent } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { eventsAfter, namesAgent } from '../../journal/event.ts';
import { readMeta } from '../../journal/store.ts';
import { toWall } from '../../platform/clock.ts';
import { FurrowError } from '../../platform/error.ts';
import { queueDepth } from '../../work/entry/read.ts';
import { levelOf, ranked } from '../../work/question/attention-order.ts';
import { openQuestions } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { listAgents } from '../farm/agent-list.ts';
import { totals } from '../farm/cost.ts';
import { outputIn } from '../farm/failed-output.ts';
import { aboutOf, QUESTION } from '../farm/failing.ts';
import type { Farm } from '../farm/farm.ts';
import { farmState } from '../farm/farm-state.ts';
import { deletedAfter, toFarmEvent } from '../farm/feed.ts';
import { readRows } from '../farm/snapshot.ts';
import { shownTo } from './callers.ts';
import { type Desk, iso, type Shown } from './context.ts';
import { plan } from './plan.ts';
import { shownTarget } from './shown-target.ts';
import { findWork } from './subject.ts';
import { listTasks, onBoard } from './task-list.ts';
import { until } from './until.ts';
import { why } from './why.ts';

type Names = 'ping' | 'status' | 'plan' | 'why' | 'log' | 'attach';

export function statusCalls(desk: Desk): Pick<Handlers, Names> {
  const { farm, state, feed } = desk;
  return {
    ping: async () => ({ pid: process.pid, version: farm.version, repo: farm.repo.root }),

    async status(_args, { caller }) {
      const rows = await readRows(farm);
      const lines = onBoard(await listTasks(desk, rows));
      const counts: Record<string, number> = {};
      for (const line of lines) counts[line.state] = (counts[line.state] ?? 0) + 1;
      const questions = await openQuestions(farm.db);
      return {
        farm: { ...farmState(farm, rows), pid: desk.pid, version: farm.version },
        agents: listAgents(rows, farm.clock),
        tasks: counts,
        target: farm.target,
        queue: {
          ...(await shownTarget(farm, state)),
          paused: (await readMeta(farm.db, 'queue.paused')) === '1',
          halted: questions.find((row) => row.kind === 'queue')?.reason ?? null,
          pending: pendingLines(state),
          depth: await queueDepth(farm.db),
          checking: state.queue.running.size,
          hanging: (await desk.machine.hangingChecks()).map((one) => one.text),
        },
        inbox: await waitingFor(farm.db, HUMAN),
        attention: ranked(shownTo(caller, [...trouble(farm), ...questions])).map((row) => ({
          id: String(row.id),
          kind: row.kind,
          level: levelOf(row.kind),
          subject: subjectOf(row),
          reason: row.reason,
          since: iso(row.since),
          agent: row.agent,
          request: requestOf(row),
          output: row.kind === QUESTION ? null : (outputIn(row.data) ?? null),
          expires: row.expires === null ? null : iso(toWall(farm.clock, row.expires)),
        })),
        config: configLine(farm),
        isolation: { level: farm.isolation.level, why: farm.isolation.why },
        cost: await totals(farm),
      };
    },

    plan: (order) => plan(desk, order),

    why: ({ subject }) => why(desk, subject),

    async log({ since, last, follow, agent, task }, { signal, item, drained }) {
      const ref = task ? (await findWork(farm, task)).ref : undefined;
      const name = agent === undefined ? undefined : await nameInLog(farm, agent);
      await feed.pump();
      const filtered = name !== undefined || ref !== undefined;
      let seq = Math.max(since ?? 0, last === undefined || filtered ? 0 : feed.seq - last);
      // With a filter the last N are known only at the end: they wait in here.
      let early: FarmEvent[] | undefined = last !== undefined && filtered ? [] : undefined;
      // A landing is of several tasks, and is told to whoever asks for one of them.
      const about = ({ ref: one, refs }: Record<string, unknown>) => one === ref || (Array.isArray(refs) && refs.includes(ref));
      const wanted = (event: { agent: string | null; data: Record<string, unknown> }) =>
        (name === undefined || event.agent === name) && (!ref || about(event.data));
      const deleted = since === undefined ? undefined : await deletedAfter(farm.db, since, farm.clock.now());
      if (deleted) item(deleted);
      const catchUp = async () => {
        for (;;) {
          const rows = await eventsAfter(farm.db, seq);
          if (rows.length === 0 || signal.aborted) return;
          for (const row of rows) {
            seq = row.seq;
            const event = toFarmEvent(row);
            if (!wanted(event)) continue;
            if (early) early.push(event);
            else item(event);
            if (early && early.length > last!) early.shift();
          }
          await drained?.();
        }
      };
      if (early) {
        await catchUp();
        for (const event of early) item(event);
        early = undefined;
      }
      if (!follow) await catchUp();
      else
        await until(feed, signal, async () => {
          await catchUp();
          return false;
        });
      return {};
    },

    async attach({ agent }) {
      const { socket, session } = desk.machine.terminals;
      const panes = await desk.machine.terminals.panes();
      if (!panes) throw new FurrowError('NO_TERMINALS', 'no agent has a window now', { hint: 'furrow work' });
      if (!agent) return { socket, session, window: null };
      const { name } = await agentNamed(farm.db, agent);
      const window = panes.find((pane) => pane.name === name)?.window;
      if (!window) throw new FurrowError('NO_WINDOW', `${name} has no window now`, { hint: 'furrow status' });
      return { socket, session, window };
    },
  };
}

/** The slow checks and pushes that are still to come, a line each. */
function pendingLines({ slowChecks, unpushed, pushFailed }: Shown): string[] {
  const failed = pushFailed ? ` (the last push failed: ${pushFailed.kind})` : '';
  return [
    ...(slowChecks.wanted ? [`slow check ${slowChecks.wanted.name} on ${slowChecks.wanted.tree.slice(0, 8)}`] : []),
    ...(unpushed ? [`push of ${unpushed.commit.slice(0, 8)} to ${unpushed.remote}${failed}`] : []),
  ];
}

/** An agent of the farm, or one of an earlier time that the log still names. */
async function nameInLog(farm: Farm, agent: string): Promise<string> {
  return agentNamed(farm.db, agent).then(
    (row) => row.name,
    async (unknown: Error) => {
      if (await namesAgent(farm.db, agent)) return agent;
      throw unknown;
    },
  );
}

function configLine(farm: Farm) {
  const { version, differs, committedAs } = farm.inputs.now;
  return { source: version.source, commit: version.commit ?? committedAs, since: iso(version.at), differs: differs ?? null };
}

/** The subject of a question, by the name that people know. */
function subjectOf({ kind, subject, data }: { kind: string; subject: string; data: string | null }): string {
  // A pattern has slashes of its own.
  if (kind === 'pattern') return subject;
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
const OUTPUTS = new Set(['queue', 'after', 'parked', 'rejected', 'conflict']);

/** The failure that cannot be stored, because storing is what fails. */
function trouble(farm: Farm) {
  const [reason] = farm.troubles.values();
  const since = farm.clock.now();
  const nobody = { agent: null, data: null, expires: null };
  return reason ? [{ id: 0, kind: 'trouble', subject: 'farm', reason: `furrow cannot go on: ${reason}`, since, ...nobody }] : [];
}
