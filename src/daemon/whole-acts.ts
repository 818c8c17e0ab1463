import type { Act, After, AnyAct } from '../journal/act.ts';
import { FurrowError } from '../platform/error.ts';
import { runningKey } from './acts/check-run/arguments.ts';
import { hostHalves } from './acts/host.ts';
import { leaderHalves } from './acts/leader.ts';
import type { ActKind, ArgsOf, FactsOf, HostHalf, HostHalves, ResultOf } from './acts/table.ts';
import type { Farm } from './farm/farm.ts';
import { type JoinedAgents, NO_HOSTS } from './farm/joined-hosts.ts';
import { promptFor } from './farm/prompt.ts';
import type { Agents } from './host/agents/agents.ts';
import type { Memory, Steps } from './leader/act-half.ts';
import type { LoopState } from './leader/state.ts';
import type { WholeFarm } from './whole-farm.ts';

/** Every act, put together from the leader's half and the host's. */
export function actsOf(
  farm: WholeFarm,
  state: LoopState,
  agents: () => Agents | undefined,
  elsewhere: Promise<JoinedAgents> = Promise.resolve(NO_HOSTS.agents),
  ending = new AbortController().signal,
): readonly AnyAct[] {
  const memory = { farm, state, forget: (attempt: number) => agents()?.running.forget(attempt) };
  const here = hostHalves(farm, {
    startOf: (agent) => startSignal(state, agent),
    async drain(attempt) {
      await agents()?.drain(attempt);
      return (await agents()?.running.find(attempt))?.record.turn;
    },
    checkOf: (key) => checkSignal(state, key),
    boardChanged: () => {
      state.boardDirty = true;
    },
    ending: () => AbortSignal.any([ending, state.cut.signal]),
  });
  return together(memory, {
    ...here,
    'check.run': onItsHost(here['check.run'], state),
    'attempt.start': startsOnItsHost(here['attempt.start'], { farm, state, elsewhere }),
    'attempt.end': endsOnItsHost(here['attempt.end'], elsewhere),
  });
}

/** Runs a check where it was planned. What another machine had begun when the daemon was killed is planned again. */
function onItsHost(here: HostHalf<'check.run'>, state: LoopState): HostHalf<'check.run'> {
  return {
    async probe(args, facts) {
      if (args.host === undefined) return here.probe(args, facts);
      throw new FurrowError('CUT_SHORT', `the daemon ended while ${args.host} ran the check`);
    },
    run(args, facts) {
      if (args.host === undefined) return here.run(args, facts);
      return state.queue.hosts.check(args, checkSignal(state, runningKey({ tree: args.tree, check: args.check.id })));
    },
  };
}

interface Elsewhere {
  readonly farm: WholeFarm;
  readonly state: LoopState;
  /** There once the list of machines is open: what a killed daemon left waits for it. */
  readonly elsewhere: Promise<JoinedAgents>;
}

/** Starts an agent where its attempt was planned. That machine starts it once, however often it is asked, so it is not asked first what it did. */
function startsOnItsHost(here: HostHalf<'attempt.start'>, { farm, state, elsewhere }: Elsewhere): HostHalf<'attempt.start'> {
  const there = async (host: string, args: ArgsOf<'attempt.start'>, facts: FactsOf<'attempt.start'>) => {
    const { n: attempt, base, branch } = args;
    const prompt = await promptFor(farm, facts.assignment, { attempt, base, branch });
    return (await elsewhere).start({ host, args, facts, prompt }, startSignal(state, args.agent));
  };
  return {
    probe: (args, facts) => (facts.row.host === null ? here.probe(args, facts) : there(facts.row.host, args, facts)),
    run: (args, facts) => (facts.row.host === null ? here.run(args, facts) : there(facts.row.host, args, facts)),
  };
}

/** Ends an attempt where it runs. */
function endsOnItsHost(here: HostHalf<'attempt.end'>, elsewhere: Promise<JoinedAgents>): HostHalf<'attempt.end'> {
  return {
    probe: here.probe,
    async run(args, facts) {
      const { host } = facts.row;
      return host === null ? here.run(args, facts) : (await elsewhere).end({ host, args, facts });
    },
  };
}

/** The leader's half of every act with that of a host. */
export function together(memory: Memory, host: HostHalves): readonly AnyAct[] {
  const { farm } = memory;
  const leader = leaderHalves(farm);
  return (Object.keys(leader) as ActKind[]).map((kind) => ({
    kind,
    ...withMemory(leader[kind], memory),
    ...withFacts(farm, leader[kind], host[kind]),
  }));
}

/** Hands memory to the changes that a leader's half asks for after its transaction. */
function withMemory<K extends ActKind>(
  half: Steps<K>,
  memory: Memory,
): Pick<Act<ArgsOf<K>, ResultOf<K>>, 'ordered' | 'begin' | 'finish' | 'failed'> {
  const later = (after: After) => (change: (memory: Memory) => void) => after(() => change(memory));
  return {
    ordered: half.ordered,
    begin: async (tx, args, now, after) => half.begin?.(tx, args, now, later(after)),
    finish: (tx, args, result, now, after) => half.finish(tx, args, result, now, later(after)),
    failed: async (tx, args, error, now, after) => half.failed?.(tx, args, error, now, later(after)),
  };
}

type AnyHalf = { facts?: ((farm: Farm, args: never) => Promise<unknown>) | undefined };

/** Hands the host what its half has to know of the store, as of the moment when it begins. */
function withFacts<K extends ActKind>(farm: Farm, { facts }: AnyHalf, half: HostHalf<K>): Pick<AnyAct, 'probe' | 'run' | 'begun'> {
  const read = async (args: ArgsOf<K>) => (await facts?.(farm, args as never)) as FactsOf<K>;
  return {
    ...half,
    probe: async (args: ArgsOf<K>) => half.probe(args, await read(args)),
    run: async (args: ArgsOf<K>) => half.run(args, await read(args)),
  };
}

/** Aborts the start of an agent's attempt, its set-up above all, when the agent is stopped meanwhile. */
function startSignal(state: LoopState, agent: string): AbortSignal {
  const control = new AbortController();
  state.starting.set(agent, control);
  return control.signal;
}

const checkSignal = (state: LoopState, key: string): AbortSignal =>
  (state.queue.running.get(key) ?? state.slowChecks.running.get(key))?.abort.signal ?? new AbortController().signal;
