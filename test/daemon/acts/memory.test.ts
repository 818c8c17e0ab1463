import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ActKind } from '../../../src/daemon/acts/table.ts';
import { failing } from '../../../src/daemon/farm/failing.ts';
import type { Agents } from '../../../src/daemon/host/agents/agents.ts';
import { freshState } from '../../../src/daemon/leader/state.ts';
import { actsOf } from '../../../src/daemon/whole-acts.ts';
import type { WholeFarm } from '../../../src/daemon/whole-farm.ts';
import { carryOut, intend } from '../../../src/journal/act.ts';
import { failure } from '../../../src/repo/merge/push-failure.ts';
import { decided } from '../leader/decided.ts';

/** Every act with a real store, the daemon's memory around it, and a commit that can be made to fail at the very end. */
async function remembering() {
  const at = await decided('1');
  const { db } = at;
  const { clock } = at.farm;
  const heard: unknown[] = [];
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  const farm = {
    ...at.farm,
    alarm: {},
    trust: { now: { yes: true } },
    cutShort: new EventEmitter(),
    ownWrites: new Set(['w']),
  } as unknown as WholeFarm;
  Object.assign(farm, { failing: failing({ db, clock, log } as unknown as Parameters<typeof failing>[0]) });
  farm.cutShort.on('l', () => heard.push('cut short'));
  const state = freshState('main', () => expect.unreachable('nothing is merged here'));
  state.queue.head = 'h';
  const agents = { running: { forget: (attempt: number) => heard.push(['forgets', attempt]) } } as unknown as Agents;
  const acts = actsOf(farm, state, () => agents);
  const memory = () => {
    const { queue, publishing, pushFailed } = state;
    return structuredClone({ head: queue.head, tree: queue.headTree, publishing, pushFailed, writes: farm.ownWrites, heard });
  };
  const say = async (statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  };
  return {
    ...at,
    memory,
    refuse: () => say(REFUSE),
    allow: () => say(ALLOW),
    act: (kind: ActKind) => acts.find((act) => act.kind === kind)!,
  };
}

/** Lets every commit fail that has written to the table of intents or to that of tasks: a broken reference is found at the commit, after all statements. */
const REFUSE = [
  'create table if not exists nowhere (id integer primary key)',
  'create table if not exists refused (id integer references nowhere (id) deferrable initially deferred)',
  'create trigger refuse_new after insert on intent begin insert into refused values (1); end',
  'create trigger refuse_end after update on intent begin insert into refused values (1); end',
  'create trigger refuse_task after update on task begin insert into refused values (1); end',
];
const ALLOW = ['drop trigger refuse_new', 'drop trigger refuse_end', 'drop trigger refuse_task'];

const check = { id: 'c', name: 'check', run: 'true', timeoutMs: 1, env: {} };
const run = { tree: 't', commit: 'c', check, slot: '1', task: null, stage: 'queue', log: 'l' };
const land = { entries: [], steps: [], head: 'h', tree: 't2', commit: 'c2', unchecked: false, target: 'main' };
const publish = { old: 'a', new: 'b', target: 'main' };
const push = { remote: 'origin', commit: 'c', expected: null, target: 'main' };

/** The acts whose end changes memory: the result that does it, or the error. */
const ENDS: readonly [ActKind, object, object][] = [
  ['landing.land', land, { landed: true }],
  ['landing.land', land, { landed: false }],
  ['landing.publish', publish, { published: false, reason: 'your file a.txt is in the way' }],
  ['landing.publish', publish, new Error('git was killed')],
  ['landing.push', push, failure('offline', 'no route', 'git fetch origin')],
  ['board.write', { task: 'p/1', want: '{"notes":[]}' }, { hash: 'w', status: 'todo' }],
  ['check.run', run, new Error('the slot could not be made')],
];

describe('memory follows the store', () => {
  it.each(ENDS)('at the end of %s, once that is committed and never before', async (kind, args, outcome) => {
    await using at = await remembering();
    const { begin: _, ...act } = at.act(kind);
    const done = { ...act, run: async () => (outcome instanceof Error ? Promise.reject(outcome) : outcome) };
    const intent = await intend(at.db, done, kind, args, 1);
    const before = at.memory();
    const end = () => carryOut(at.db, done, intent, false, () => 1).catch((error: Error) => error.message);
    await at.refuse();
    expect(await end()).toMatch('FOREIGN KEY');
    expect(at.memory()).toEqual(before);
    await at.allow();
    expect(await end()).toBe(outcome instanceof Error ? outcome.message : undefined);
    expect(at.memory()).not.toEqual(before);
  });

  it('when a relaunch begins and when it ends, once that is committed and never before', async () => {
    await using at = await remembering();
    const attempt = await at.start('p/1');
    const act = { ...at.act('attempt.relaunch'), run: async () => ({ pid: 7, start: 's' }) };
    const begin = () => intend(at.db, act, 'k', { attempt, launch: 2, how: 'resume', why: 'it crashed' }, 1);
    await at.refuse();
    await expect(begin()).rejects.toThrow('FOREIGN KEY');
    expect(at.memory().heard).toEqual([]);
    await at.allow();
    const intent = await begin();
    expect(at.memory().heard).toEqual([['forgets', attempt]]);
    const end = () => carryOut(at.db, act, intent, false, () => 1);
    await at.refuse();
    await expect(end()).rejects.toThrow('FOREIGN KEY');
    expect(at.memory().heard).toHaveLength(1);
    await at.allow();
    await end();
    expect(at.memory().heard).toHaveLength(2);
  });
});
