import { expect, it } from 'vitest';
import type { Trusted } from '../../src/config/trust/standing.ts';
import { failing } from '../../src/daemon/farm/failing.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { performer } from '../../src/daemon/perform.ts';
import { type AnyAct, intend, openIntents } from '../../src/journal/act.ts';
import { newStore } from '../support/store.ts';

const UNTRUSTED: Trusted = { yes: false, why: 'it changed', foreign: false };

/** A performer with a real store, whose acts only note that they ran. */
async function performing() {
  const store = await newStore();
  const { db } = store;
  const ran: string[] = [];
  const act = (kind: string): AnyAct => ({
    kind,
    probe: async () => undefined,
    run: async () => {
      ran.push(kind);
    },
    finish: async () => {},
  });
  const trust: { now: Trusted } = { now: UNTRUSTED };
  const clock = { now: () => 1, awake: () => 1 };
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  const farm = { db, clock, log, trust, troubles: new Map(), stopped: () => undefined, wake() {} } as unknown as Farm;
  Object.assign(farm, { failing: failing({ db, clock, log } as unknown as Parameters<typeof failing>[0]) });
  const acts = ['attempt.start', 'attempt.relaunch', 'attempt.end', 'check.run', 'landing.push', 'landing.land'].map(act);
  return { db, ran, trust, acts, perform: performer(farm, acts), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

const check = { id: 'c', name: 'check', run: 'true', timeoutMs: 1, env: {} };
const run = { tree: 't', commit: 'c', check, slot: '1', task: null, stage: 'queue', log: 'l' } as const;
const start = { task: 'p/1', agent: 'ada', n: 1, kind: 'k', base: 'b', branch: 'x' };
const relaunch = { attempt: 7, launch: 2, how: 'resume', why: 'it crashed' } as const;

it('what runs something of the repository is not begun without trust, and what ends it is', async () => {
  await using on = await performing();
  await on.perform.start('check.run', run);
  await on.perform.start('attempt.start', start);
  await on.perform.start('attempt.relaunch', relaunch);
  await on.perform.start('landing.push', { remote: 'r', commit: 'c', expected: null, target: 'main' });
  expect([on.ran, await openIntents(on.db)]).toEqual([[], []]);
  await on.perform.start('attempt.end', { attempt: 8, why: 'exit', graceMs: 0 });
  on.trust.now = { yes: true };
  await on.perform.start('check.run', run);
  expect(on.ran).toEqual(['attempt.end', 'check.run']);
});

it('what a killed daemon had begun waits for trust, and is gone on with once', async () => {
  await using on = await performing();
  for (const kind of ['attempt.start', 'check.run', 'landing.land'])
    await intend(on.db, on.acts.find((one) => one.kind === kind)!, kind, {}, 1);
  await on.perform.recover(['landing.land']);
  await on.perform.recoverHeld();
  expect(on.ran).toEqual(['landing.land']);
  on.trust.now = { yes: true };
  await on.perform.recoverHeld();
  await on.perform.recoverHeld();
  await on.perform.quiet();
  expect(on.ran.toSorted()).toEqual(['attempt.start', 'check.run', 'landing.land']);
  expect(await openIntents(on.db)).toEqual([]);
});
