import { goWithWork } from '../../src/agents/lease/paths.ts';
import type { Ended } from '../../src/daemon/acts/attempt-end/arguments.ts';
import type { CheckArgs } from '../../src/daemon/acts/check-run/arguments.ts';
import type { HostHalves } from '../../src/daemon/acts/table.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import type { HostSide } from '../../src/daemon/farm/host-side.ts';
import { pinOf } from '../../src/daemon/farm/pins.ts';
import { protectedPaths } from '../../src/daemon/farm/protect.ts';
import { FurrowError } from '../../src/platform/error.ts';
import { headRef, seenRef } from '../../src/repo/merge/target-refs.ts';
import { readSaid } from '../../src/work/attempt/end-report.ts';
import { judge } from '../../src/work/attempt/evidence.ts';
import { endsByAnswer } from '../../src/work/errand/purpose.ts';
import type { Want } from '../../src/work/task/store.ts';
import { between, chance } from '../sim/random.ts';
import { writeTask } from './board.ts';
import { live, MOST_MINUTES } from './life.ts';
import type { Commit } from './objects.ts';
import { MINUTE } from './time.ts';
import { REMOTE, type World } from './world.ts';

const SECOND = 1000;

/** What the leader asks of the simulated machine beside acts. */
export function simulatedHost(world: World): HostSide {
  return {
    async look({ attempts }) {
      const seen = attempts.map((row) => {
        const process = world.processes.get(row.id);
        return {
          id: row.id,
          agent: row.agent,
          state: row.state as 'starting' | 'running',
          exited: process?.exit !== undefined,
          alive: row.state === 'running' ? process?.alive === true : undefined,
          orphaned: false,
          deadline: row.deadline,
          saidAt: readSaid(row.said)?.at ?? null,
        };
      });
      return { attempts: seen, goneHolders: [], goesOn: [], relaunches: [], troubles: [] };
    },
    keepWindows() {},
    fillAhead() {},
    async sendHome() {},
    followConflicts() {},
    async followChecks() {},
  };
}

/** What a host is told besides the arguments of an act. */
interface Hosting {
  readonly epoch: number;
  startOf(agent: string): AbortSignal;
  checkOf(args: CheckArgs): AbortSignal;
  boardChanged(file: string): void;
}

/** The host's half of every act, on a machine that exists only in the world. */
export function simulatedHalves(world: World, farm: Farm, hosting: Hosting): HostHalves {
  const { objects } = world;
  const took = (name: string, low: number, high: number) => between(world.roll(name), low, high) * SECOND;
  const mayStart = (what: string, args?: object) => {
    if (world.isStopped() && !(args && 'asked' in args)) world.break('a stopped farm starts nothing', what);
  };
  /** Git refuses a daemon that was replaced. */
  const isReplaced = () => hosting.epoch !== world.generation;

  return {
    'attempt.start': {
      async probe(_args, { row }) {
        const found = world.processes.get(row.id);
        return found && { pid: found.pid, start: String(found.pid), rescued: null };
      },
      async run(args, { row, from, raced }) {
        mayStart(`an attempt at ${args.task}`);
        const crashed = world.crashedAt.get(args.task);
        if (crashed !== undefined && world.time.awake < crashed + SECOND) world.break('a failed try rests', args.task);
        await world.sleep(took('start', 1, 20), hosting.startOf(args.agent));
        if (chance(world.roll('start-fails'), world.calm ? 0 : world.story.trouble / 10))
          throw new FurrowError('NO_SPACE', 'the disk is full');
        const base = from ?? args.base;
        const { limit } = world;
        if (limit && row.started > limit.at && row.started < limit.until) world.break('a limited provider starts nothing', args.task);
        const who = { attempt: row.id, n: args.n, task: args.task, agent: args.agent };
        const process = { ...who, pid: world.nextPid(), since: world.time.awake, base, tip: base };
        for (const other of world.alive()) {
          if (other.task === args.task) world.break('one attempt of a task at a time', `${args.task}: ${other.n} and ${args.n}`);
          if (other.agent === args.agent) world.break('an agent has one attempt', `${args.agent}: ${other.task} and ${args.task}`);
        }
        const needed = world.story.tasks.find(({ id }) => `default/${id}` === (raced ?? args.task))?.after ?? [];
        const missing = needed.find((id) => !world.isTaskLanded(`default/${id}`) && !world.again.has(`unchanged default/${id}`));
        if (missing !== undefined) world.break('nothing starts before what it needs has landed', `${args.task} before ${missing}`);
        world.tell(`${args.agent} starts on ${args.task}, attempt ${args.n}`);
        world.processes.set(row.id, { ...process, dirty: false, alive: true, exit: undefined });
        live(world, world.processes.get(row.id)!, row.base);
        return { pid: process.pid, start: String(process.pid), rescued: null };
      },
    },

    'attempt.end': {
      probe: async () => undefined,
      async run({ attempt, why }, { row, task, leases }): Promise<Ended> {
        const process = world.processes.get(attempt);
        if (process) process.alive = false;
        if (process && why === 'timeout' && world.time.awake < process.since + (MOST_MINUTES - 1) * MINUTE)
          world.break('nobody is ended before their time', `${row.agent} at ${row.task}`);
        await world.sleep(took('end', 0.2, 3));
        const tip = process?.tip;
        const start = process?.base ?? row.base;
        const own = tip === undefined || tip === start ? [] : objects.without(tip, [start]);
        const target = objects.ref(headRef(row.target ?? farm.target)) ?? row.base;
        const changed = tip === undefined ? [] : objects.changed(objects.fork(target, tip) ?? row.base, tip);
        const judged = judge({
          answers: endsByAnswer(task.purpose),
          turnEnded: false,
          exit: why === 'exit' || why === 'said' ? process?.exit : undefined,
          stopped: why === 'stop',
          timedOut: why === 'timeout',
          said: readSaid(row.said),
          lastLine: 'the last line',
          commits: own.length,
          own: own.length,
          changed,
          protectedPaths: protectedPaths(farm, changed),
          dirty: process?.dirty ?? false,
          detached: false,
          special: [],
          operation: undefined,
          planted: undefined,
        });
        if (judged.outcome === 'crashed' && task.crashes > 0) world.crashedAt.set(row.task, world.time.awake);
        const submitted = judged.outcome === 'submitted' && task.purpose === 'work';
        if (tip !== undefined) objects.move(submitted ? pinOf(row.task, row.n, row.target ?? farm.target) : pinOf(row.task, row.n), tip);
        world.tell(`${row.agent} ends ${row.task}, attempt ${row.n}: ${judged.outcome} (${judged.reason})`);
        const kept = submitted ? { leases: goWithWork(leases, changed).map(({ id }) => id) } : {};
        return { ...judged, sha: tip ?? null, kept: null, ...kept };
      },
    },

    'attempt.relaunch': {
      probe: async () => undefined,
      run: async () => {
        throw new Error('agents of the simulator end by their exit');
      },
    },

    'board.write': {
      probe: async () => undefined,
      async run(args, { task }) {
        const want = JSON.parse(args.want) as Want;
        const done = writeTask(farm, task, want);
        hosting.boardChanged(task.file);
        if (!done) throw new FurrowError('BOARD_CHANGED', `${task.file} was edited meanwhile`);
        if (!done.found) world.noted(task.ref, want.notes);
        return done;
      },
    },

    'check.run': {
      async probe() {
        throw new FurrowError('CUT_SHORT', 'the daemon ended while the check ran');
      },
      async run(args) {
        mayStart(`a check on ${args.tree.slice(0, 8)}`, args);
        const ms = took('check', 20, 240);
        await world.sleep(ms, hosting.checkOf(args)).catch(() => {
          throw new FurrowError('CUT_SHORT', 'the check was cancelled');
        });
        const bad = [...objects.files(args.tree)].find(([, content]) => content.includes('BAD'));
        const flaky = !world.calm && chance(world.roll('flakes'), world.story.flakes);
        const outcome = bad || flaky ? 'fail' : 'pass';
        const run = `${args.tree} ${args.check.id}`;
        if (outcome === 'pass') world.passes.add(run);
        else world.reds.set(run, (world.reds.get(run) ?? 0) + 1);
        world.tell(`${args.check.name} ${outcome === 'pass' ? 'passes' : 'fails'} on ${args.tree.slice(0, 8)}`);
        return { outcome, ms, detail: outcome === 'fail' ? 'exit 1' : null, beside: 1 };
      },
    },

    'landing.land': {
      async probe(args) {
        const at = objects.ref(headRef(args.target ?? farm.target));
        return at === args.commit || (at !== undefined && objects.isAncestor(args.commit, at)) ? { landed: true } : undefined;
      },
      async run(args, { judged }) {
        mayStart('a landing');
        await world.sleep(took('land', 0.05, 0.5));
        if (!judged || isReplaced()) return { landed: false, ...(!judged && { dropped: true }) };
        const ref = headRef(args.target ?? farm.target);
        if (objects.ref(ref) === args.head) landed(world, farm, args);
        return { landed: objects.move(ref, args.commit, args.head) };
      },
    },

    'landing.publish': {
      async probe(args, { waiting }) {
        return objects.ref('refs/heads/main') === args.new ? published(world, args.new, waiting) : undefined;
      },
      async run(args, { waiting }) {
        mayStart('a publication');
        await world.sleep(took('publish', 0.05, 1));
        if (chance(world.roll('publish-waits'), world.calm ? 0 : 0.05 + world.story.trouble / 4)) {
          // Whoever changed the file may commit it before the next try.
          if (chance(world.roll('commits-it'), 0.5)) world.time.after(SECOND, () => world.commit());
          return { published: false, reason: 'a file of yours is in the way' };
        }
        if (isReplaced() || objects.ref('refs/heads/main') !== args.old) return { published: false, reason: 'main has moved' };
        if (!objects.isAncestor(args.old, args.new)) world.break('the target only moves to a descendant', `${args.old} to ${args.new}`);
        const stored = new Set((await farm.db.selectFrom('landing').select('commit').execute()).map(({ commit }) => commit));
        // Further back may be a landing that was queued again, below the work of an agent who had started on it.
        const unknown = objects.firstParents(args.new, args.old).find(({ id, works }) => works.length > 0 && !stored.has(id));
        if (unknown) world.break('what landed is stored before it is published', unknown.id);
        objects.move('refs/heads/main', args.new, args.old);
        objects.move(seenRef('main'), args.new);
        return published(world, args.new, waiting);
      },
    },

    'landing.push': {
      async probe({ commit }) {
        const at = objects.ref(REMOTE);
        return at !== undefined && objects.isAncestor(commit, at) ? { pushed: true, at } : undefined;
      },
      async run({ commit }) {
        mayStart('a push');
        if (world.takenOut.has(commit) && !objects.isAncestor(commit, 'refs/heads/main'))
          world.break('only what the target has is pushed', commit.slice(0, 8));
        await world.sleep(took('push', 1, 20));
        if (chance(world.roll('push-fails'), world.calm ? 0 : world.story.trouble)) {
          // What is not pushed yet can still be taken back in peace.
          if (chance(world.roll('takes-back'), 0.1)) world.time.after(SECOND, () => world.takeOut());
          return { pushed: false, kind: 'offline', reason: 'origin cannot be reached', hint: 'git push' };
        }
        const at = objects.ref(REMOTE);
        if (at !== undefined && objects.isAncestor(commit, at)) return { pushed: true, at };
        if (at !== undefined && !objects.isAncestor(at, commit))
          return { pushed: false, kind: 'diverged', reason: 'origin has other commits', hint: 'git fetch' };
        objects.move(REMOTE, commit);
        return { pushed: true, at: commit };
      },
    },
    'notice.post': { probe: async () => undefined, run: async () => ({ to: 'nobody' }) },
    'notice.tell': { probe: async () => undefined, run: async () => ({ to: 'nobody' }) },
    'race.judge': { probe: async () => undefined, run: async () => ({ winner: null, why: 'no judge' }) },
    'worktree.dispose': { probe: async () => undefined, run: async () => ({ removed: true, reason: null }) },
  };
}

/** The rules of a landing, by what the world knows to be true. */
function landed(world: World, farm: Farm, args: Parameters<HostHalves['landing.land']['run']>[0]): void {
  const { objects } = world;
  const commit = objects.at(args.commit);
  if (!objects.isAncestor(args.head, args.commit)) world.break('the head only moves to a descendant', `${args.head} to ${args.commit}`);
  if (commit.tree !== args.tree) world.break('no landing without its verdicts', 'another tree lands');
  const checks = [...world.passes].filter((pass) => pass.startsWith(`${args.tree} `)).length;
  if (checks < farm.config.checks.length)
    world.break('no landing without its verdicts', `${args.entries.map(({ task }) => task)} on ${args.tree}`);
  for (const [at, { task, attempt }] of args.entries.entries()) {
    const once = [...world.landed].some(([done, works]) => works.some((one) => one.ref === task) && objects.isAncestor(done, args.head));
    if (once && !world.again.has(task)) world.break('a task lands once', task);
    if (world.story.review && !world.reviewed.has(commit.parents[at + 1]!) && !world.overruled.has(task))
      world.break('no landing without its review', task);
    const asked = world.story.tasks.find(({ id }) => `default/${id}` === task)?.approve;
    if (asked && !world.approvals.has(`${task} ${attempt}`)) world.break('no landing without its yes', task);
  }
  const tasks = new Set(args.entries.map(({ task }) => task));
  const back = [...world.takenOut].find((out) => bringsBack(world, args, tasks, objects.at(out)));
  if (back) world.break('what a person took out stays out', `${back.slice(0, 8)} with ${[...tasks].join(', ')}`);
  world.heads.add(args.commit);
  world.tell(`${args.entries.map(({ task }) => task).join(', ')} land as ${args.commit.slice(0, 8)}`);
  world.landed.set(
    args.commit,
    args.entries.map(({ task, attempt }) => ({ ref: task, attempt })),
  );
}

/** True when a landing has what a person took out: another task's landing in its history, or what a commit of their own wrote in its files. */
function bringsBack(
  { objects }: World,
  { head, commit }: { head: string; commit: string },
  tasks: ReadonlySet<string>,
  out: Commit,
): boolean {
  if (objects.isAncestor(out.id, head) || !objects.isAncestor(out.id, commit)) return false;
  if (out.works.length > 0) return !out.works.some(({ ref }) => tasks.has(ref));
  const [before, after, wrote] = [objects.files(head), objects.files(commit), objects.files(out.id)];
  return objects
    .changed(out.parents[0]!, out.id)
    .some((path) => after.get(path) === wrote.get(path) && before.get(path) !== wrote.get(path));
}

function published(world: World, to: string, waiting: readonly { readonly id: number; readonly commit: string }[]) {
  const landings = waiting.filter(({ commit }) => world.objects.isAncestor(commit, to)).map(({ id }) => id);
  return { published: true, reason: null, landings };
}
