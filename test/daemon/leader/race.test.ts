import { describe, expect, it } from 'vitest';
import { writeUsage } from '../../../src/agents/agent/usage.ts';
import { parseConfig } from '../../../src/config/load.ts';
import type { Performer } from '../../../src/daemon/farm/performer.ts';
import { repositoryAt } from '../../../src/daemon/farm/repository.ts';
import { taskReader } from '../../../src/daemon/farm/task-rows.ts';
import { beginRace, dueEntrants, missingKind } from '../../../src/daemon/leader/race/begin.ts';
import { driveRaces } from '../../../src/daemon/leader/race/drive.ts';
import { errandEnd } from '../../../src/daemon/leader/race/facts.ts';
import { stuckRaces } from '../../../src/daemon/leader/race/memory.ts';
import { treeVerdict } from '../../../src/daemon/leader/race/verdict.ts';
import { freshState } from '../../../src/daemon/leader/state.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { git } from '../../../src/platform/git/run.ts';
import { advanceEntrant, entrantsOf, lastRaceOf } from '../../../src/queue/race/store.ts';
import { indexRuns } from '../../../src/queue/verdict.ts';
import { attemptAt } from '../../../src/work/attempt/store.ts';
import { openEntries } from '../../../src/work/entry/read.ts';
import { errandsAbout, noteResult } from '../../../src/work/errand/store.ts';
import { graphOf } from '../../../src/work/task/graph.ts';
import { reworkOf } from '../../../src/work/task/rework.ts';
import { noteRework, noteTaken } from '../../../src/work/task/store.ts';
import { stuck } from '../../../src/work/task/stuck.ts';
import { gitRepo } from '../../support/repo.ts';
import { task as planTask, snapshot } from '../../work/task/snapshot.ts';
import { decided, SUBMITTED } from './decided.ts';

const FAILED = { outcome: 'failed', reason: 'exit 2', sha: null, kept: null } as const;
const BLOCKED = { outcome: 'blocked', reason: 'no key', sha: null, kept: null } as const;

/** A race for task 1 with a real store and a real repository; its agents and checks are played by the test. */
async function raced(config = '', kinds: readonly (string | null)[] = [null, 'codex']) {
  const repo = await gitRepo();
  const at = await decided('1');
  const head = await repo.git('rev-parse', 'HEAD');
  const place = { root: repo.root, gitDir: `${repo.root}/.git` };
  const trust = { now: { yes: true } };
  Object.assign(at.farm, {
    repo: place,
    git: repositoryAt(place),
    trust,
    board: { dir: repo.root },
    places: { logs: repo.base },
    alarm: {},
    config: parseConfig(`attempts: 2\n${config}`, 'f'),
  });
  const state = freshState('main', () => {
    throw new Error('nothing is mended here');
  });
  Object.assign(state.queue, { head, headTree: 'tree' });
  const started: string[] = [];
  const perform = {
    busy: () => false,
    failing: () => false,
    start: async (kind: string) => {
      started.push(kind);
    },
  } as unknown as Performer;
  const begin = async (of: readonly (string | null)[]) => {
    const task = await at.task('p/1');
    return at.inTx((tx) => beginRace(tx, at.farm, task, of, 1000));
  };
  await begin(kinds);
  const race = async () => (await lastRaceOf(at.db, 'p/1'))!;
  const entrants = async () => entrantsOf(at.db, (await race()).id);
  const drive = async (looks = 4) => {
    for (let n = 0; n < looks; n++) await driveRaces(at.farm, state, perform);
  };
  return {
    ...{ ...at, repo, head, state, started, race, entrants, drive, begin },
    states: async () => (await entrants()).map((one) => one.state),
    /** The agent of an entrant ends; with commits, these are merged, with so many changed lines. */
    ends: async (n: number, how: typeof SUBMITTED | typeof FAILED | typeof BLOCKED, lines = 1) => {
      const { ref } = (await entrants())[n - 1]!;
      await at.end(await at.start(ref), how.outcome === 'submitted' ? { ...how, sha: head } : how);
      await drive(1);
      const change = { tree: `tree ${n}`, commit: head, lines };
      const who = { race: (await race()).id, n, task: 'p/1' };
      await at.inTx((tx) => advanceEntrant(tx, who, { on: 'merged' }, 1000, change));
    },
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

describe('a race', () => {
  it('leases its task once, and sends an errand for each entrant, which goes on from what was there', async () => {
    await using at = await decided('1');
    await at.inTx((tx) => noteRework(tx, 'p/1', { why: 'check', report: 'red', from: 'c1' }));
    const task = await at.task('p/1');
    expect(await dueEntrants(at.farm, { ...task, race: '3' })).toEqual([null, null, null]);
    expect(await at.inTx((tx) => beginRace(tx, at.farm, task, [null, 'codex'], 1000))).toBe(true);
    expect(await at.inTx((tx) => beginRace(tx, at.farm, task, [null, null], 1000))).toBe(false);
    expect(await dueEntrants(at.farm, { ...task, race: '3' }), 'by its file only once').toBeUndefined();
    expect(await at.task('p/1')).toMatchObject({ standing: 'leased', attempt: 1 });
    const errands = await errandsAbout(at.db, 'p/1');
    expect(errands).toMatchObject([
      { id: 'entrant-1-1', agent: null, purpose: 'entrant', standing: 'open' },
      { id: 'entrant-1-2', agent: 'codex', purpose: 'entrant', standing: 'open' },
    ]);
    for (const { ref } of errands) expect(reworkOf(await at.task(ref))).toMatchObject({ report: 'red', from: 'c1' });
  });

  it('hands the work of the winner in under its own token, and stops who still works', async () => {
    await using at = await raced('race: { first: true }\n', [null, null, null]);
    await at.ends(1, SUBMITTED);
    const running = await at.start((await at.entrants())[1]!.ref);
    await at.drive();
    expect(await at.states()).toEqual(['won', 'lost', 'lost']);
    expect(await at.race()).toMatchObject({ state: 'ended', outcome: 'won', winner: 1, why: 'it passed first' });
    expect(await at.task('p/1')).toMatchObject({ standing: 'submitted', attempt: 1 });
    expect(await openEntries(at.db)).toMatchObject([{ task: 'p/1', attempt: 1, agent: 'ada', sha: at.head, target: 'main' }]);
    expect(await attemptAt(at.db, 'p/1', 1)).toMatchObject({ state: 'ended', outcome: 'submitted', sha: at.head, agent: 'ada' });
    expect(await git({ root: at.repo.root, gitDir: `${at.repo.root}/.git` }, ['rev-parse', 'refs/furrow/pin/p/1/1-queued-main'])).toBe(
      at.head,
    );
    // One that had not begun is over; one at work is told, and ends by itself.
    expect((await errandsAbout(at.db, 'p/1')).map(({ standing }) => standing)).toEqual(['landed', 'leased', 'landed']);
    await at.end(running, FAILED);
    expect((await at.task('p/entrant-1-2')).standing).toBe('landed');
    await at.drive();
    expect((await at.kinds()).filter((kind) => kind === 'race.ended')).toHaveLength(1);
  });

  it('without a judge is won by the cheapest, and its end tells what each cost', async () => {
    await using at = await raced();
    await at.ends(1, SUBMITTED, 1);
    await at.ends(2, SUBMITTED, 9);
    const usage = { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 };
    for (const [n, usd] of [
      [1, 0.5],
      [2, 0.25],
    ] as const) {
      const { id } = await attemptAt(at.db, `p/entrant-1-${n}`, 1);
      await writeUsage(at.db, { attempt: id, session: 's', usage, usd }, 1);
    }
    await at.drive();
    expect(await at.race()).toMatchObject({ outcome: 'won', winner: 2, why: 'it passes, and is the cheapest' });
    const end = (await eventsAfter(at.db, 0)).find(({ kind }) => kind === 'race.ended')!;
    expect(JSON.parse(end.data)).toMatchObject({ outcome: 'won', winner: 2, costs: { 1: 0.5, 2: 0.25 } });
  });

  it('that nobody wins fails once, told of each, and parks the task when that was its last try', async () => {
    await using at = await raced();
    for (const n of [1, 2]) for (let tries = 0; tries < 2; tries++) if ((await at.states())[n - 1] === 'running') await at.ends(n, FAILED);
    await at.drive();
    expect(await at.states()).toEqual(['out', 'out']);
    expect(await at.task('p/1')).toMatchObject({ standing: 'open', failures: 1 });
    const rework = reworkOf(await at.task('p/1'));
    expect(rework).toMatchObject({ why: 'race', from: null });
    expect(rework?.report).toMatch(/Entrant 1: 2 attempts failed.*\n\nEntrant 2: 2 attempts failed/s);
    // The errands need no person: their questions went with them.
    expect(await at.asked()).toEqual([]);
    await at.begin([null, null]);
    for (const n of [1, 2]) await at.ends(n, BLOCKED);
    await at.drive();
    expect(await at.task('p/1')).toMatchObject({ standing: 'parked', failures: 2 });
    expect(await at.asked()).toMatchObject([{ kind: 'parked', subject: 'p/1' }]);
  });

  it('gives its task to a person who takes it over, and stops', async () => {
    await using at = await raced();
    await at.inTx((tx) => noteTaken(tx, 'p/1', { by: 'Eve', at: 1, branch: 'b', worktree: '/w', ready: false }));
    await at.drive();
    expect(await at.race()).toMatchObject({ outcome: 'cancelled' });
    const task = await at.task('p/1');
    expect([task.standing, JSON.parse(task.want!)]).toMatchObject(['open', { status: 'in-progress', claimedBy: 'Eve' }]);
    expect((await errandsAbout(at.db, 'p/1')).map(({ standing }) => standing)).toEqual(['landed', 'landed']);
  });

  it('stops those who are late, and goes on with the others', async () => {
    await using at = await raced('race: { deadline: 10s }\n');
    await at.ends(1, SUBMITTED);
    await at.drive();
    expect(await at.states()).toEqual(['green', 'running']);
    at.time.now += 10_000;
    await at.drive();
    expect([await at.states(), (await at.entrants())[1]!.reason]).toEqual([['won', 'out'], 'the deadline of the race is over']);
  });
});

describe('the judge of a race', () => {
  it('that is an agent gets an errand with the task and the results, and its answer decides', async () => {
    await using at = await raced('race: { reviewer: codex }\n');
    for (const n of [1, 2]) await at.ends(n, SUBMITTED);
    await at.drive();
    const judge = (await errandsAbout(at.db, 'p/1')).find(({ purpose }) => purpose === 'judge')!;
    expect(judge).toMatchObject({ id: 'judge-1-1', agent: 'codex', brief: expect.stringContaining('### Entrant 2, 1 line changed') });
    expect(at.state.races.waiting.get('p/1')).toEqual(['p/judge-1-1']);
    expect((await at.race()).state).toBe('judging');
    const id = await at.start(judge.ref);
    await at.inTx((tx) => noteResult(tx, judge.ref, '{ "winner": 2, "why": "it has tests" }'));
    await at.drive();
    expect(await at.race()).toMatchObject({ outcome: 'won', winner: 2, why: 'it has tests' });
    await at.end(id, FAILED);
  });

  it('that gives no answer leaves the choice to the rule, which says so', async () => {
    await using at = await raced('race: { reviewer: codex }\n');
    for (const n of [1, 2]) await at.ends(n, SUBMITTED, 3 - n);
    await at.drive();
    await at.end(await at.start('p/judge-1-1'), BLOCKED);
    await at.drive();
    expect(await at.race()).toMatchObject({ winner: 2, why: expect.stringMatching(/fewest lines; the judge gave no answer: no key$/) });
  });

  it('that is a command is asked again until it has answered', async () => {
    await using at = await raced('race: { judge: sh judge.sh }\n');
    for (const n of [1, 2]) await at.ends(n, SUBMITTED);
    await at.drive(3);
    expect(await at.race()).toMatchObject({ state: 'judging', judge: 'command' });
    expect(at.started.length).toBeGreaterThan(1);
    expect(new Set(at.started)).toEqual(new Set(['race.judge']));
    expect((await at.kinds()).filter((kind) => kind === 'race.judging')).toHaveLength(1);
    expect(at.state.races.waiting.size, 'a command needs no agent').toBe(0);
  });
});

it.each([
  [undefined, undefined, { is: 'over', why: 'its errand is gone' }],
  [{ standing: 'leased', blocked: 0, block_reason: null, unchanged: null }, undefined, { is: 'open' }],
  [{ standing: 'open', blocked: 1, block_reason: 'no key', unchanged: null }, undefined, { is: 'over', why: 'no key' }],
  [{ standing: 'parked', blocked: 1, block_reason: 'failed', unchanged: null }, undefined, { is: 'over', why: 'failed' }],
  [{ standing: 'landed', blocked: 0, block_reason: null, unchanged: 'fine' }, undefined, { is: 'over', why: 'no change is needed: fine' }],
  [
    { standing: 'landed', blocked: 0, block_reason: null, unchanged: null },
    { outcome: 'submitted', sha: 'c1', agent: 'ada', reason: '1 commit' },
    { is: 'made', sha: 'c1', agent: 'ada' },
  ],
  [
    { standing: 'landed', blocked: 0, block_reason: null, unchanged: null },
    { outcome: 'stopped', sha: 'c1', agent: 'ada', reason: 'given up' },
    { is: 'over', why: 'given up' },
  ],
] as const)('the errand %j with the attempt %j is %j', (row, last, end) => expect(errandEnd(row, last)).toEqual(end));

it('a result is red after as many tries as in the queue, and when its check cannot be run', () => {
  const check = { id: 'c', name: 'unit', run: 'x', timeoutMs: 1, env: {} };
  const run = (id: number, outcome: 'pass' | 'fail' | 'error') => ({ id, tree: 't', check: 'c', outcome });
  const verdict = (outcomes: ('pass' | 'fail' | 'error')[], retries = 1) =>
    treeVerdict(indexRuns(outcomes.map((one, at) => run(at + 1, one))), 't', [check], retries).is;
  expect([verdict([]), verdict(['fail']), verdict(['fail', 'fail']), verdict(['fail'], 0)]).toEqual(['open', 'open', 'red', 'red']);
  expect([verdict(['fail', 'pass']), verdict(['error']), verdict(Array(5).fill('error'))]).toEqual(['green', 'open', 'red']);
});

it('a race is stuck when none of its entrants can move without a person', () => {
  const entrant = (n: number, more: object) => planTask(`e${n}`, { purpose: 'entrant', ...more });
  const waiting = new Map([['default/1', ['default/e1', 'default/e2']]]);
  const stuckWith = (...blocked: boolean[]) =>
    stuckRaces(
      { merging: new Set(), waiting },
      snapshot([planTask('1', { standing: 'leased' }), ...blocked.map((one, at) => entrant(at + 1, { blocked: one }))]),
    );
  expect([...stuckWith(true, true)]).toEqual(['default/1']);
  expect([...stuckWith(true, false)]).toEqual([]);
});

it('a race that began after the tasks were read is not stuck: its entrants are not among those tasks yet', async () => {
  await using at = await decided('1');
  const read = taskReader({ db: at.db, clock: at.farm.clock });
  const { plan } = await read();
  graphOf(plan);
  const task = await at.task('p/1');
  await at.inTx((tx) => beginRace(tx, at.farm, task, [null, null], 1000));
  const waiting = new Map([['p/1', (await entrantsOf(at.db, (await lastRaceOf(at.db, 'p/1'))!.id)).map(({ ref }) => ref)]]);
  // A command that looks at the farm in the middle of a tick: it brings the rows of that tick up to date, but not their graph.
  await read();
  const seen = snapshot(plan, [], { activePhases: new Set(['p']) });
  const vain = stuckRaces({ merging: new Set(), waiting }, seen);
  expect([...vain]).toEqual([]);
  expect(stuck({ ...seen, vain: ({ ref }) => vain.has(ref) }, 1000, false, 'p')).toBeUndefined();
});

it('a race of a kind that furrow.yaml does not have is refused', () => {
  const config = parseConfig('agents: { own: { run: x } }\n', 'f');
  expect(missingKind({ config }, ['own', 'nobody'])?.message).toContain('no agent kind nobody');
  expect(missingKind({ config }, ['own', null])).toBeUndefined();
});
