import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adopt } from '../../src/merge/adopt.ts';
import { runCheck } from '../../src/merge/check.ts';
import { type Epoch, nextEpoch } from '../../src/merge/epoch.ts';
import { headRef, land, landingCommit } from '../../src/merge/land.ts';
import { planQueue, type WantedCheck } from '../../src/merge/plan.ts';
import { publish } from '../../src/merge/publish.ts';
import type { CheckRun, CheckSpec, QueueEntry, QueueSnapshot, Stacked } from '../../src/merge/snapshot.ts';
import { predict } from '../../src/merge/stack.ts';
import { ended, step, towards } from '../../src/merge/state.ts';
import { lines, TestRepo } from './repo.ts';

/** Red when `bad` is there, or both halves of a pair that only clash together: a check whose answer depends on the tree alone. */
const COMMAND = 'test ! -e bad && ! { test -e half1 && test -e half2; }';
const CHECK: CheckSpec = { id: 'unit', name: 'unit', run: COMMAND, timeoutMs: 30_000, env: {} };
const committer = { name: 'furrow', email: 'furrow@localhost' };

/** The smallest daemon there can be: plan, act, again, on a real repository. */
class Queue {
  readonly entries: QueueEntry[] = [];
  readonly ends = new Map<string, string>();
  private readonly stacked: Stacked[] = [];
  private readonly runs: CheckRun[] = [];
  private readonly repo: TestRepo;
  private readonly epoch: Epoch;
  onLanding = (_n: number): void => {};
  landings = 0;
  readonly requeued: string[] = [];
  private readonly landedAs = new Map<string, number>();

  constructor(repo: TestRepo, epoch: Epoch) {
    this.repo = repo;
    this.epoch = epoch;
  }

  submit(name: string, sha: string, after: string[] = []): void {
    const task = `default/${name}`;
    this.entries.push({
      id: this.entries.length,
      task,
      attempt: 1,
      sha,
      after: after.map((id) => `default/${id}`),
      state: 'queued',
      at: 0,
      own: [],
    });
  }

  async drain(): Promise<void> {
    for (let ticks = 0; ticks < 100; ticks++) {
      const { head } = await adopt(this.repo, 'main', { epoch: this.epoch, requeue: (landings) => this.requeue(landings) });
      if (!(await this.tick(head))) return;
      await publish(this.repo, 'main', {
        old: this.repo.git('rev-parse', 'main'),
        new: this.repo.git('rev-parse', headRef('main')),
        epoch: this.epoch,
      });
    }
    throw new Error('the queue does not drain');
  }

  private async tick(head: string): Promise<boolean> {
    const landedTasks = new Set(this.entries.filter((one) => one.state === 'landed').map((one) => one.task));
    const headTree = this.repo.git('rev-parse', `${head}^{tree}`);
    const { entries, stacked, runs } = this;
    const snapshot: QueueSnapshot = {
      head,
      headTree,
      entries,
      landedTasks,
      stacked,
      runs,
      checks: [CHECK],
      running: [],
      retries: 1,
      slots: 1,
      paused: false,
    };
    const plan = planQueue(snapshot);
    expect(plan.halted).toBeUndefined();
    for (const one of plan.states) this.move(one.entry, towards(one.state));
    for (const id of plan.contained) this.move(id, { on: 'landed' });
    for (const one of plan.handback) this.move(one.entry, { on: 'conflicted' });
    for (const one of plan.reject) this.move(one.entry, { on: 'rejected' });
    for (const one of plan.stack) {
      const { task } = entries[one.entry]!;
      stacked.push({
        head: one.head,
        sha: one.sha,
        result: await predict(this.repo, { ...one, task, attempt: 1, target: 'main', intent: '' }),
      });
    }
    for (const one of plan.checks) await this.check(one);
    for (const one of plan.land) await this.land(one.entries[0]!, one.head, one.tree);
    return [plan.stack, plan.checks, plan.land, plan.contained, plan.handback, plan.reject].some((list) => list.length > 0);
  }

  /** The user's branch won: what had landed beside it is a new entry, and its task not landed any more. */
  private async requeue(landings: readonly string[]): Promise<void> {
    for (const commit of landings) {
      const id = this.landedAs.get(commit)!;
      const entry = this.entries[id]!;
      this.entries[id] = { ...entry, state: 'cancelled' };
      this.entries.push({ ...entry, id: this.entries.length, state: 'queued' });
      this.requeued.push(entry.task);
    }
  }

  private build(id: number, head: string, tree: string): Promise<string> {
    const { task, sha } = this.entries[id]!;
    const entries = [{ task, attempt: 1, agent: 'quiet-fox', title: `do ${task}` }];
    return landingCommit(this.repo, { head, sha, tree, entries, checks: ['unit'], at: 1_700_000_000_000, committer, history: 'merge' });
  }

  private async check(wanted: WantedCheck): Promise<void> {
    const commit = 'sha' in wanted.commit ? await this.build(wanted.entry, wanted.commit.head, wanted.tree) : wanted.commit.head;
    const slot = { path: join(this.repo.root, '.furrow', 'slots', '1'), marker: `queue-${process.pid}`, jail: [] };
    const log = join(this.repo.folder, 'log');
    const order = { commit, tree: wanted.tree, check: wanted.check, log, caches: [], env: { PATH: process.env['PATH'] ?? '' } };
    const { outcome } = await runCheck(this.repo, slot, order, new AbortController().signal);
    this.runs.push({ tree: wanted.tree, check: wanted.check.id, outcome });
  }

  private async land(id: number, old: string, tree: string): Promise<void> {
    this.onLanding(this.landings++);
    const move = { ref: headRef('main'), old, new: await this.build(id, old, tree), epoch: this.epoch };
    if (!(await land(this.repo, move)).moved) return;
    this.landedAs.set(move.new, id);
    this.move(id, { on: 'landed' });
  }

  private move(id: number, event: Parameters<typeof step>[1]): void {
    const next = step(this.entries[id]!.state, event);
    if (!next) return;
    this.entries[id] = { ...this.entries[id]!, state: next };
    if (ended(next)) this.ends.set(this.entries[id]!.task.slice(8), next);
  }
}

describe('the queue on a real repository', () => {
  it('lands what is good and only that, with a user who commits in between and has unsaved work', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const queue = new Queue(repo, await nextEpoch(repo));
    const work = (files: Record<string, string>, on = start) => repo.commitOn(on, files);
    const base = work({ 'b.txt': lines('b', { 3: 'base' }) });
    queue.submit('late', work({ late: '1' }, base), ['early']);
    queue.submit('good', work({ 'a.txt': lines('a', { 3: 'good' }) }));
    queue.submit('bad', work({ bad: '1' }));
    queue.submit('needs-bad', work({ more: '1' }), ['bad']);
    queue.submit('early', base);
    queue.submit('half1', work({ half1: '1' }));
    queue.submit('clash', work({ 'a.txt': lines('a', { 3: 'clash' }) }));
    queue.submit('half2', work({ half2: '1' }));
    queue.submit('same', work({ 'a.txt': lines('a', { 3: 'good' }) }));
    repo.write({ 'c.txt': 'unsaved\n', note: 'untracked\n' });
    queue.onLanding = (n) => {
      if (n === 1) repo.git('commit', '-q', '--allow-empty', '-m', 'the user was here');
    };
    await queue.drain();

    const landed = { good: 'landed', early: 'landed', late: 'landed', half1: 'landed', same: 'landed' };
    expect(Object.fromEntries(queue.ends)).toEqual({ ...landed, bad: 'rejected', half2: 'rejected', clash: 'conflict' });
    expect(repo.git('rev-parse', 'main')).toBe(repo.git('rev-parse', headRef('main')));
    expect([readFileSync(join(repo.root, 'c.txt'), 'utf8'), repo.git('status', '--porcelain')]).toEqual(['unsaved\n', ' M c.txt\n?? note']);

    const chain = repo.git('rev-list', '--first-parent', '--reverse', `${start}..main`).split('\n');
    expect(chain).toHaveLength(5);
    expect(queue.requeued).toEqual(['default/early']);
    expect(repo.git('log', '--format=%s', `${start}..main`)).toContain('the user was here');
    for (const commit of chain) {
      const names = repo.git('ls-tree', '--name-only', commit).split('\n');
      expect(names.includes('bad') || (names.includes('half1') && names.includes('half2')), commit).toBe(false);
      if (names.includes('late')) expect(repo.show(`${commit}:b.txt`)).toContain('base');
    }
  });
});
