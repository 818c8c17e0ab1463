import type { Channel, Driver, DriverSettings } from '../../agent/driver.ts';
import { type AgentEvent, type Decision, PASS, type Source } from '../../agent/event.ts';
import type { HookHandler } from '../../api/hooks.ts';
import type { AgentKind } from '../../config/schema.ts';
import { startedWith } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { append } from '../../journal/event.ts';
import { type Derived, derive, hasFailed } from '../../supervision/derive.ts';
import { emptySignals, fold } from '../../supervision/signals.ts';
import { type Heard, heardOf, NO_CARE, writeHeard } from './heard.ts';
import { isUp } from './launch.ts';
import { noteServed } from './providers.ts';

/** A running attempt that can be heard. */
export interface Live {
  readonly attempt: number;
  readonly agent: string;
  readonly task: string;
  readonly n: number;
  readonly worktree: string;
  readonly driver: Driver;
  readonly settings: DriverSettings;
  /** All settings that the attempt was started with. */
  readonly own: AgentKind;
  heard: Heard;
  channel: Channel | undefined;
}

/** Handles an agent event and decides the answer; `signal` ends when nobody waits for the answer any more. */
export type React = (live: Live, event: AgentEvent, source: Source, signal: AbortSignal) => Promise<Decision>;

export interface Ears {
  /** When this daemon began to listen, in `awake` time. */
  readonly since: number;
  /** The attempt, while it runs. */
  live(attempt: number): Promise<Live | undefined>;
  heard(live: Live, event: AgentEvent, source: Source, signal?: AbortSignal): Promise<Decision>;
  /** Changes what is known of an attempt and stores it. */
  note(live: Live, change: Partial<Heard>): Promise<void>;
  readonly hook: HookHandler;
  /** Drops the memory of an attempt; the next event reads it again. */
  forget(attempt: number): void;
  /** Of all others there is nothing more to hear. */
  keep(attempts: readonly { readonly id: number }[]): void;
}

/** Events that an agent sends only after its model has answered. */
const SERVED = new Set<AgentEvent['on']>(['tool', 'permission', 'question', 'turn-ended']);

/** Takes in what agents say: folds it into what is known, stores that, tells of a change, and lets `react` answer. */
export function ears(farm: Farm, react: React): Ears {
  const known = new Map<number, Live>();
  const never = new AbortController().signal;

  const live = async (attempt: number): Promise<Live | undefined> => {
    const before = known.get(attempt);
    if (before) return before;
    const row = await farm.db
      .selectFrom('attempt')
      .innerJoin('agent', 'agent.name', 'attempt.agent')
      .select(['attempt.agent', 'attempt.task', 'attempt.n', 'attempt.kind', 'attempt.settings', 'agent.worktree'])
      .where('attempt.id', '=', attempt)
      .where('attempt.state', '!=', 'ended')
      .executeTakeFirst();
    if (!row) return undefined;
    const heard = (await heardOf(farm.db, attempt)) ?? {
      session: null,
      signals: emptySignals(farm.clock.awake()),
      turn: null,
      care: NO_CARE,
    };
    const { agent, task, n, worktree } = row;
    const made: Live = { attempt, agent, task, n, worktree, ...startedWith(farm.config, row), heard, channel: undefined };
    // Two hooks at once may both have come this far.
    const first = known.get(attempt) ?? made;
    known.set(attempt, first);
    return first;
  };

  const note: Ears['note'] = async (one, change) => {
    const now = farm.clock.now();
    const awake = farm.clock.awake();
    const before = derive(one.heard.signals, 'alive', awake);
    one.heard = { ...one.heard, ...change };
    const after = derive(one.heard.signals, 'alive', awake);
    await farm.db.transaction().execute(async (tx) => {
      await writeHeard(tx, one.attempt, one.heard, now);
      if (before.state !== after.state || before.detail !== after.detail)
        await append(tx, { kind: 'agent.state', agent: one.agent, task: one.task, attempt: one.n, ...inWords(one.agent, after) }, now);
    });
    farm.wake();
  };

  const heard: Ears['heard'] = async (one, event, source, signal = never) => {
    isUp(one.attempt);
    // One that ends with its turn says goodbye after a failure, too: what failed is to be known, not that it left.
    const leaves = event.on === 'closed' && one.driver.ends(one.settings) === 'exit';
    if (leaves && hasFailed(one.heard.signals, farm.clock.awake())) return PASS;
    if (one.heard.signals.own?.state === 'limited' && SERVED.has(event.on)) await noteServed(farm, one);
    const signals = fold(one.heard.signals, event, source, farm.clock.awake());
    const session = event.on === 'ready' ? event.session : one.heard.session;
    // A new turn: what was decided at the end of the last one holds no more.
    const turn = event.on === 'prompt' ? null : one.heard.turn;
    await note(one, { signals, session, turn });
    return react(one, event, source, signal);
  };

  return {
    since: farm.clock.awake(),
    live,
    heard,
    note,
    forget: (attempt) => void known.delete(attempt),
    keep(attempts) {
      const running = new Set(attempts.map((row) => row.id));
      for (const attempt of known.keys()) if (!running.has(attempt)) known.delete(attempt);
    },
    async hook(attempt, name, payload, signal) {
      const one = await live(attempt);
      if (!one?.driver.hooks) {
        farm.log.info({ attempt, hook: name }, 'a hook of an attempt that has ended');
        return undefined;
      }
      let decision: Decision = PASS;
      for (const event of one.driver.hooks.read(name, payload)) decision = await heard(one, event, 'hook', signal);
      return one.driver.hooks.reply(name, payload, decision);
    },
  };
}

function inWords(agent: string, { state, detail, text, until }: Derived) {
  const what = detail && detail !== state ? `${state} (${detail})` : state;
  return { text: `${agent} is ${what}${text ? `: ${text}` : ''}`, data: { state, detail, until } };
}
