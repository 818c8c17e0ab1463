import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { putFurrowOnPath } from '../daemon/host/furrow-on-path.ts';
import type { Said } from '../hosts/link/frames.ts';
import { endsAgentsAfter } from '../hosts/state.ts';
import { monotonicMs } from '../platform/clock.ts';
import { FurrowError } from '../platform/error.ts';
import { readIfThere } from '../platform/files.ts';
import { agentPlace } from './agent-host.ts';
import { Agents } from './agents.ts';
import type { Bench } from './bench.ts';
import { Calls } from './calls.ts';
import type { Checks } from './checks.ts';
import { keptAttempts } from './kept-attempts.ts';
import type { Leader, Work } from './line.ts';
import { fetchCommits } from './objects.ts';
import { openOutbox } from './outbox.ts';
import { sendHome } from './send-home.ts';

export interface WorkOrder {
  readonly bench: Bench;
  readonly leader: Leader;
  readonly checks: Checks;
  readonly say: (said: Said) => boolean;
  readonly tell: (line: string) => void;
}

interface OpenWork extends Work {
  /** Ends the agents, and waits a while until the leader has what they did. */
  close(): Promise<void>;
}

const LOOK_MS = 1000;
/** A machine that leaves waits so long for the leader to take over what its agents did. */
const LEAVE_MS = 20_000;

/** All that this machine does for its leader: checks and agents, and what these say. */
export async function openWork({ bench, leader, checks, say, tell }: WorkOrder): Promise<OpenWork> {
  const { farm } = bench;
  const { repo, places } = farm;
  await putFurrowOnPath(places);
  const kept = keptAttempts(join(places.dir, 'agents'));
  const calls = new Calls(leader.hello.life, await openOutbox(join(places.dir, 'outbox')), say);
  await calls.load();
  const known = {
    attempts: () => kept.all().map((one) => ({ id: one.row.id, pid: one.pid, pid_start: one.start, row: one.row, worktree: one.worktree })),
  };
  const place = agentPlace(bench, known, calls.handlers, () => agents.look());
  let opened = Promise.withResolvers<void>();
  const agents: Agents = new Agents({
    ...{ bench, place, kept, say, tell },
    isBehind: (attempt) => calls.isBehind(attempt),
    fetch: ({ id, attempt, commits, head, target }, signal) =>
      fetchCommits(repo, leader.member, { id, commits, head, target, keep: `a${attempt}` }, signal),
    sendHome: (id, one, ended, signal) =>
      untilHome(
        () => sendHome(repo, leader.member, id, one, ended, signal),
        () => opened.promise,
        signal,
      ),
  });
  if (kept.all().length > 0) {
    await place.terminals.attach();
    for (const { row } of kept.all()) await place.doors.open(row.id);
  }

  const clock = join(places.run, 'heard-at');
  /** When the leader heard this machine last, by the clock of this machine, which an earlier process of it had, too. */
  let heardAt = Math.min(Number((await readIfThere(clock)) ?? monotonicMs()), monotonicMs());
  let lostAfterMs = Number.POSITIVE_INFINITY;
  let ended = false;
  const watching = setInterval(() => {
    if (ended || kept.all().length === 0 || monotonicMs() - heardAt < endsAgentsAfter(lostAfterMs)) return;
    ended = true;
    void agents.endAll('the leader was not heard for so long that it gives the work to others');
  }, LOOK_MS);

  return {
    get running() {
      return [...checks.running, ...agents.running];
    },
    get attempts() {
      return kept.all().map(({ row }) => row.id);
    },
    welcome(told) {
      lostAfterMs = told.lostAfterMs;
      ended = false;
      opened.resolve();
      checks.again(told.have);
      void calls.again().then(() => agents.again());
    },
    lost() {
      opened = Promise.withResolvers();
      calls.lost();
    },
    heardAt(at) {
      heardAt = Math.max(heardAt, at);
      if (kept.all().length > 0) void writeFile(clock, String(heardAt), { mode: 0o600 }).catch(() => {});
    },
    hear(told) {
      switch (told.tell) {
        case 'check':
          return checks.begin(told);
        case 'act':
          return agents.begin(told);
        case 'cancel':
          checks.cancel(told.id);
          return agents.cancel(told.id);
        case 'taken':
          checks.forget(told.id);
          return agents.forget(told.id);
        case 'answer':
          return calls.answer(told).then(() => agents.look());
        case 'over':
          return forgetAll(told.attempts);
        default:
          return told satisfies never;
      }
    },
    async close() {
      clearInterval(watching);
      const heard = say({ say: 'ending' });
      if (kept.all().length > 0) {
        await agents.endAll('this machine leaves the farm');
        for (const until = monotonicMs() + LEAVE_MS; heard && kept.all().length > 0 && monotonicMs() < until; ) await sleep(LOOK_MS / 5);
      }
      await agents.close();
      await place.doors.end(true);
      await place.terminals.end();
      await rm(clock, { force: true });
    },
  };

  async function forgetAll(attempts: readonly number[]): Promise<void> {
    await agents.over(attempts);
    for (const attempt of attempts) await calls.forget(attempt);
  }
}

/** Sends commits home, again whenever the line is open again. An answer of the leader is final. */
async function untilHome(send: () => Promise<void>, opened: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (signal.aborted || (error instanceof FurrowError && error.code !== 'LEADER_UNREACHABLE')) throw error;
    }
    await sleep(LOOK_MS, undefined, { signal });
    await Promise.race([
      opened(),
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('nobody waits')), { once: true })),
    ]);
  }
}
