import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Written } from '../../../../src/daemon/acts/board-write/arguments.ts';
import { boardWrite as onHost } from '../../../../src/daemon/acts/board-write/host.ts';
import { boardWrite } from '../../../../src/daemon/acts/board-write/leader.ts';
import type { Farm } from '../../../../src/daemon/farm/farm.ts';
import { taskReader } from '../../../../src/daemon/farm/task-rows.ts';
import type { Host } from '../../../../src/daemon/host/host.ts';
import { observeBoard } from '../../../../src/daemon/leader/board/observe.ts';
import { freshState } from '../../../../src/daemon/leader/state.ts';
import { eventsAfter } from '../../../../src/journal/event.ts';
import { readBoard } from '../../../../src/work/task/layout.ts';
import { advance, readTask, type Want } from '../../../../src/work/task/store.ts';
import { taskFile } from '../../../support/board.ts';
import { folder } from '../../../work/task/folder.ts';
import { decided } from '../../leader/decided.ts';

const TASK = 'default/1';

/** A store and a board of one task, and a daemon that can be killed between its write and the end of the act. */
async function written() {
  const place = folder();
  const at = await decided('gone');
  mkdirSync(join(place.path, 'tasks'));
  const path = join(place.path, 'tasks/001-task.md');
  writeFileSync(path, taskFile({ id: 1 }));
  const tasks = taskReader(at.farm);
  const start = () => {
    const farm = {
      ...at.farm,
      board: readBoard(place.path),
      git: { checkedOut: () => 'main' },
      ownWrites: new Set<string>(),
      tasks,
    } as unknown as Farm & Host;
    const state = freshState('main', () => expect.unreachable('nothing is merged here'));
    const clash = () => {
      state.boardDirty = true;
    };
    return {
      farm,
      look: () => observeBoard(farm, state),
      /** Writes what the store wants, as far as a kill lets it. */
      async write(): Promise<Written> {
        const args = { task: TASK, want: (await readTask(at.db, TASK)).want! };
        return onHost(farm, clash).run(args, await boardWrite.facts(farm, args));
      },
      async finish(args: { want: string }, result: Written) {
        await at.inTx((tx) => boardWrite.finish(tx, { task: TASK, ...args }, result, 1, (change) => change({ farm } as never)));
      },
    };
  };
  const first = start();
  await first.look();
  return {
    ...at,
    start,
    want: (event: Parameters<typeof advance>[2], tell: Partial<Want>) => at.inTx((tx) => advance(tx, TASK, event, 1, { tell })),
    text: () => readFileSync(path, 'utf8'),
    edit: (from: string, to: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(from, to)),
    row: () => readTask(at.db, TASK),
    edits: async () => (await eventsAfter(at.db, 0)).filter(({ kind }) => kind === 'task.edited').length,
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

const STARTED = [
  { on: 'claimed', holder: 'ada', token: 1 },
  { status: 'in-progress', claimedBy: 'ada', notes: ['ada has begun'] },
] as const;
const times = (text: string, note: string) => text.split(note).length - 1;

it('a task file that a killed daemon had written is found by the next one: written once, and no edit by a person', async () => {
  await using on = await written();
  await on.want(...STARTED);
  await on.start().write();
  const next = on.start();
  const { want } = await on.row();
  await next.finish({ want: want! }, await next.write());
  await next.look();
  expect(await on.row()).toMatchObject({ status: 'in-progress', claimed_by: 'ada', want: null });
  expect([times(on.text(), 'ada has begun'), await on.edits()]).toEqual([1, 0]);
});

it('a note that is there is not written again when more is wanted by then', async () => {
  await using on = await written();
  await on.want(...STARTED);
  await on.start().write();
  await on.want({ on: 'submitted', token: 1 }, { status: 'review', notes: ['ada is done'] });
  const next = on.start();
  for (const _ of [1, 2]) {
    const { want } = await on.row();
    await next.finish({ want: want! }, await next.write());
    await next.look();
  }
  expect(await on.row()).toMatchObject({ status: 'review', want: null });
  expect([times(on.text(), 'ada has begun'), times(on.text(), 'ada is done')]).toEqual([1, 1]);
});

it("a person's edit that came after the write is read, and one that came before it is not written over", async () => {
  await using on = await written();
  await on.want(...STARTED);
  await on.start().write();
  on.edit('Task 1', 'Another title');
  const next = on.start();
  const { want } = await on.row();
  await next.finish({ want: want! }, await next.write());
  await next.look();
  expect(await on.row()).toMatchObject({ title: 'Another title', want: null });

  await on.want({ on: 'submitted', token: 1 }, { status: 'review' });
  on.edit('Another title', 'A third title');
  await expect(next.write()).rejects.toMatchObject({ code: 'BOARD_CHANGED' });
  expect(on.text()).toContain('A third title');
  await next.look();
  expect(await on.row()).toMatchObject({ title: 'A third title', want: expect.stringContaining('review') });
});

it('what the store does not want any more is refused', async () => {
  await using on = await written();
  await on.want(...STARTED);
  const { farm } = on.start();
  await expect(boardWrite.facts(farm, { task: TASK, want: '{"notes":[]}' })).rejects.toMatchObject({ code: 'STALE' });
});
