import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { boardKey } from '../../../src/daemon/acts/keys.ts';
import { aboutOf, failing, failingAbout } from '../../../src/daemon/farm/failing.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { performer } from '../../../src/daemon/perform.ts';
import type { AnyAct } from '../../../src/journal/act.ts';
import { openStore } from '../../../src/journal/store.ts';

const HOUR = 3_600_000;
const log = { warn() {}, error() {}, info() {}, debug() {} };

/** A farm with one act that fails for as long as it is told to, a real store and a clock that is moved by hand. */
async function farmWith() {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-failing-'));
  const db = await openStore(join(dir, 'store.db'));
  const time = { wall: 1_000_000, awake: 1_000_000 };
  const world = { error: new Error('no such door') as Error | undefined, runs: 0 };
  const clock = { now: () => time.wall, awake: () => time.awake };
  const start = () => {
    const farm = {
      db,
      clock,
      log,
      wake() {},
      troubles: new Map(),
      ownWrites: new Set(),
      failing: failing({ db, clock, log } as unknown as Farm),
    } as unknown as Farm;
    const act: AnyAct = {
      kind: 'board.write',
      probe: async () => undefined,
      run: async () => {
        world.runs++;
        if (world.error) throw world.error;
      },
      finish: async () => {},
    };
    return { farm, perform: performer(farm, [act]) };
  };
  const KEY = boardKey('default/1');
  return {
    db,
    time,
    world,
    start,
    /** Tries it once, after its rest, as the loop would. */
    async once({ perform }: ReturnType<typeof start>) {
      time.awake += 60_001;
      await perform.start('board.write', { task: 'default/1', want: '{}' });
    },
    key: KEY,
    open: () => db.selectFrom('question').selectAll().where('closed', 'is', null).execute(),
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      await rm(dir, { recursive: true });
    },
  };
}

it('an act that fails twice is told once: what, on what, why, when again, and what to type; it is in why, and goes when it works', async () => {
  await using it = await farmWith();
  const daemon = it.start();
  await it.once(daemon);
  expect(await it.open()).toEqual([]);
  await it.once(daemon);
  await it.once(daemon);
  const [question, ...more] = await it.open();
  expect([question, more]).toMatchObject([{ kind: 'act', subject: it.key, since: 1_000_000 }, []]);
  expect(question!.reason).toMatch(
    /^could not write the file of task 1, 3 times in a row: no such door; tried again at \d\d:\d\d:\d\d; see: furrow show 1$/,
  );
  expect(aboutOf(question!.data)).toEqual({ agent: null, tasks: ['default/1'] });
  expect(await failingAbout(it.db, { task: 'default/1' })).toMatchObject([{ code: 'failing', text: question!.reason }]);
  expect(daemon.perform.failing(it.key)).toBe(true);
  it.world.error = undefined;
  await it.once(daemon);
  expect(await it.open()).toEqual([]);
  expect(daemon.perform.failing(it.key)).toBe(false);
});

it('a failing act that nobody wants any more is settled after a tick in which it could have been tried', async () => {
  await using it = await farmWith();
  const daemon = it.start();
  await it.once(daemon);
  await it.once(daemon);
  await daemon.perform.review(it.time.awake);
  expect(await it.open()).toHaveLength(1);
  it.time.awake += 60_001;
  await daemon.perform.review(it.time.awake);
  expect(await it.open()).toEqual([]);
});

it('what is tried again at a slower pace of its own counts on: it is told at its second failure, and stays told until it works', async () => {
  await using it = await farmWith();
  const { farm, perform } = it.start();
  /** Ticks in which it could be tried again, and its own pace says later. */
  const ticks = async () => {
    for (let n = 0; n < 3; n++) {
      it.time.awake += 60_001;
      farm.failing.wanted(it.key);
      await perform.review(it.time.awake);
    }
  };
  await it.once({ farm, perform });
  await ticks();
  await it.once({ farm, perform });
  expect(await it.open()).toMatchObject([{ kind: 'act', subject: it.key, reason: expect.stringContaining('2 times in a row') }]);
  await ticks();
  expect(await it.open()).toHaveLength(1);
  it.world.error = undefined;
  await it.once({ farm, perform });
  expect(await it.open()).toEqual([]);
});

it('outlives the daemon: the next one keeps it when it fails as well, and settles it when it works or is not wanted', async () => {
  await using it = await farmWith();
  const first = it.start();
  await it.once(first);
  await it.once(first);
  const [before] = await it.open();
  const second = it.start();
  await second.farm.failing.load();
  await it.once(second);
  expect(await it.open()).toMatchObject([{ id: before!.id, reason: expect.stringContaining('once more') }]);
  const third = it.start();
  await third.farm.failing.load();
  await third.perform.review(it.time.awake);
  expect(await it.open()).toEqual([]);
});

it('rests by the time that the machine is awake, however the time of day jumps', async () => {
  await using it = await farmWith();
  const { perform } = it.start();
  await it.once({ perform } as never);
  for (const jump of [8 * HOUR, -9 * HOUR]) {
    it.time.wall += jump;
    expect(perform.busy(it.key)).toBe(true);
  }
  it.time.awake += 1001;
  expect(perform.busy(it.key)).toBe(false);
});

it('is told at the fifth time only when somebody is editing the file', async () => {
  await using it = await farmWith();
  const daemon = it.start();
  it.world.error = Object.assign(new Error('it was edited meanwhile'), { code: 'BOARD_CHANGED' });
  for (let n = 0; n < 4; n++) await it.once(daemon);
  expect(await it.open()).toEqual([]);
  await it.once(daemon);
  expect(await it.open()).toHaveLength(1);
});
