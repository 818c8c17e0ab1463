import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Conflicts, Tip } from '../../repo/radar/matrix.ts';
import { createRadar } from '../../repo/radar/radar.ts';
import { begun, due, type Glances, gone, looked, touched } from '../../repo/radar/schedule.ts';
import { news, type Owner, type Told } from '../../repo/radar/whom-to-tell.ts';
import { splitRef } from '../../work/task/id.ts';
import { wakeAt } from '../farm/alarm.ts';
import type { ConflictRows } from '../farm/conflict-rows.ts';
import { targetOf } from '../farm/target-of.ts';
import type { Host } from './host.ts';

/** Watches for conflicts between what agents have in hand. Everything it knows can be found out again. */
export interface RadarWatch {
  /** Looks where something happened, in the background. Nothing happened: nothing is done. */
  follow(rows: ConflictRows): void;
  /** Something happened in an agent's worktree. */
  touch(agent: string): void;
  /** The answer as of now: every agent at work is looked at first. */
  ask(rows: ConflictRows): Promise<Conflicts>;
  /** Ends what is under way: afterwards nothing is made in the git folder. */
  close(): Promise<void>;
}

/** A branch that is alive: what an agent has in hand, or what waits in the queue. */
interface Alive {
  readonly tip: Tip;
  readonly owner: Owner;
}

/** An agent's worktree is looked at no more often. */
const LOOK_MS = 5000;
const RADAR = { key: 'radar', what: "look at the agents' worktrees for conflicts", next: 'furrow conflicts' };

export function radarWatch(farm: Host): RadarWatch {
  const radar = createRadar(farm.repo, join(farm.repo.gitDir, 'furrow.run'));
  /** `undefined`: it cannot be listened to, and what it does is seen at its next progress note or landing. */
  const watchers = new Map<string, FSWatcher | 'told' | undefined>();
  const closing = new AbortController();
  let glances: Glances = new Map();
  let seen = '';
  let running: Promise<void> | undefined;
  /** Something was due while a look was under way. */
  let missed = false;

  const touch = (agent: string, by: 'output' | 'deed') => {
    glances = touched(glances, agent, farm.clock.awake(), by);
    plan();
  };

  /** Wakes the loop when a look is due, and not before: a turn of it costs 40 ms with 100 agents. */
  const plan = () => {
    const { agents, next } = due(glances, farm.clock.awake());
    if (agents.length > 0 || missed) farm.wake();
    else if (next !== undefined) wakeAt(farm, next);
    missed = false;
  };

  /** Its terminal is also written to a file: an agent that does something prints something. */
  const listen = (agent: string) => {
    if (watchers.has(agent)) return;
    watchers.set(agent, hear(agent));
    glances = begun(glances, agent, farm.clock.awake());
  };

  /**
   * Until the first output after a look: 100 terminals with 10 lines a second were 3 % of a core, and all that matters is that there was
   * some. A folder that somebody has cleared away, or a machine that has no watches left, must not cost the loop its turn.
   */
  const hear = (agent: string): FSWatcher | undefined => {
    try {
      const watcher = watch(join(farm.places.logs, agent), { persistent: false }, () => {
        if (watchers.get(agent) !== watcher) return;
        watcher.close();
        watchers.set(agent, 'told');
        touch(agent, 'output');
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch (error) {
      farm.log.warn({ agent, error: (error as Error).message }, 'its terminal cannot be listened to');
      return undefined;
    }
  };

  const deaf = (agent: string) => {
    const watcher = watchers.get(agent);
    if (watcher !== 'told') watcher?.close();
    watchers.delete(agent);
  };

  const forget = (agent: string) => {
    deaf(agent);
    radar.forget(agent);
    glances = gone(glances, agent);
  };

  const look = async (agent: string, { working }: ConflictRows) => {
    const place = working.find((one) => one.agent === agent)?.worktree;
    if (place === undefined) return forget(agent);
    // Before the look begins: what is printed meanwhile is not in it.
    if (watchers.get(agent) === 'told') watchers.set(agent, hear(agent));
    const at = farm.clock.awake();
    const before = radar.last(agent);
    // An agent that writes just now is looked at again.
    await farm.ownGits.look(agent).catch((error: Error) => farm.log.debug({ agent, error: error.message }, 'its work stays where it is'));
    const found = await radar.look(agent, place, closing.signal);
    const what = found === undefined ? 'torn' : found === before ? 'nothing' : 'change';
    glances = looked(glances, agent, { at, ms: farm.clock.awake() - at, found: what });
  };

  const update = async (rows: ConflictRows) => {
    const alive = await aliveBranches(farm, rows, (agent) => radar.last(agent));
    const conflicts = await radar.update(
      rows.head,
      alive.map(({ tip }) => tip),
      closing.signal,
    );
    await tell(farm, rows.target, conflicts, new Map(alive.map(({ tip, owner }) => [tip.name, owner])));
    return conflicts;
  };

  return {
    touch: (agent) => touch(agent, 'deed'),
    follow(rows) {
      const working = new Set(rows.working.map((one) => one.agent));
      for (const agent of working) listen(agent);
      for (const agent of [...watchers.keys()].filter((name) => !working.has(name))) forget(agent);
      const { agents, next } = due(glances, farm.clock.awake());
      const now = `${rows.head} ${[...working].sort().join(' ')}`;
      if (next !== undefined) wakeAt(farm, next);
      missed ||= running !== undefined && (agents.length > 0 || now !== seen);
      if (working.size === 0) void farm.failing.dropped(RADAR.key);
      if (running || working.size === 0 || !rows.head || (agents.length === 0 && now === seen)) return;
      seen = now;
      running = Promise.all(agents.map((agent) => look(agent, rows)))
        .then(() => update(rows))
        .then(() => farm.failing.worked(RADAR.key))
        .catch((error: Error) => {
          if (closing.signal.aborted) return;
          farm.log.warn({ error: error.message }, 'conflicts could not be predicted');
          return farm.failing.failed(RADAR, error, LOOK_MS).then(() => {});
        })
        .finally(() => {
          running = undefined;
          plan();
        });
    },
    async ask(rows) {
      const working = new Set(rows.working.map((one) => one.agent));
      await Promise.all([...working].map((agent) => look(agent, rows)));
      return rows.head ? update(rows) : { pairs: [], with_target: [] };
    },
    async close() {
      closing.abort();
      for (const agent of [...watchers.keys()]) deaf(agent);
      await running;
      await radar.quiet();
    },
  };
}

async function aliveBranches(
  farm: Host,
  { target, working }: ConflictRows,
  last: (agent: string) => { commit: string; objects: string | undefined } | undefined,
): Promise<Alive[]> {
  const owner = (task: string, title: string, agent: string | undefined): Owner => ({ agent, task: splitRef(task)?.id ?? task, title });
  // Work for another target is merged with other work, on another head.
  const inHand = working.flatMap(({ agent, task, title, target: own }): Alive[] => {
    const work = own === target ? last(agent) : undefined;
    return work ? [{ tip: { name: task, commit: work.commit, objects: work.objects }, owner: owner(task, title, agent) }] : [];
  });
  const entries = await farm.leader.conflicts.queued();
  const taken = new Set(inHand.map(({ tip }) => tip.name));
  const queued = entries.filter((entry) => targetOf(entry, farm) === target && !taken.has(entry.task));
  return [...inHand, ...queued.map(({ task, title, sha }) => ({ tip: { name: task, commit: sha }, owner: owner(task, title, undefined) }))];
}

/** Both agents are told, once for each pair and set of paths, also across restarts. */
async function tell(farm: Host, target: string, conflicts: Conflicts, owners: ReadonlyMap<string, Owner>): Promise<void> {
  const before = (await farm.leader.conflicts.told()) ?? '{}';
  const { tell: lines, told } = news(JSON.parse(before) as Told, conflicts, owners, target);
  const after = JSON.stringify(told);
  if (lines.length === 0 && after === before) return;
  const events = lines.map(({ to, text, paths }) => ({ kind: 'conflict.predicted' as const, agent: to, text, data: { paths } }));
  await farm.report({ events, conflictsTold: after });
  farm.wake();
}
