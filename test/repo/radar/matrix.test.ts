import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import type { Conflicts, Tip } from '../../../src/repo/radar/matrix.ts';
import { mergeEach, tryMerges } from '../../../src/repo/radar/merges.ts';
import { createRadar } from '../../../src/repo/radar/radar.ts';
import { ALL } from '../../support/all.ts';
import { apply, edits, START } from './edits.ts';
import { bruteForce, emptyRepo, type Files, type TestRepo, UNNAMED } from './history.ts';

let repo: TestRepo;
beforeAll(() => {
  repo = emptyRepo();
});
afterAll(() => repo[Symbol.dispose]());
afterEach(() => logExec(() => {}));

const RUNS = Number(process.env['RADAR_RUNS'] ?? (ALL ? 16 : 3));
const newRadar = () => createRadar(repo, repo.folder);
const named = (commits: readonly string[]): Tip[] => commits.map((commit, n) => ({ name: `t${n}`, commit }));
const pathsFor = (found: Conflicts, a: string, b: string) => found.pairs.find((pair) => pair.a === a && pair.b === b)?.paths ?? [];
const targetPaths = (found: Conflicts, name: string) => found.with_target.find(({ task }) => task === name)?.paths ?? [];

/** The same paths, or some where git names none. */
function expectSame(got: readonly string[], want: readonly string[]): void {
  if (want[0] === UNNAMED) expect(got).not.toEqual([]);
  else expect(got).toEqual(want);
}

/** START with some files changed, or removed. */
const start = (change: Record<string, string | undefined> = {}): Files =>
  Object.fromEntries(Object.entries({ ...START, ...change }).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The verbs of the gits that ran meanwhile. */
async function gitsOf(act: () => Promise<unknown>): Promise<string[]> {
  const verbs: string[] = [];
  logExec(({ argv }) => verbs.push(argv.find((word) => /^[a-z]+-[a-z]+$/.test(word)) ?? argv.join(' ')));
  await act();
  logExec(() => {});
  return verbs.sort();
}

describe('the radar', () => {
  it('finds exactly what merging all pairs one by one finds, with folders renamed, split and replaced', async () => {
    const story = fc.record({ target: edits(2), branches: fc.array(edits(4), { minLength: 3, maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(story, async ({ target, branches }) => {
        const told = repo.tell({
          target: [START, apply(START, target)],
          branches: branches.map((list) => ({ from: 0, files: apply(START, list) })),
        });
        const [tips, head] = [named(told.branches), told.target[1] ?? ''];
        const found = await newRadar().update(head, tips);
        for (const [i, a] of tips.entries()) {
          expectSame(targetPaths(found, a.name), bruteForce(repo, head, a.commit));
          for (const b of tips.slice(i + 1)) expectSame(pathsFor(found, a.name, b.name), bruteForce(repo, a.commit, b.commit));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('finds the same for branches from different states of the target, but for what is the target’s doing', async () => {
    const story = fc.record({ first: edits(2), second: edits(2, ['change', 'add']), early: edits(3), late: edits(3) });
    await fc.assert(
      fc.asyncProperty(story, async ({ first, second, early, late }) => {
        const [one, two] = [apply(START, first), apply(apply(START, first), second)];
        const told = repo.tell({
          target: [START, one, two],
          branches: [
            { from: 0, files: apply(START, early) },
            { from: 1, files: apply(one, late) },
          ],
        });
        const [tips, head] = [named(told.branches), told.target[2] ?? ''];
        const [a = '', b = ''] = told.branches;
        const radar = newRadar();
        const found = await radar.update(head, tips);
        for (const { name, commit } of tips) expectSame(targetPaths(found, name), bruteForce(repo, head, commit));
        const all = bruteForce(repo, a, b);
        const got = pathsFor(found, 't0', 't1');
        if (all[0] === UNNAMED) return;
        expect(all).toEqual(expect.arrayContaining([...got]));
        // Whatever both touch; and all, if the early one does not conflict with what landed before the late one began.
        const both = (path: string) => [...radar.paths().values()].every((paths) => paths.has(path));
        const alone = bruteForce(repo, a, told.target[1] ?? '').length === 0;
        expect(got).toEqual(expect.arrayContaining(all.filter((path) => both(path) || (alone && !landed(told.target, path)))));
      }),
      { numRuns: RUNS },
    );
  });

  it('runs no git when no id changed, and merges only the pairs of a branch that did', async () => {
    const told = repo.tell({
      target: [START],
      branches: ['a', 'b', 'c', 'd', 'e'].map((x) => ({ from: 0, files: start({ top: `${x}\n`, [`own/${x}`]: x }) })),
    });
    const [head, tips] = [told.target[0] ?? '', named(told.branches)];
    const radar = newRadar();
    const first = await radar.update(head, tips.slice(0, 4));
    expect(first.pairs).toHaveLength(6);
    let again: Conflicts | undefined;
    expect(await gitsOf(async () => (again = await radar.update(head, tips.slice(0, 4).reverse())))).toEqual([]);
    expect(again).toBe(first);

    const changed = [...tips.slice(0, 3), { name: 't3', commit: tips[4]?.commit ?? '' }];
    expect(await gitsOf(() => radar.update(head, changed))).toEqual(['diff-tree', 'merge-tree', 'rev-list']);
    // One that goes takes its pairs along, without any git.
    let fewer: Conflicts | undefined;
    expect(await gitsOf(async () => (fewer = await radar.update(head, changed.slice(1))))).toEqual([]);
    expect(fewer?.pairs.map(({ a, b }) => a + b)).toEqual(['t1t2', 't1t3', 't2t3']);
  });

  it('merges nothing where no path is shared, and forgets a branch that has landed', async () => {
    const told = repo.tell({
      target: [START, start({ 'one/a': 'landed\n' })],
      branches: [
        { from: 0, files: start({ 'two/a': 'two\n' }) },
        { from: 0, files: start({ 'two/b': 'other\n' }) },
        { from: 1, files: start({ 'one/a': 'landed\n', 'two/deep/a': undefined }) },
      ],
    });
    const radar = newRadar();
    expect(await gitsOf(() => radar.update(told.target[1] ?? '', named(told.branches)))).toEqual(['diff-tree', 'rev-list']);
    expect([...radar.paths().values()].map((paths) => [...paths])).toEqual([['two/a'], ['two/b'], ['two/deep/a']]);
    // The third lands: it is the head.
    expect(await gitsOf(() => radar.update(told.branches[2] ?? '', named(told.branches)))).toEqual(['diff-tree', 'rev-list']);
    expect([...(radar.paths().get('t2') ?? ['?'])]).toEqual([]);
  });

  it('tells a conflict with what landed as the target’s, not as one with every younger branch', async () => {
    const told = repo.tell({
      target: [START, start({ top: 'landed\n' })],
      branches: [
        { from: 0, files: start({ top: 'mine\n', 'one/a': 'mine\n' }) },
        { from: 1, files: start({ top: 'landed\n', 'one/a': 'theirs\n' }) },
      ],
    });
    expect(await newRadar().update(told.target[1] ?? '', named(told.branches))).toEqual({
      pairs: [{ a: 't0', b: 't1', paths: ['one/a'] }],
      with_target: [{ task: 't0', paths: ['top'] }],
    });
  });

  it('finds a conflict in a file that was renamed by what landed between', async () => {
    const renamed = { 'one/a': undefined, 'four/a': START['one/a'] };
    const told = repo.tell({
      target: [START, start(renamed)],
      branches: [
        { from: 0, files: start({ 'one/a': START['one/a']?.replace('line 3', 'mine') }) },
        { from: 1, files: start({ ...renamed, 'four/a': START['one/a']?.replace('line 3', 'theirs') }) },
      ],
    });
    expect(await newRadar().update(told.target[1] ?? '', named(told.branches))).toEqual({
      pairs: [{ a: 't0', b: 't1', paths: ['four/a'] }],
      with_target: [],
    });
  });

  it('compares a branch that has merged the target from there on', async () => {
    const told = repo.tell({
      target: [START, start({ top: 'landed\n', 'three/a': 'landed\n' })],
      branches: [
        { from: 0, files: start({ top: 'mine\n' }) },
        { from: 1, files: start({ top: 'both\n', 'three/a': 'landed\n' }) },
      ],
    });
    const [head = '', mine = '', resolved = ''] = [told.target[1], ...told.branches];
    const radar = newRadar();
    expect((await radar.update(head, named([mine]))).with_target).toEqual([{ task: 't0', paths: ['top'] }]);
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    for (const [one, other] of [[mine, head] as const, [head, mine] as const]) {
      const merged = repo.git(...identity, 'commit-tree', '-m', 'merge', '-p', one, '-p', other, `${resolved}^{tree}`).out.trim();
      expect((await radar.update(head, named([merged]))).with_target).toEqual([]);
      expect([...(radar.paths().get('t0') ?? [])]).toEqual(['top']);
    }
  });

  it('goes on when a branch is not there any more or shares no history', async () => {
    const told = repo.tell({
      target: [START],
      branches: ['a', 'b'].map((x) => ({ from: 0, files: start({ top: `${x}\n` }) })),
    });
    const foreign = repo.tell({ target: [start({ top: 'foreign\n' })], branches: [] });
    const odd = [
      { name: 'gone', commit: '1'.repeat(40) },
      { name: 'foreign', commit: foreign.target[0] ?? '' },
    ];
    const found = await newRadar().update(told.target[0] ?? '', [...named(told.branches), ...odd]);
    expect(found).toEqual({ pairs: [{ a: 't0', b: 't1', paths: ['top'] }], with_target: [] });
  });

  it('calls a file in the way of a folder by its own name, and a folder that was split by the folder’s', async () => {
    const moved = { 'two/deep/a': undefined, 'two/deep/b': undefined, 'x/a': START['two/deep/a'], 'y/b': START['two/deep/b'] };
    const told = repo.tell({
      target: [START],
      branches: [
        { from: 0, files: start({ place: 'a file\n', ...moved }) },
        { from: 0, files: start({ 'place/inside': 'in a folder\n' }) },
        { from: 0, files: start({ 'two/deep/new': 'new\n' }) },
      ],
    });
    expect((await newRadar().update(told.target[0] ?? '', named(told.branches))).pairs).toEqual([
      { a: 't0', b: 't1', paths: ['place'] },
      { a: 't0', b: 't2', paths: ['two/deep'] },
    ]);
  });

  it('answers for each merge alone, as a git without --stdin does for one at a time', async () => {
    const told = repo.tell({
      target: [START],
      branches: ['a', 'b', 'b'].map((x, n) => ({ from: 0, files: start({ top: `${x}\n`, [`new${n}`]: 'x' }) })),
    });
    const [a = '', b = '', c = ''] = told.branches;
    const merges = [
      { ours: a, theirs: b },
      { ours: a, theirs: '1'.repeat(40) },
      { ours: b, theirs: c },
      { ours: c, theirs: a },
    ];
    const want = [['top'], undefined, [], ['top']];
    expect(await tryMerges(repo, merges, { scratch: repo.folder, objects: [], width: 2 })).toEqual(want);
    expect(await mergeEach(repo, merges, {})).toEqual(want);
  });

  it('changes nothing when it is aborted, and leaves nothing in the repository', async () => {
    const told = repo.tell({
      target: [START],
      branches: ['a', 'b'].map((x) => ({ from: 0, files: start({ top: `${x}\n`, shared: `${x}\nsame\n` }) })),
    });
    const [head, tips] = [told.target[0] ?? '', named(told.branches)];
    const objects = () => readdirSync(join(repo.gitDir, 'objects'), { recursive: true }).length;
    const before = objects();
    const radar = newRadar();
    await expect(radar.update(head, tips, AbortSignal.abort())).rejects.toThrow();
    expect((await radar.update(head, tips)).pairs).toHaveLength(1);
    expect(objects()).toBe(before);
  });
});

/** Whether the target changed a path at all. */
function landed(target: readonly string[], path: string): boolean {
  const changed = repo.git('diff-tree', '-r', '-z', '--name-only', '--no-renames', target[0] ?? '', target[2] ?? '').out.split('\0');
  return changed.includes(path);
}
