import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Desk } from '../../../src/daemon/calls/context.ts';
import { logsOf } from '../../../src/daemon/calls/output/logs.ts';
import { append } from '../../../src/journal/event.ts';
import type { EventKind } from '../../../src/journal/event-kind.ts';
import { openStore } from '../../../src/journal/store.ts';

it('logs of a check are its newest run, with the lines that tell; logs of set-up those of the last one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-logs-'));
  const db = await openStore(join(dir, 'store.db'));
  const desk = { farm: { db }, state: { queue: { running: new Map() } } } as unknown as Desk;
  const logs = async (name: string) => logsOf(desk, { is: 'check', name });
  try {
    const log = join(dir, 'unit.log');
    await writeFile(log, `Error: no door\n${'teardown\n'.repeat(30)}`);
    const run = { check: 'c', name: 'unit', at: 1, ms: 5, beside: 1, stage: 'queue' as const, log, detail: 'exit 1' };
    await db
      .insertInto('check_run')
      .values({ ...run, tree: 'aaaaaaaaaa', outcome: 'pass', log: 'old', detail: null })
      .execute();
    await db
      .insertInto('check_run')
      .values({ ...run, tree: 'bbbbbbbbbb', outcome: 'fail' })
      .execute();
    expect(await logs('unit')).toMatchObject([
      { path: log, state: 'failed', detail: 'exit 1', telling: expect.arrayContaining(['Error: no door']) },
    ]);
    await writeFile(log, 'a\x1b]52;c;eA==\x07b\n');
    expect(await logsOf(desk, { is: 'check', name: 'unit' }, { text: true })).toMatchObject([{ path: log, text: 'ab\n' }]);
    expect(await logs('aaaaaaa')).toMatchObject([{ path: 'old', state: 'passed' }]);

    expect(await logs('setup')).toEqual([]);
    const tell = (kind: EventKind, data: object, at: number) =>
      db.transaction().execute((tx) => append(tx, { kind, text: kind, data: { ...data } }, at));
    await tell('setup.started', { key: 'k', log: 'one', tree: 't' }, 10);
    expect(await logs('setup')).toMatchObject([{ what: 'setup', path: 'one', state: 'running' }]);
    await tell('setup.built', { key: 'k', log: 'one' }, 30);
    expect(await logs('setup')).toMatchObject([{ path: 'one', state: 'passed', ms: 20 }]);
  } finally {
    await db.destroy();
    await rm(dir, { recursive: true });
  }
});
