import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pinOf } from '../../../src/daemon/farm/pins.ts';
import type { Report } from '../../../src/daemon/farm/report.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { repairRefs } from '../../../src/daemon/host/repair-refs.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { createRef } from '../../../src/platform/git/refs.ts';
import { advanceAttempt, beginAttempt, readAttempt } from '../../../src/work/attempt/store.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { gitRepo } from '../../platform/git/repo.ts';
import { newStore } from '../../support/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

const BRANCH = 'furrow/default/ada/1';
const ATTEMPT = { task: 'default/1', n: 1, agent: 'ada', kind: 'script', settings: '{}', target: 'main', deadline: null };

/** An agent's worktree with three commits, and the look that comes after a clean-up. */
async function atWork(begunFrom?: number) {
  const repo = await gitRepo();
  const store = await newStore();
  const start = repo.sh(['rev-parse', 'main']);
  const path = join(repo.places.worktrees, 'default', 'ada');
  mkdirSync(dirname(path), { recursive: true });
  repo.sh(['worktree', 'add', '-q', '-b', BRANCH, path]);
  const commit = (name: string) => {
    writeFileSync(join(path, `${name}.txt`), `${name}\n`);
    repo.sh(['add', '-A'], path);
    repo.sh(['-c', 'user.name=Bob', 'commit', '-q', '-m', `${name}\n\nWords of ${name}.`], path);
    return repo.sh(['rev-parse', 'HEAD'], path);
  };
  const commits = ['one', 'two', 'three'].map(commit);
  const base = begunFrom === undefined ? start : commits[begunFrom]!;
  const attempt = await store.db.transaction().execute((tx) => beginAttempt(tx, { ...ATTEMPT, base, branch: BRANCH }, 1));
  const doubts = { objects: true };
  const clock = { now: () => 1000, awake: () => 1000 };
  const report = (one: Report) => storeReport({ db: store.db, clock }, one);
  const farm = { repo, leader: leaderAnswersOn(store.db, { clock }), clock, doubts, report, wake() {}, target: 'main' } as unknown as Host;
  const look = repairRefs(farm, () => {});
  return {
    ...{ repo, store, start, base, path, commits, attempt, tip: commits[2]! },
    lose: (rev: string) => {
      const oid = repo.sh(['rev-parse', rev]);
      rmSync(join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
    },
    look: async () => {
      doubts.objects = true;
      await look();
    },
    told: async (kind: string) =>
      (await eventsAfter(store.db, 0, 100)).filter((one) => one.kind === kind).map(({ data }) => JSON.parse(data)),
    cleanUp: () => {
      for (const words of [
        ['gc', '-q', '--prune=now'],
        ['prune', '--expire=now'],
        ['repack', '-adq'],
      ])
        repo.sh(words);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

it.each(['~1', '~2', '~1^{tree}'])(
  'work whose %s a clean-up took is kept as one commit on its base, with the words of the last',
  async (what) => {
    await using at = await atWork();
    const { repo, base, tip } = at;
    const tree = repo.sh(['rev-parse', `${tip}^{tree}`]);
    at.lose(`${tip}${what}`);
    expect(() => at.cleanUp()).toThrow();
    await at.look();
    const now = repo.sh(['rev-parse', BRANCH]);
    expect(repo.sh(['log', '--format=%T %P %an %s%n%b', BRANCH, '^main'])).toBe(`${tree} ${base} Bob three\nWords of three.`);
    expect(await at.told('ref.joined')).toMatchObject([{ ref: `refs/heads/${BRANCH}`, from: tip, to: now, base }]);
    expect(repo.sh(['status', '--porcelain'], at.path)).toBe('');
    at.cleanUp();
    expect(await openQuestions(at.store.db)).toEqual([]);
    await at.look();
    expect(repo.sh(['rev-parse', BRANCH])).toBe(now);
  },
);

it('a base that is torn itself is left for the newest commit before it that is whole', async () => {
  await using at = await atWork(0);
  at.lose(`${at.base}^{tree}`);
  await at.look();
  expect(at.repo.sh(['rev-parse', `${BRANCH}^`])).toBe(at.start);
  at.cleanUp();
});

it('its pin and its attempt follow', async () => {
  await using at = await atWork();
  const { repo, store, tip, attempt } = at;
  const pin = pinOf('default/1', 1, 'main');
  await createRef(repo, pin, tip);
  await store.db.transaction().execute((tx) => advanceAttempt(tx, attempt, { on: 'ended' }, { sha: tip, ended: 2 }));
  at.lose(`${tip}~1`);
  await at.look();
  const now = repo.sh(['rev-parse', BRANCH]);
  expect(repo.sh(['rev-parse', pin])).toBe(now);
  expect((await readAttempt(store.db, attempt)).sha).toBe(now);
  at.cleanUp();
});

it('what was not committed stays on top of it, though its pin is found first', async () => {
  await using at = await atWork();
  const { repo, tip } = at;
  const pin = `${pinOf('default/1', 1)}-uncommitted`;
  await createRef(repo, pin, repo.sh(['commit-tree', '-p', tip, '-m', 'not committed', 'main^{tree}']));
  at.lose(`${tip}~1`);
  await at.look();
  expect(repo.sh(['rev-parse', `${pin}^`])).toBe(repo.sh(['rev-parse', BRANCH]));
  at.cleanUp();
});

it('HEAD of an agent’s worktree that is on no branch is kept in the same way', async () => {
  await using at = await atWork();
  const { repo, tip } = at;
  repo.sh(['checkout', '-q', '--detach'], at.path);
  repo.sh(['update-ref', '-d', `refs/heads/${BRANCH}`]);
  at.lose(`${tip}~1`);
  await at.look();
  expect(repo.sh(['diff', tip, 'HEAD'], at.path)).toBe('');
  at.cleanUp();
});

it.each([':three.txt', '^{tree}'])('work whose %s is gone is whole again by the files in its worktree', async (what) => {
  await using at = await atWork();
  const { repo, tip } = at;
  at.lose(`${tip}${what}`);
  expect(() => at.cleanUp()).toThrow();
  await at.look();
  at.cleanUp();
  expect(repo.sh(['rev-parse', BRANCH])).toBe(tip);
  expect(repo.sh(['show', `${BRANCH}:three.txt`])).toBe('three');
  expect(await openQuestions(at.store.db)).toEqual([]);
});

it('work of which files are gone everywhere is lost: its branch goes back to the base, and the person is told', async () => {
  await using at = await atWork();
  const { repo, tip, base } = at;
  at.lose(`${tip}:three.txt`);
  writeFileSync(join(at.path, 'three.txt'), 'later\n');
  // Once for the ref, and once for the index, which is as in the last commit then.
  await at.look();
  await at.look();
  expect(repo.sh(['rev-parse', BRANCH])).toBe(base);
  expect(await openQuestions(at.store.db)).toMatchObject([{ kind: 'lost', subject: `refs/heads/${BRANCH}` }]);
  expect(await at.told('ref.dropped')).toMatchObject([{ commit: tip }]);
  at.cleanUp();
});
