import { describe, expect, it } from 'vitest';
import { planSlowChecks } from '../../../src/queue/slow-checks/plan.ts';
import { reworkAfterRevert } from '../../../src/queue/slow-checks/report.ts';
import { buildRevert, type Reverted, revertMessage } from '../../../src/queue/slow-checks/revert.ts';
import type { Evidence } from '../../../src/queue/slow-checks/snapshot.ts';
import { type LandedRevert, stepsWithoutReverted, type Without } from '../../../src/queue/slow-checks/state-without-step.ts';
import { stepsSince } from '../../../src/queue/slow-checks/steps.ts';
import type { CheckRun } from '../../../src/queue/snapshot.ts';
import { lines } from '../../repo/merge/repo.ts';
import { Landed } from './landed.ts';
import { slow } from './world.ts';

const committer = { name: 'furrow', email: 'furrow@localhost' };
const AT = 1_700_000_500_000;

async function evidenceOf(repo: Landed, task: string): Promise<Evidence> {
  const steps = await repo.steps();
  const at = steps.findIndex((step) => step.task === `default/${task}`);
  return { check: slow, good: steps[at - 1] ?? repo.start, bad: steps[at]!, reds: [3, 5], greens: [4] };
}

const build = (repo: Landed, evidence: Evidence, title = 'say five'): Promise<Reverted> =>
  buildRevert(repo, { head: repo.head, evidence, title, committer, at: AT });

describe('the steps of a target', () => {
  it('are its landings task by task, and the commits of the user between them', async () => {
    using repo = new Landed();
    repo.land({ 1: { x: '1' }, 2: { y: '2' } });
    repo.head = repo.commitOn(repo.head, { own: 'o' });
    repo.land({ 3: { z: '3' } });
    const steps = await repo.steps();
    expect(steps.map(({ task, whole, what }) => [task, whole, what.replace(/[0-9a-f]{8}$/, '…')])).toEqual([
      ['default/1', false, '1'],
      ['default/2', true, '2'],
      [null, true, 'your commit …'],
      ['default/3', true, '3'],
    ]);
    // What is checked after the last task of a landing is what the target was at.
    expect(steps[1]!.commit).toBe(repo.landings[0]!.commit);
    expect(await stepsSince(repo, repo.stateOf(repo.head), repo.head, repo.rows)).toEqual([]);
    expect(await stepsSince(repo, repo.stateOf(repo.commitOn(repo.start.commit, { q: 'q' })), repo.head, repo.rows)).toBeUndefined();
  });
});

describe('a revert commit', () => {
  it('takes one task out of a landing, keeps all that came later, and is the same commit every time', async () => {
    using repo = new Landed();
    repo.land({ 1: { 'b.txt': lines('b', { 3: 'one' }) }, 2: { 'a.txt': lines('a', { 2: 'bad' }), 'new.txt': 'new\n' } });
    repo.land({ 3: { 'a.txt': lines('a', { 2: 'bad', 15: 'three' }) } });
    const evidence = await evidenceOf(repo, '2');
    const built = await build(repo, evidence, 'say five\n\nFurrow-Task: 9');
    if (built.kind !== 'built') throw new Error(built.kind);
    expect(await build(repo, evidence, 'say five\n\nFurrow-Task: 9')).toEqual(built);
    expect(repo.git('diff', '--name-only', repo.head, built.commit).split('\n')).toEqual(['a.txt', 'new.txt']);
    expect(repo.show(`${built.commit}:a.txt`)).toBe(lines('a', { 15: 'three' }).trimEnd());
    const format = '%P|%s|%an|%at|%(trailers:only,unfold,separator=%x2C)';
    expect(repo.git('show', '-s', `--format=${format}`, built.commit)).toBe(
      `${repo.head}|revert 2: say five Furrow-Task: 9|furrow|1700000500|Furrow-Reverts: ${evidence.bad.landed},` +
        `Furrow-Evidence: slow red on tree ${evidence.bad.tree} (runs 3, 5), green on ${evidence.good.tree} (runs 4)`,
    );
    expect(revertMessage({ evidence, title: '' }).split('\n')[0]).toBe('revert 2');
    // The next attempt gets it all back by what it is told.
    const { report, from, why } = reworkAfterRevert({
      evidence,
      revert: built.commit,
      sha: evidence.bad.landed,
      log: 'boom\n',
      detail: null,
    });
    expect([why, from, report.split('\n')[0]]).toEqual(['reverted', null, 'slow fails since 2 landed']);
    expect(report.endsWith('boom')).toBe(true);
    const order = /git (revert --no-edit [0-9a-f]+)/.exec(report)![1]!.split(' ');
    repo.git('checkout', '-q', '-b', 'again', built.commit);
    repo.git(...order);
    expect(repo.git('diff', '--name-only', repo.head, 'again')).toBe('');
  });

  it('is not made when later work stands on it: the question names the files and whose work it is', async () => {
    using repo = new Landed();
    repo.land({ 1: { 'a.txt': lines('a', { 2: 'bad' }) } });
    repo.land({ 2: { 'a.txt': lines('a', { 2: 'bad, bettered' }) }, 3: { x: 'x' } });
    expect(await build(repo, await evidenceOf(repo, '1'))).toEqual({
      kind: 'conflict',
      paths: ['a.txt'],
      tasks: ['default/2'],
      question: 'slow fails since 1, which cannot be taken back by itself: a.txt was changed again by 2',
    });
    repo.head = repo.commitOn(repo.head, { 'a.txt': lines('a') });
    expect(await build(repo, await evidenceOf(repo, '1'))).toEqual({ kind: 'gone' });
  });

  it('is made in a repository of the other hash as well', async () => {
    using repo = new Landed('sha256');
    repo.land({ 1: { x: '1' } });
    repo.land({ 2: { y: '2' } });
    const built = await build(repo, await evidenceOf(repo, '1'));
    expect(built).toMatchObject({ kind: 'built', tree: repo.git('rev-parse', `${repo.commitOn(repo.head, { x: null })}^{tree}`) });
  });
});

describe('from the first red to a target that passes', () => {
  it('takes back one culprit, then a second that the first had hidden, and nothing else', async () => {
    using repo = new Landed();
    repo.land({ 1: { one: '1' }, 2: { two: 'bad' } });
    repo.land({ 3: { three: '3' }, 4: { four: 'bad' }, 5: { five: '5' } });
    const runs: CheckRun[] = [];
    const reverts: LandedRevert[] = [];
    const known: Without = new Map();
    const fails = (commit: string) => /^(two|four)$/m.test(repo.git('ls-tree', '--name-only', commit));
    const blamed: (string | null)[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const steps = await stepsWithoutReverted(repo, repo.start, await repo.steps(), reverts, known);
      const landed = reverts.map(({ step }) => ({ step, state: 'landed' as const }));
      const plan = planSlowChecks({ base: repo.start, steps, runs, checks: [slow], retries: 1, running: [], reverts: landed });
      expect(plan.halted).toBeUndefined();
      if (plan.check) {
        const { tree, commit } = plan.check;
        expect(repo.stateOf(commit).tree).toBe(tree);
        runs.push({ id: runs.length + 1, tree, check: 'slow', outcome: fails(commit) ? 'fail' : 'pass' });
      } else if (plan.revert) {
        blamed.push(plan.revert.step.task);
        repo.land({ [`later-${turn}`]: { [`later-${turn}`]: 'more' } });
        const built = await build(repo, plan.revert.evidence);
        if (built.kind !== 'built') throw new Error(built.kind);
        reverts.push({ step: plan.revert.step.landed, entry: repo.landRevert(built.commit) });
      } else break;
    }
    expect(blamed).toEqual(['default/2', 'default/4']);
    const added = repo.git('diff', '--name-only', repo.start.commit, repo.head).split('\n');
    expect(added.filter((path) => !path.startsWith('later'))).toEqual(['five', 'one', 'three']);
    expect(added.length).toBe(5);
  });

  it('tells steps together that cannot be told apart without the culprit, and then blames no task', async () => {
    using repo = new Landed();
    repo.land({ 1: { x: 'bad\n' } });
    repo.land({ 2: { x: 'bad\nworse\n' } });
    repo.land({ 3: { x: 'bad\n', y: '3' } });
    const evidence = await evidenceOf(repo, '1');
    const built = await build(repo, evidence);
    if (built.kind !== 'built') throw new Error(built.kind);
    const entry = repo.landRevert(built.commit);
    const steps = await stepsWithoutReverted(repo, repo.start, await repo.steps(), [{ step: evidence.bad.landed, entry }]);
    expect(steps.map(({ task, what }) => [task, what.replace(/ [0-9a-f]{8}$/, '')])).toEqual([
      [null, '2, 3'],
      [null, 'the revert'],
    ]);
    expect(steps[0]!.tree).toBe(steps[1]!.tree);
    expect(steps[1]!.whole).toBe(true);
  });
});
