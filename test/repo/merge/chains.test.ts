import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StackEntry } from '../../../src/repo/merge/judge.ts';
import type { Stack } from '../../../src/repo/merge/stack.ts';
import { ALL } from '../../support/all.ts';
import { commitOf, entry, stackOn, treeFrom } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

interface Branch {
  /** An earlier branch that it is built on, counted from its own place; none: the start. */
  readonly on: number;
  /** Earlier branch that it has merged in as well. */
  readonly joins: number;
  readonly edits: readonly (readonly [file: number, line: number, word: number])[];
  readonly adds: boolean;
  readonly keep: boolean;
}

const branch: fc.Arbitrary<Branch> = fc.record({
  on: fc.integer({ min: 0, max: 3 }),
  joins: fc.integer({ min: 0, max: 5 }),
  edits: fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 })), {
    maxLength: 3,
  }),
  adds: fc.boolean(),
  keep: fc.boolean(),
});

const LINES = 6;
type Texts = string[][];
const blank = (): Texts => [0, 1].map((file) => Array.from({ length: LINES }, (_, line) => `${file} ${line}`));
// Far apart, so that not every edit of the same file is a conflict.
const files = (texts: Texts) => Object.fromEntries(texts.map((text, file) => [`f${file}`, text.map((line) => `${line}\n\n\n\n`).join('')]));

function entriesOf(repo: TestRepo, start: string, branches: readonly Branch[]): StackEntry[] {
  const made: { sha: string; texts: Texts }[] = [];
  return branches.map(({ on, joins, edits, adds, keep }, n) => {
    const below = on === 0 ? undefined : made[n - on];
    const other = joins === 0 ? undefined : made[n - joins];
    const texts = structuredClone(below?.texts ?? blank());
    for (const [file, line, word] of edits) texts[file]![line] = `${['x', 'y', texts[file]![line]][word]}`;
    const parents = [below?.sha ?? start, ...(other && other !== below ? [other.sha] : [])];
    const sha = commitOf(repo, parents, { ...files(texts), ...(adds && { [`new${n}`]: 'x\n' }), [`touch${n}`]: `${n}\n` });
    made.push({ sha, texts });
    return entry(n, sha, { keep });
  });
}

let targets = 0;

/** Stacks what stacks, in order, and says what each step gave. */
async function stacked(stack: Stack, entries: readonly StackEntry[]) {
  const chain: StackEntry[] = [];
  const steps: string[] = [];
  for (const one of entries) {
    const result = await stack.merge([...chain, one]);
    steps.push(`${one.id} ${result.kind === 'clean' ? result.tree : result.kind}`);
    if (result.kind === 'clean') chain.push(one);
  }
  return { chain, steps };
}

describe.each(['merge', 'linear'] as const)('stacking in a %s history', (history) => {
  it('gives the same trees in one go, past a landing, and anew on what landed', { timeout: 120_000 }, async () => {
    using repo = new TestRepo();
    const start = commitOf(repo, [repo.git('rev-parse', 'HEAD')], files(blank()));
    const some = fc.array(branch, { minLength: 3, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(some, fc.integer({ min: 1, max: 3 }), async (branches, cut) => {
        const entries = entriesOf(repo, start, branches);
        const target = `target-${++targets}`;
        const stack = await stackOn(repo, start, { history, target });
        const whole = await stacked(stack, entries);
        const prefix = whole.chain.slice(0, cut);
        fc.pre(prefix.length > 0);

        const built = await stack.build(prefix, ['unit']);
        expect(await stack.build(prefix, ['unit'])).toEqual(built);
        expect(repo.git('rev-parse', `${built.commit}^{tree}`, `${built.commit}^1`)).toBe(`${built.tree}\n${start}`);
        const rest = entries.slice(entries.indexOf(prefix.at(-1)!) + 1);
        const expected = whole.steps.slice(entries.length - rest.length);

        const past = stack.advance(built.commit)!;
        expect((await stacked(past, rest)).steps).toEqual(expected);
        await past.remember();
        const anew = await stackOn(repo, built.commit, { history, target });
        expect((await stacked(anew, rest)).steps).toEqual(expected);
        for (const one of prefix) expect(await anew.merge([{ ...one, id: one.id + 100 }])).toEqual({ kind: 'contained' });
      }),
      { numRuns: ALL ? 8 : 2, endOnFailure: true },
    );
  });
});

describe('past a landing', () => {
  it('what was stacked before stands on the new head, which later work may start from', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const [a, b, clash] = [
      entry(1, repo.commitOn(start, { 'a.txt': lines('a', { 5: 'by A' }) })),
      entry(2, repo.commitOn(start, { 'b.txt': lines('b', { 5: 'by B' }) })),
      entry(3, repo.commitOn(start, { 'a.txt': lines('a', { 5: 'not by A' }) })),
    ];
    const stack = await stackOn(repo, start);
    await Promise.all([stack.merge([a, b]), stack.merge([a, clash]), stack.merge([b, a])]);
    expect(stack.advance(start)).toBeUndefined();
    const past = stack.advance((await stack.build([a], [])).commit)!;
    // What was stacked on other work, and a conflict that somebody may now be told of, are asked for again.
    expect([...past.results().keys()]).toEqual(['2']);
    expect(await past.merge([clash])).toMatchObject({
      kind: 'conflict',
      report: { ref: 'refs/furrow/conflict/default/3', ours: past.head },
    });
    const later = entry(4, repo.commitOn(past.head, { 'a.txt': lines('a', { 5: 'by A, then later' }) }));
    const tree = await treeFrom(past, [b, later]);
    expect(repo.show(`${tree}:a.txt`)).toContain('by A, then later');
    expect(repo.show(`${tree}:b.txt`)).toContain('by B');
  });
});
