import { join } from 'node:path';
import { messagesOf } from '../../agents/message/read.ts';
import { eventsAfter, lastSeq } from '../../journal/event.ts';
import { tableVersion } from '../../platform/engine/counted.ts';
import { type Coordination, coordinationIn } from '../../tell/coordination/follow.ts';
import type { CoordinationSnapshot } from '../../tell/coordination/snapshot.ts';
import { toFarmEvent } from '../farm/feed.ts';
import { type Desk, iso } from './context.ts';
import { explainedQueue } from './view/queue.ts';
import { readFarm } from './view/reading.ts';

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
  const { farm } = desk;
  const reading = readFarm(desk);
  const { leases } = await reading.rows();
  const { head } = await reading.target();
  const { shown } = await explainedQueue(reading);
  return {
    farm: { id: farm.id, repo: farm.repo.root, target: farm.target, ...(await reading.standing()) },
    daemon: { pid: process.pid, version: farm.version },
    agents: (await reading.agents()).map(
      ({ name, index, kind, phase, state: at, detail, paused, task, attempt, worktree, branch, since }) => ({
        ...{ name, index, kind, phase, state: at, detail, paused, task, attempt, worktree, branch },
        // To the second: the wall clock is corrected by parts of one all the time.
        since: `${since.slice(0, 19)}Z`,
      }),
    ),
    tasks: (await reading.board()).map(({ id, phase, title, state: at, priority, depends_on, agent, reason }) => ({
      ...{ id, phase, title, state: at, priority, depends_on, agent, reason },
    })),
    queue: {
      ...{ head, paused: await reading.paused() },
      entries: (await reading.open()).map(shown).map(({ task, attempt, sha, state, reason }) => ({ task, attempt, sha, state, reason })),
    },
    messages: (await messagesOf(farm.db, {}, MESSAGES)).map(({ id, kind, sender, receiver, at, state: is, reason, body }) => ({
      ...{ id: String(id), kind, from: sender, to: receiver, at: iso(at), state: is, reason, body },
    })),
    leases: leases.map(({ id, kind, names, mode, standing, who, reason, until }) => ({
      ...{ id: String(id), kind, names, mode, state: standing, holder: who, reason, until: until === null ? null : iso(until) },
    })),
  };
}
