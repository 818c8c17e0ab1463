import { join } from 'node:path';
import { messagesOf } from '../../agents/message/read.ts';
import { eventsAfter, lastSeq } from '../../journal/event.ts';
import { tableVersion } from '../../platform/db.ts';
import { type Coordination, coordinationIn } from '../../tell/coordination/follow.ts';
import type { CoordinationSnapshot } from '../../tell/coordination/snapshot.ts';
import { openEntries } from '../../work/entry/read.ts';
import { splitRef } from '../../work/task/id.ts';
import { listAgents } from '../farm/agent-list.ts';
import { farmState } from '../farm/farm-state.ts';
import { toFarmEvent } from '../farm/feed.ts';
import { readRows } from '../farm/snapshot.ts';
import { explainOpen } from '../leader/queue/explain.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { type Desk, iso } from './context.ts';
import { listTasks } from './task-list.ts';

/** The tables that the folder is made from; every change of one is written to it. */
const TABLES = ['event', 'task', 'agent', 'attempt', 'supervision', 'entry', 'landing', 'work', 'message', 'lease', 'meta'];
const MESSAGES = 500;

/** Shows the state of the farm as files, for people and scripts: `.furrow/coordination/`. Nothing reads them back. */
export function coordination(desk: Desk): Coordination {
  const { db, places, log } = desk.farm;
  return coordinationIn(join(places.dir, 'coordination'), {
    version: () => TABLES.reduce((sum, table) => sum + tableVersion(db, table), 0),
    read: () => readCoordination(desk),
    lastSeq: () => lastSeq(db),
    eventsAfter: async (seq) => (await eventsAfter(db, seq)).map(toFarmEvent),
    failed: (error) => log.warn({ error: error.message }, 'the coordination folder could not be written'),
  });
}

async function readCoordination(desk: Desk): Promise<CoordinationSnapshot> {
  const { farm, state } = desk;
  const rows = await readRows(farm);
  const { lines } = await listTasks(desk, rows);
  return {
    farm: { id: farm.id, repo: farm.repo.root, target: farm.target, ...farmState(farm, rows) },
    daemon: { pid: process.pid, version: farm.version },
    agents: listAgents(rows, farm.clock).map(
      ({ name, index, kind, phase, state: at, detail, paused, task, attempt, worktree, branch, since }) => ({
        ...{ name, index, kind, phase, state: at, detail, paused, task, attempt, worktree, branch },
        // To the second: the wall clock is corrected by parts of one all the time.
        since: `${since.slice(0, 19)}Z`,
      }),
    ),
    tasks: lines.map(({ id, phase, title, state: at, priority, depends_on, agent, reason }) => ({
      ...{ id, phase, title, state: at, priority, depends_on, agent, reason },
    })),
    queue: await shownQueue(desk, state.queue.head || null),
    messages: (await messagesOf(farm.db, {}, MESSAGES)).map(({ id, kind, sender, receiver, at, state: is, reason, body }) => ({
      ...{ id: String(id), kind, from: sender, to: receiver, at: iso(at), state: is, reason, body },
    })),
    leases: rows.leases.map(({ id, kind, names, mode, standing, who, reason, until }) => ({
      ...{ id: String(id), kind, names, mode, state: standing, holder: who, reason, until: until === null ? null : iso(until) },
    })),
  };
}

async function shownQueue({ farm, state }: Desk, head: string | null): Promise<CoordinationSnapshot['queue']> {
  const snapshot = await queueSnapshot(farm, state.queue);
  const reasons = explainOpen(snapshot);
  const entries = (await openEntries(farm.db)).map((row) => ({
    task: splitRef(row.task)?.id ?? row.task,
    attempt: row.attempt,
    sha: row.sha,
    state: row.state,
    reason: reasons.get(row.id)?.text ?? row.reason,
  }));
  return { head, paused: snapshot.paused, entries };
}
