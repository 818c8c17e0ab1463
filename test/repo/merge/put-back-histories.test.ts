import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ALL } from '../../support/all.ts';
import { entry, stackOn } from './entries.ts';
import { TestRepo } from './repo.ts';

/** Work as the queue knows it. It writes one line of its own, once into a file of its own and once into one that all share. */
interface Work {
  readonly sha: string;
  readonly line: string;
  readonly keep: boolean;
  landed: boolean;
}

const SHARED = 40;

/** One line for each work, apart from the others, so that no two of them conflict. */
function shared(text: string, at: number, line: string): string {
  return text
    .split('\n')
    .map((old, n) => (n === at * 4 ? line : old))
    .join('\n');
}

/** A repository in which a queue lands, and a person does with its target whatever comes to their mind. */
class History {
  readonly works: Work[] = [];
  readonly landings: string[] = [];
  readonly log: string[] = [];
  readonly repo: TestRepo;
  head: string;

  constructor(repo: TestRepo) {
    this.repo = repo;
    repo.write({ 'all.txt': Array.from({ length: SHARED * 4 }, (_, at) => `${at}\n`).join(''), 'lib/first.txt': 'first\n' });
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'files');
    this.head = repo.git('rev-parse', 'HEAD');
  }

  /** Work that begins at the target, or at other work, which it has inside then. */
  begin(from: number, keep: boolean): void {
    const base = from === 0 ? undefined : this.works[from % (this.works.length || 1)];
    const parent = base?.sha ?? this.head;
    const at = this.works.length;
    const line = `line of work ${at}`;
    const files = { [`lib/work-${at}.txt`]: `${line}\n`, 'all.txt': `${shared(this.repo.show(`${parent}:all.txt`), at, line)}\n` };
    this.works.push({ sha: this.repo.commitOn(parent, files, `work ${at}`), line, keep, landed: false });
    this.log.push(`work ${at} on ${base?.line ?? 'the target'}${keep ? ', kept' : ''}`);
  }

  /** The queue lands it, also if it is submitted once more. Only what has it as its own content is a landing. */
  async land(which: number): Promise<void> {
    const work = this.works[which % (this.works.length || 1)];
    if (!work) return;
    const stack = await stackOn(this.repo, this.head);
    const mine = [entry(this.landings.length + 1, work.sha, { keep: work.keep })];
    const result = await stack.merge(mine);
    this.log.push(`land ${work.line}: ${result.kind}`);
    if (result.kind !== 'clean') return;
    const { commit } = await stack.build(mine, ['unit']);
    this.repo.git('update-ref', 'refs/furrow/head/main', commit);
    await stack.advance(commit)!.remember();
    this.moved(commit);
    this.landings.push(commit);
    work.landed = true;
  }

  revert(which: number): void {
    const landing = this.landings[which % (this.landings.length || 1)];
    if (!landing) return;
    const parents = this.repo.git('show', '-s', '--format=%P', landing).split(' ').length;
    this.typed('revert', '--no-edit', ...(parents > 1 ? ['-m', '1'] : []), landing);
  }

  /** They give the folder that all work writes into another name, or its old one again. */
  rename(): void {
    const [from, to] = this.repo.git('ls-tree', '--name-only', 'HEAD').split('\n').includes('lib') ? ['lib', 'src'] : ['src', 'lib'];
    this.typed('mv', from!, to!);
    this.typed('commit', '-q', '-m', `${from} is called ${to}`);
  }

  /** They merge the target into another branch, and go on there. */
  sidestep(back: number): void {
    const from = this.repo.git('rev-list', '--first-parent', 'HEAD').split('\n');
    const side = this.repo.commitOn(from[back % from.length]!, { 'side.txt': `${this.log.length}\n` }, 'a side branch');
    this.repo.git('checkout', '-q', '--detach', side);
    const merged = this.typed('merge', '-q', '--no-edit', this.head);
    const at = this.repo.git('rev-parse', 'HEAD');
    this.repo.git('checkout', '-q', 'main');
    this.moved(merged ? at : this.head);
  }

  private typed(...args: string[]): boolean {
    try {
      this.repo.git(...args);
      this.moved(this.repo.git('rev-parse', 'HEAD'));
      this.log.push(`git ${args.join(' ')}`);
      return true;
    } catch {
      this.repo.git('reset', '-q', '--hard');
      this.log.push(`git ${args.join(' ')}: no`);
      return false;
    }
  }

  private moved(to: string): void {
    this.repo.git('reset', '-q', '--hard', to);
    this.head = to;
  }

  /** Both lines of work are on the target, in whatever file. */
  has(work: Work): boolean {
    const found = this.repo.git('grep', '-l', '-e', `^${work.line}$`, '-e', '^first$', this.head);
    return found.split('\n').filter((row) => !row.includes('first.txt')).length === 2;
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('begin' as const), fc.nat(3), fc.boolean()) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('land' as const), fc.nat(9)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('revert' as const), fc.nat(9)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('rename' as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('sidestep' as const), fc.nat(5)) },
);

/** Furrow may say "it is there" of what is there, and of nothing else. */
it('whatever a person does with the target, work is called contained only where its lines are', { timeout: 1_200_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
      using repo = new TestRepo();
      const history = new History(repo);
      for (const [name, ...args] of [['begin', 0, true] as const, ['land', 0] as const, ...steps]) {
        await (history[name] as (...numbers: unknown[]) => unknown).call(history, ...args);
        if (name === 'begin' || name === 'land') continue;
        const stack = await stackOn(repo, history.head);
        for (const [at, work] of history.works.filter(({ landed }) => landed).entries()) {
          const result = await stack.merge([entry(100 + at, work.sha, { keep: work.keep })]);
          expect({ there: result.kind === 'contained', work, log: history.log }).toEqual({
            there: history.has(work),
            work,
            log: history.log,
          });
        }
      }
    }),
    { numRuns: ALL ? 30 : 2, endOnFailure: true },
  );
});
