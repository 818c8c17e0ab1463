import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, writeMeta } from '../../../src/journal/store.ts';
import { logExec } from '../../../src/platform/exec.ts';
import { planSlowChecks } from '../../../src/queue/slow-checks/plan.ts';
import { buildRevert } from '../../../src/queue/slow-checks/revert.ts';
import { stepsWithoutReverted } from '../../../src/queue/slow-checks/state-without-step.ts';
import { emptySlowCheckMemory, keepBase, lastRed, readSlowChecks, type SlowCheckGit } from '../../../src/queue/slow-checks/store.ts';
import { Landed } from './landed.ts';
import { slow } from './world.ts';

const committer = { name: 'furrow', email: 'furrow@localhost' };

/** The store as the daemon fills it, over a real repository. */
async function farm() {
  const repo = new Landed();
  const db = await openStore(join(repo.folder, 'store.db'));
  const memory = emptySlowCheckMemory();
  const entry = (id: number, task: string, state: 'landed' | 'queued') => {
    const rest = { attempt: 1, agent: null, title: task, sha: 'x', after: '[]', priority: null, keep: 1, paths: null, reason: null, at: 0 };
    return db
      .insertInto('entry')
      .values({ id, task, state, ended: state === 'landed' ? 1 : null, ...rest })
      .execute();
  };
  /** Stores the newest landing of the repository. */
  const stored = async () => {
    const { commit, steps } = repo.landings.at(-1)!;
    const rest = { target: 'main', tree: '', parent: '', entries: '[]', at: 0, published: null };
    await db
      .insertInto('landing')
      .values({ commit, steps: JSON.stringify(steps.map(({ task: _, ...step }) => step)), ...rest })
      .execute();
    for (const step of steps) await entry(step.entry, step.task ?? 'revert/1', 'landed');
  };
  const look = () => {
    const source = {
      git: {
        chainBetween: repo.chainBetween,
        stepsWithoutReverted: (...of: Parameters<SlowCheckGit['stepsWithoutReverted']>) => stepsWithoutReverted(repo, ...of),
      },
      db,
      target: 'main',
      head: repo.stateOf(repo.head),
      checks: [slow],
      retries: 1,
      running: [],
      abouts: async () => new Map(),
    };
    return readSlowChecks(source, memory);
  };
  const ran = (tree: string, outcome: 'pass' | 'fail', log = '') =>
    db
      .insertInto('check_run')
      .values({ tree, check: 'slow', name: 'slow', outcome, at: 5, ms: 1, beside: 1, stage: 'after', log, detail: null })
      .execute();
  const dispose = async () => {
    await db.destroy();
    repo[Symbol.dispose]();
  };
  return { repo, db, entry, stored, look, ran, [Symbol.asyncDispose]: dispose };
}

describe('what the slow check knows', () => {
  it('begins at the head it finds, follows what is good, and begins anew when the user moves the target back', async () => {
    await using at = await farm();
    expect(await at.look()).toMatchObject({ base: at.repo.start, steps: [] });
    at.repo.land({ 1: { x: '1' }, 2: { y: '2' } });
    await at.stored();
    expect((await at.look()).steps.map(({ task }) => task)).toEqual(['default/1', 'default/2']);
    await at.ran(at.repo.stateOf(at.repo.head).tree, 'pass');
    const { good } = planSlowChecks(await at.look());
    await keepBase(at.db, 'main', good!);
    expect(await at.look()).toMatchObject({ base: at.repo.stateOf(at.repo.head), steps: [] });
    at.repo.head = at.repo.commitOn(at.repo.start.commit, { other: 'way' });
    expect(await at.look()).toMatchObject({ base: at.repo.stateOf(at.repo.head), steps: [] });
  });

  it('asks no git at a look at which nothing has happened', async () => {
    await using at = await farm();
    await at.look();
    at.repo.land({ 1: { x: '1' } });
    await at.stored();
    const before = await at.look();
    let gits = 0;
    logExec(() => gits++);
    const again = await at.look();
    logExec(() => {});
    expect([again, gits]).toEqual([before, 0]);
  });

  it('knows how a revert stands by its entry, and what stands once it has landed', async () => {
    await using at = await farm();
    await at.look();
    at.repo.land({ 1: { x: 'bad' } });
    await at.stored();
    at.repo.land({ 2: { y: '2' } });
    await at.stored();
    const log = join(at.repo.folder, 'red.log');
    writeFileSync(log, 'boom');
    const [first, second] = (await at.look()).steps;
    await at.ran(at.repo.start.tree, 'pass');
    for (const { tree } of [first!, first!, second!, second!]) await at.ran(tree, 'fail', log);
    const { evidence } = planSlowChecks(await at.look()).revert!;
    expect(evidence.bad.task).toBe('default/1');
    expect(await lastRed(at.db, evidence)).toEqual({ log: 'boom', detail: null });

    const revert = (entry: number | null) =>
      at.db
        .insertInto('revert')
        .values({ step: evidence.bad.landed, task: 'default/1', entry, check: 'slow', report: '', at: 0, reopened: null })
        .execute();
    const built = await buildRevert(at.repo, { head: at.repo.head, evidence, title: '', committer, at: 0 });
    if (built.kind !== 'built') throw new Error(built.kind);
    await revert(null);
    expect(planSlowChecks(await at.look()).halted).toContain('could not be taken back');
    await revert(3);
    await at.entry(3, 'revert/1', 'queued');
    expect(planSlowChecks(await at.look())).toMatchObject({ check: undefined, revert: undefined, halted: undefined });
    await at.db.deleteFrom('entry').where('id', '=', 3).execute();
    expect(at.repo.landRevert(built.commit)).toBe(3);
    await at.stored();
    const after = await at.look();
    // As if 1 had never landed; the revert is nobody's work.
    expect(after.steps.map(({ task }) => task)).toEqual(['default/2', null]);
    expect(planSlowChecks(after).check?.tree).toBe(built.tree);
    await writeMeta(at.db, 'queue.resumed', '10');
    expect((await at.look()).runs.map(({ outcome }) => outcome)).toEqual(['pass']);
    await at.db.updateTable('entry').set({ state: 'cancelled' }).where('id', '=', 3).execute();
    expect((await at.look()).reverts[0]).toMatchObject({ state: 'failed' });
  });
});
