import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL } from '../../support/all.ts';
import { anyChanges, plainChanges } from './changes.ts';
import { mutants } from './mutants.ts';
import { broken } from './oracle.ts';
import { type Happening, PARTS, type Parts, type Past, play, type Workload } from './play.ts';

const happening = (kinds: readonly Happening['on'][]): fc.Arbitrary<Happening> =>
  fc.record({ wait: fc.nat(25), on: fc.constantFrom(...kinds) });

/** As many flakes as retries at the most: then no good change can be rejected, and the truth decides every end. */
const flakes = (retries: number) => fc.array(fc.nat(12), { maxLength: retries });

const workload = (changes: Workload['changes'], kinds: readonly Happening['on'][]): fc.Arbitrary<Workload> =>
  fc
    .record({
      changes: fc.constant(changes),
      slots: fc.integer({ min: 1, max: 3 }),
      batch: fc.integer({ min: 1, max: 4 }),
      retries: fc.nat(1),
      inTheWay: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      happenings: fc.array(happening(kinds), { maxLength: 4 }),
    })
    .chain((one) => flakes(one.retries).map((list) => ({ ...one, flakes: list })));

const anyWorkload = anyChanges.chain((changes) => workload(changes, ['crash', 'crash twice', 'forget', 'commit']));
const crashes = plainChanges.chain((changes) => workload(changes, ['crash', 'crash twice']));

async function violationsOf(one: Workload, parts: Parts = PARTS): Promise<string[]> {
  const past = await play(one, parts);
  await using _ = past.place;
  return await broken(past);
}

/** What is in the head at the end, and what the queue says has landed. */
async function landedOf({ place, journal }: Past): Promise<string> {
  const files = await place.repo.git('ls-tree', '-r', '--name-only', 'refs/furrow/head/main', 'changes/');
  return [files, ...[...journal.landedTasks()].sort()].join('\n');
}

/** Q8: as often as it crashed, what has landed is what lands without. */
async function survives(one: Workload, parts: Parts = PARTS): Promise<string[]> {
  const crashed = await play(one, parts);
  await using _ = crashed.place;
  const calm = await play({ ...one, happenings: [] }, parts);
  await using __ = calm.place;
  const [after, without] = [await landedOf(crashed), await landedOf(calm)];
  return [...(await broken(crashed)), ...(after === without ? [] : [`Q8: after crashes there is\n${after}\nand without\n${without}`])];
}

describe('the queue on real git', () => {
  it('keeps its promises, whatever is submitted and whatever happens meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorkload, async (one) => {
        expect(await violationsOf(one)).toEqual([]);
      }),
      { numRuns: ALL ? 12 : 3 },
    );
  });

  it('lands after crashes what it lands without', async () => {
    await fc.assert(
      fc.asyncProperty(crashes, async (one) => {
        expect(await survives(one)).toEqual([]);
      }),
      { numRuns: ALL ? 6 : 2 },
    );
  });

  // They try the oracle, not the queue: in the quick run every fourth of them.
  it.each(mutants.filter((_, n) => ALL || n % 4 === 0))('would be caught: $promise, $name', async ({ promise, workload: one, parts }) => {
    const violations = promise === 'Q8' ? await survives(one, parts) : await violationsOf(one, parts);
    expect(violations.map((line) => line.split(':')[0])).toContain(promise);
  });
});
