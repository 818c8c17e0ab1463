import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Report } from '../../../src/daemon/farm/report.ts';
import { HangingWatch, hangingChecks } from '../../../src/daemon/host/checks/hanging.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { openStore } from '../../../src/journal/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

const M = 60_000;

it('a check that hangs is a question until it prints again or ends, and nothing is looked at before it could hang', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-hanging-'));
  const db = await openStore(join(dir, 'store.db'));
  const time = { now: 1_000_000_000_000 };
  const clock = { now: () => time.now, awake: () => time.now };
  const commandsRunning = new Map<string, number>();
  const farm = {
    leader: leaderAnswersOn(db, { clock }),
    clock,
    commandsRunning,
    alarm: {},
    wake() {},
    report: (report: Report) => storeReport({ db, clock }, report),
  } as unknown as Host;
  const watch = new HangingWatch(farm);
  const log = join(dir, 'unit.log');
  const questions = async () =>
    (await db.selectFrom('question').select('reason').where('closed', 'is', null).execute()).map((row) => row.reason);
  const grew = (at: number) => utimes(log, at / 1000, at / 1000);
  try {
    const check = { id: 'c', name: 'unit', run: 'x', timeoutMs: 10 * M, env: {} };
    const args = JSON.stringify({ tree: 't', commit: 'c', check, slot: '1', task: null, stage: 'queue', log });
    await db
      .insertInto('intent')
      .values({ kind: 'check.run', key: 'k', args, state: 'open', at: time.now, ended: null, result: null })
      .execute();
    const run = {
      tree: 't',
      check: 'c',
      name: 'unit',
      outcome: 'pass' as const,
      at: 1,
      ms: 20_000,
      beside: 1,
      stage: 'queue' as const,
      log,
      detail: null,
    };
    await db.insertInto('check_run').values(run).execute();
    await writeFile(log, 'begun\n');
    await grew(time.now);

    // It waits for its slot: that is no hanging, however long.
    time.now += 20 * M;
    await watch.look();
    expect(await questions()).toEqual([]);
    commandsRunning.set(log, time.now);
    await watch.look();
    time.now += 4 * M;
    await watch.look();
    expect(await questions()).toEqual([expect.stringContaining('check unit has run 4m (usually 20s), no output for 4m; timeout in 6m')]);
    expect(await hangingChecks(farm)).toMatchObject([{ log, check: 'unit' }]);

    await grew(time.now);
    time.now += 31_000;
    await watch.look();
    await grew(time.now);
    time.now += 1000;
    expect(await hangingChecks(farm)).toEqual([]);
    time.now += 30_000;
    await grew(time.now);
    await watch.look();
    expect(await questions()).toEqual([]);

    time.now += 4 * M;
    await watch.look();
    expect(await questions()).toHaveLength(1);
    commandsRunning.delete(log);
    await watch.look();
    expect(await questions()).toEqual([]);
  } finally {
    commandsRunning.delete(log);
    await db.destroy();
    await rm(dir, { recursive: true });
  }
});
