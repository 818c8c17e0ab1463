import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { scripted } from '../../../src/agents/agent/drivers/scripted.ts';
import type { Decision } from '../../../src/agents/agent/event.ts';
import { Delivery, type Doors } from '../../../src/agents/message/delivery.ts';
import { mailbox } from '../../../src/agents/message/mailbox.ts';
import { quietPane, typedIn } from '../../../src/agents/message/pane.ts';
import { nextDelivery, planDelivery, type Receiver } from '../../../src/agents/message/plan.ts';
import { send } from '../../../src/agents/message/store.ts';
import { openStore } from '../../../src/journal/store.ts';
import { farm } from '../../platform/tmux/place.ts';
import { startAgent, type TestAgent } from './agents.ts';
import { addAttempt } from './attempt.ts';
import { type Heard, hookServer } from './hook-server.ts';
import { human } from './human.ts';
import { judge } from './judge.ts';
import { tally } from './tally.ts';

export interface StormSize {
  readonly messages: number;
  readonly agents: number;
  readonly seed: number;
  /** How many drafts a person types meanwhile, at random moments. */
  readonly drafts: number;
  readonly say?: (line: string) => void;
}

const FAULTS = [
  'swallowFirst=2 swallowEvery=4 dropEvery=5 burstMs=50',
  'swallowEvery=3 dropEvery=3',
  'dropEvery=2 burstMs=50 startMs=300',
  '',
];
const RULES = { humanMs: 2_000, backoffMs: 300, dwellMs: 200 };
const PATIENCE = { settleMs: 100, enterMs: 200, receiptMs: 400 };

/** Many messages to real programs in real windows that lose Enters and receipts, while a person types drafts into them. */
export async function messageStorm(size: StormSize): Promise<{ facts: Record<string, unknown>; violations: string[] }> {
  await using at = await farm();
  const db = await openStore(join(at.place.dir, 'store.db'));
  const states = new Map<number, 'idle' | 'working'>();
  const heardAt = new Map<number, number>();
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();

  async function decide({ attempt, event }: Heard): Promise<Decision> {
    heardAt.set(attempt, Date.now());
    if (event.on === 'prompt' || event.on === 'tool') states.set(attempt, 'working');
    if (event.on === 'prompt') await desk.took(event.text, attempt);
    const agent = agents.find((one) => one.attempt === attempt);
    // One agent of four gets what waits with the answer to its hook, too; the others only by keys.
    const text = agent && event.on === 'turn-ended' && attempt % 4 === 0 ? await desk.forHook(agent.name, attempt) : undefined;
    if (event.on === 'turn-ended' && text === undefined) states.set(attempt, 'idle');
    wake();
    return text === undefined ? { do: 'pass' } : { do: 'go-on', text };
  }
  await using hooks = await hookServer(decide);
  const agents: TestAgent[] = [];
  const doors: Doors = {
    mail: mailbox(db, Date.now),
    now: Date.now,
    fileFor: async ({ id, body }) => {
      const file = join(at.place.dir, `m${id}.txt`);
      await writeFile(file, body);
      return file;
    },
    connectionOf: (name) => agents.find((agent) => agent.name === name)?.connection,
    screenOf: () => scripted.screen!,
    paneOf: async (name) => {
      const agent = agents.find((one) => one.name === name)!;
      return quietPane(at.tmux, agent, { humanMs: RULES.humanMs, now: Date.now() }, agent.changed);
    },
    patience: PATIENCE,
  };
  const desk = new Delivery(doors);
  for (let n = 1; n <= size.agents; n++) {
    const name = `agent-${n}`;
    await addAttempt(db, n, name);
    agents.push(await startAgent(at, name, n, { hook: hooks.url, faults: FAULTS[(n - 1) % FAULTS.length]! }));
  }
  await Promise.all(agents.map(({ attempt }) => hooks.until((heard) => heard.attempt === attempt && heard.event.on === 'turn-ended')));

  const bodies = bodiesOf(size);
  const ids: number[] = [];
  const receiverOf = (n: number) => agents[n % agents.length]!;
  const over = new AbortController();
  const person = await human(at, agents, size.seed, over.signal);
  const writing = (async () => {
    for (const [n, body] of bodies.entries()) {
      const message = { sender: 'bob', receiver: receiverOf(n).name, kind: 'notify', body } as const;
      ids.push(await db.transaction().execute((tx) => send(tx, message, Date.now())));
      wake();
      // In small heaps, so that some find the agent idle and others wait for the turn's end.
      if (n % (agents.length * 2) === 0) await pause(30);
    }
  })();
  const typing = person.drafts(size.drafts);

  const running = new Set<Promise<void>>();
  for (let told = 0; ; ) {
    woken = Promise.withResolvers<void>();
    const counted = await tally(db);
    if (counted.sent !== ids.length && counted.sent !== ids.length + 1) throw new Error(`${ids.length} sent, ${JSON.stringify(counted)}`);
    if (counted.delivered >= told + 100) {
      told = counted.delivered;
      size.say?.(`${told} delivered`);
    }
    if (ids.length === bodies.length && counted.pending === 0) break;
    const receivers = await Promise.all(agents.map((agent) => look(agent)));
    const facts = { ...(await desk.facts(receivers)), rules: RULES };
    for (const action of planDelivery(facts, Date.now())) {
      const doing = desk.carryOut(action, over.signal).finally(() => {
        running.delete(doing);
        wake();
      });
      running.add(doing);
    }
    const next = nextDelivery(facts, Date.now());
    // A draft that was cleared makes no event of its own here, unlike in the farm, which watches the logs.
    const wait = Math.min(next === undefined ? 250 : Math.max(0, next - Date.now()), 250);
    const stop = new AbortController();
    await Promise.race([woken.promise, pause(wait, undefined, { signal: stop.signal }).catch(() => {})]);
    stop.abort();
  }
  await writing;
  await typing;
  await Promise.all(running);
  over.abort();
  await person.close();
  const { violations, beside } = await judge(ids, bodies, agents, receiverOf, person.typed, at.place.dir);
  const counted = await tally(db);
  const ways = await db
    .selectFrom('message')
    .select((e) => ['via', e.fn.countAll<number>().as('count')])
    .groupBy('via')
    .execute();
  if (counted.delivered !== bodies.length) violations.push(`${counted.delivered} of ${bodies.length} delivered`);
  const tries = await db
    .selectFrom('message')
    .select((e) => e.fn.max('tries').as('most'))
    .executeTakeFirstOrThrow();
  await db.destroy();
  return {
    facts: {
      ...counted,
      ...Object.fromEntries(ways.map(({ via, count }) => [via, count])),
      drafts: person.typed.length,
      beside,
      mostTries: tries.most,
    },
    violations,
  };

  async function look(agent: TestAgent): Promise<Omit<Receiver, 'busy'>> {
    const [viewers, screen] = [await at.tmux.clients(), await at.tmux.screen(agent.pane)];
    return {
      agent: agent.name,
      attempt: agent.attempt,
      gone: false,
      ways: ['hook', 'keys'],
      state: states.get(agent.attempt) ?? 'idle',
      sure: true,
      draft: scripted.screen!(screen).draft,
      typedAt: typedIn(viewers, agent.window),
      heardAt: heardAt.get(agent.attempt) ?? null,
    };
  }
}

function bodiesOf(size: StormSize): string[] {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((body) => body.isWellFormed());
  const plain = fc.string({ maxLength: 200 });
  const odd = fc.constantFrom(
    'a;',
    ';',
    '-x',
    '--',
    '"quoted" \'too\'',
    'one\r\ntwo\r\n',
    '$(id) `id` #{pid} #(id)',
    'ends in \\',
    '@file',
    ' ',
    '',
    '[furrow m1] from me: no',
    'ä ß 漢字 한글 кот',
    '\x1b[201~\r',
    '#!/bin/sh',
    '> x',
  );
  const long = fc.constantFrom('y'.repeat(100 * 1024), 'é'.repeat(600), 'line\n'.repeat(40));
  const body = fc.oneof(
    { weight: 5, arbitrary: plain },
    { weight: 3, arbitrary: text },
    { weight: 3, arbitrary: odd },
    { weight: 1, arbitrary: long },
  );
  return fc.sample(body, { numRuns: size.messages, seed: size.seed });
}
