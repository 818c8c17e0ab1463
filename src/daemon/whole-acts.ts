import type { Act, After, AnyAct } from '../journal/act.ts';
import { hostHalves } from './acts/host.ts';
import { leaderHalves } from './acts/leader.ts';
import type { ActKind, ArgsOf, ResultOf } from './acts/table.ts';
import type { Agents } from './host/agents/agents.ts';
import type { Host } from './host/host.ts';
import type { LeaderHalf, Memory } from './leader/half.ts';
import type { LoopState } from './leader/state.ts';

/** Every act, put together from the leader's half and the host's. */
export function actsOf(
  farm: Host,
  state: LoopState,
  agents: () => Agents | undefined,
  ending = new AbortController().signal,
): readonly AnyAct[] {
  const leader = leaderHalves(farm);
  const memory = { farm, state, forget: (attempt: number) => agents()?.running.forget(attempt) };
  const host = hostHalves(farm, {
    startOf: (agent) => startSignal(state, agent),
    drain: async (attempt) => agents()?.drain(attempt),
    checkOf: (key) => checkSignal(state, key),
    boardChanged: () => {
      state.boardDirty = true;
    },
    ending: () => AbortSignal.any([ending, state.cut.signal]),
  });
  return (Object.keys(leader) as ActKind[]).map((kind) => ({ kind, ...withMemory(leader[kind], memory), ...host[kind] }));
}

/** Hands memory to the changes that a leader's half asks for after its transaction. */
function withMemory<K extends ActKind>(
  half: LeaderHalf<K>,
  memory: Memory,
): Pick<Act<ArgsOf<K>, ResultOf<K>>, 'begin' | 'finish' | 'failed'> {
  const later = (after: After) => (change: (memory: Memory) => void) => after(() => change(memory));
  return {
    begin: async (tx, args, now, after) => half.begin?.(tx, args, now, later(after)),
    finish: (tx, args, result, now, after) => half.finish(tx, args, result, now, later(after)),
    failed: async (tx, args, error, now, after) => half.failed?.(tx, args, error, now, later(after)),
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
