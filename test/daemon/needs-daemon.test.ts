import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addAgent, forsakeAgents } from '../../src/agents/agent/store.ts';
import { sendJob } from '../../src/agents/job/store.ts';
import { askFor, type NewLease } from '../../src/agents/lease/store.ts';
import { send } from '../../src/agents/message/store.ts';
import { placesNeedDaemon, storeNeedsDaemon } from '../../src/daemon/needs-daemon.ts';
import { intend } from '../../src/journal/act.ts';
import type { Db, Tx } from '../../src/journal/store.ts';
import type { FarmFile, Fate } from '../../src/platform/farm-file.ts';
import { raiseQuestion } from '../../src/work/question/store.ts';
import { orderWork } from '../../src/work/store.ts';
import { addTasks } from '../../src/work/task/store.ts';
import { addAttempt } from '../agents/message/attempt.ts';
import { newStore } from '../support/store.ts';
import { taskRow } from '../work/task/row.ts';

const within = (write: (tx: Tx) => Promise<unknown>) => (db: Db) => db.transaction().execute(write);
const agent = { name: 'ada', idx: 1, phase: 'default', kind: 'sh', worktree: '/w' };
const work = { phase: 'default', parallel: 1, kind: null, until: 'empty', fresh: 0, preflight: null } as const;
const by = { holder: 'process:1:x', who: 'you', attempt: null, process: { pid: 1, start: 'x' } };
const lease = {
  kind: 'path',
  names: ['src'],
  mode: 'exclusive',
  count: 1,
  origin: 'held',
  by,
  reason: null,
  until: null,
} satisfies NewLease;
const act = { kind: 'check.run', probe: async () => undefined, run: async () => 1, finish: async () => {} };
const job = { requester: 'human', owner: 'ada', text: 'x', askedBy: null, deadline: null, hops: 0, key: null };

/** What a store may hold, and why only a daemon can tell what became of it. */
const OPEN: readonly [string, (db: Db) => Promise<unknown>, RegExp][] = [
  ['an attempt', (db) => addAttempt(db, 1, 'ada'), /attempt is open/],
  ['an act', (db) => intend(db, act, 'k', {}, 0), /act was begun/],
  ['a task file that is to be written', within((tx) => addTasks(tx, [{ ...taskRow('1'), want: '{}' }])), /task file/],
  ['an agent that is not stopped', within((tx) => addAgent(tx, agent, 0)), /not stopped/],
  ['work', within((tx) => orderWork(tx, work, 0)), /not stopped/],
  ['a lease', within((tx) => askFor(tx, lease, {}, 0)), /lease/],
  ['a question between agents', within((tx) => send(tx, { sender: 'ada', receiver: 'bob', kind: 'ask', body: 'x' }, 0)), /conversation/],
  ['a job', within((tx) => sendJob(tx, job, 0)), /conversation/],
  ['a failure that was told', within((tx) => raiseQuestion(tx, { kind: 'act', subject: 'k', reason: 'x' }, 0)), /settled/],
  ['a target that was lost', within((tx) => raiseQuestion(tx, { kind: 'target', subject: 'main', reason: 'x' }, 0)), /settled/],
];

describe('a look needs a daemon for a store with', () => {
  it.each(OPEN)('%s', async (_name, write, why) => {
    await using at = await newStore();
    expect(await storeNeedsDaemon(at.db)).toBeUndefined();
    await write(at.db);
    expect(await storeNeedsDaemon(at.db)).toMatch(why);
  });

  it('nothing of that: agents that are stopped, other questions and messages to the person ask for none', async () => {
    await using at = await newStore();
    await within(async (tx) => {
      await addAgent(tx, agent, 0);
      await forsakeAgents(tx, 0);
      await raiseQuestion(tx, { kind: 'parked', subject: 'default/1', reason: 'x' }, 0);
      await send(tx, { sender: 'ada', receiver: 'human', kind: 'notify', body: 'x' }, 0);
    })(at.db);
    expect(await storeNeedsDaemon(at.db)).toBeUndefined();
  });
});

describe('a look needs a daemon for places with', () => {
  type Change = (root: string) => Partial<FarmFile>;
  const looked = (change: Change, fate: Fate = 'same') => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-places-')));
    try {
      const home = join(root, 'home');
      for (const folder of ['.furrow/run', '.furrow/logs', 'home']) mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
      writeFileSync(join(root, '.furrow/store.db'), '');
      const file: FarmFile = { id: '0123abcd', gitDir: join(root, '.git'), inode: '1:1', home };
      return placesNeedDaemon(root, { file: { ...file, ...change(root) }, fate, before: file });
    } finally {
      rmSync(root, { recursive: true });
    }
  };
  const same: Change = () => ({});
  const having =
    (act: (root: string) => unknown): Change =>
    (root) => {
      act(root);
      return {};
    };

  it('nothing wrong: none', () => expect(looked(same)).toBeUndefined());
  it.each<[string, Change, Fate?]>([
    ['a repository that was moved', same, 'moved'],
    ['a copy', same, 'copied'],
    ['a store that was lost and is not filled yet', () => ({ lost: true })],
    ['a home that is being left', () => ({ leaving: '/elsewhere' })],
    ['no store', having((root) => rmSync(join(root, '.furrow/store.db')))],
    ['no home', having((root) => rmSync(join(root, 'home'), { recursive: true }))],
    ['a folder that others may read', having((root) => chmodSync(join(root, '.furrow'), 0o755))],
    ['worktrees of an earlier version', having((root) => mkdirSync(join(root, '.furrow/worktrees')))],
    ['an open terminal', having((root) => writeFileSync(join(root, '.furrow/run/tmux.sock'), ''))],
  ])('%s', (_name, change, fate) => expect(looked(change, fate)).toEqual(expect.any(String)));
});
