import { agentNamed } from '../../agents/agent/store.ts';
import type { FarmEvent } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { eventsAfter, namesAgent } from '../../journal/event.ts';
import { FurrowError } from '../../platform/error.ts';
import { findAttempt } from '../../work/attempt/store.ts';
import type { Farm } from '../farm/farm.ts';
import { deletedAfter, withTitle } from '../farm/feed.ts';
import type { Desk } from './context.ts';
import { plan } from './plan.ts';
import { findWork } from './subject.ts';
import { readFarm } from './view/reading.ts';
import { statusOf } from './view/status.ts';
import { until } from './wait-until.ts';
import { why } from './why.ts';

type Names = 'ping' | 'status' | 'plan' | 'why' | 'log' | 'attach';

export function statusCalls(desk: Desk): Pick<Handlers, Names> {
  const { farm, feed } = desk;
  return {
    ping: async () => ({ pid: process.pid, version: farm.version, repo: farm.repo.root }),

    status: (_args, { caller }) => statusOf(readFarm(desk), caller),

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
          const tasks = await farm.tasks();
          for (const row of rows) {
            seq = row.seq;
            const event = withTitle(row, tasks);
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
      const { name, attempt } = await agentNamed(farm.db, agent);
      const host = attempt === null ? null : (await findAttempt(farm.db, attempt))?.host;
      if (host != null)
        throw new FurrowError('ELSEWHERE', `${name} works on ${host}, and its window is there`, {
          hint: `on ${host}: tmux -S ~/furrow/hosts/*/repo/.furrow/run/tmux.sock attach`,
        });
      const window = panes.find((pane) => pane.name === name)?.window;
      if (!window) throw new FurrowError('NO_WINDOW', `${name} has no window now`, { hint: 'furrow status' });
      return { socket, session, window };
    },
  };
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
