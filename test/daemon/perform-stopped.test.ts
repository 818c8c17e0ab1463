import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/daemon/acts/keys.ts';
import type { ActKind, ArgsOf } from '../../src/daemon/acts/table.ts';
import { failing } from '../../src/daemon/farm/failing.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { performer, WHILE_STOPPED } from '../../src/daemon/perform.ts';
import { type AnyAct, intend, openIntents } from '../../src/journal/act.ts';
import { newStore } from '../support/store.ts';

/** A performer with a real store and every act there is, each of which only notes what was done. */
async function performing(world: Partial<AnyAct> = {}) {
  const store = await newStore();
  const { db } = store;
  const did: string[] = [];
  const note = (what: string) => async () => void did.push(what);
  const act = (kind: string): AnyAct => ({
    kind,
    probe: async () => undefined,
    run: note('run'),
    finish: note('finish'),
    failed: note('failed'),
    ...world,
  });
  const standing: { stopped: number | undefined } = { stopped: 1 };
  const clock = { now: () => 1, awake: () => 1 };
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  const trust = { now: { yes: true } };
  const farm = { db, clock, log, trust, troubles: new Map(), stopped: () => standing.stopped, wake() {} } as unknown as Farm;
  Object.assign(farm, { failing: failing({ db, clock, log } as unknown as Parameters<typeof failing>[0]) });
  const acts = KINDS.map(act);
  const leave = (kind: ActKind) =>
    intend(db, { ...acts.find((one) => one.kind === kind)!, begin: async () => {} }, keyOf(kind, ARGS), ARGS, 1);
  return { db, did, standing, perform: performer(farm, acts), leave, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

const KINDS = Object.keys(WHILE_STOPPED) as ActKind[];
/** Has all that a key is made of, for every kind. */
const ARGS = {
  agent: 'ada',
  attempt: 7,
  task: 'p/1',
  tree: 't',
  check: { id: 'c', name: 'check' },
  channel: 'terminal',
  race: 3,
} as never as ArgsOf<ActKind>;
const waiting = KINDS.filter((kind) => WHILE_STOPPED[kind] === 'waits');
const going = KINDS.filter((kind) => WHILE_STOPPED[kind] === 'goes on');

it('in a stopped farm only what ends something or writes it down goes on', () => {
  expect(going).toEqual(['attempt.end', 'board.write', 'worktree.dispose']);
});

describe.each(waiting)('%s', (kind) => {
  it('is not begun in a stopped farm, and is when the farm goes on', async () => {
    await using on = await performing();
    await on.perform.start(kind, ARGS);
    expect([on.did, await openIntents(on.db), on.perform.underWay()]).toEqual([[], [], []]);
    on.standing.stopped = undefined;
    await on.perform.start(kind, ARGS);
    expect(on.did).toEqual(['run', 'finish']);
  });

  it('that a killed daemon had begun is given up in a farm that was stopped since', async () => {
    await using on = await performing();
    await on.leave(kind);
    await on.perform.recover([kind]);
    expect([on.did, await openIntents(on.db)]).toEqual([['failed'], []]);
  });

  it('that was done before its daemon was killed is stored as done, and nothing more', async () => {
    await using on = await performing({ probe: async () => ({}) });
    await on.leave(kind);
    await on.perform.recover([kind]);
    expect([on.did, await openIntents(on.db)]).toEqual([['finish'], []]);
  });

  it('that cannot be left half done is completed', async () => {
    await using on = await performing({ begun: async () => true });
    await on.leave(kind);
    await on.perform.recover([kind]);
    expect([on.did, await openIntents(on.db)]).toEqual([['run', 'finish'], []]);
  });
});

it.each(going)('%s goes on in a stopped farm, also after a kill', async (kind) => {
  await using on = await performing();
  await on.leave(kind);
  await on.perform.recover([kind]);
  await on.perform.start(kind, ARGS);
  expect(on.did).toEqual(['run', 'finish', 'run', 'finish']);
});

it('a check that a person asked for and waits for runs in a stopped farm', async () => {
  await using on = await performing();
  await on.perform.start('check.run', { ...ARGS, asked: true } as ArgsOf<'check.run'>);
  expect(on.did).toEqual(['run', 'finish']);
});
