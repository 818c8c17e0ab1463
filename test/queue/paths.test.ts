import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CheckSpec, NO_NOTES } from '../../src/queue/snapshot.ts';
import { contentKey } from '../../src/repo/merge/content-key.ts';
import { Bench, check, entry } from './bench.ts';

/** A change of a modelled project: the folders that it has a file in, and those where that file is broken. */
interface Change {
  readonly folders: readonly string[];
  readonly broken: readonly string[];
  /** An earlier change that it does not go with, where both have a file in one folder. */
  readonly clashes?: number | undefined;
}

const FOLDERS = ['api', 'web', 'shared'];

/** Checks that look only at their paths, on trees that are sets of changes; what they answer is the truth about these. */
class Monorepo extends Bench {
  readonly changes: readonly Change[];
  readonly #reuses: boolean;
  readonly #abouts: Map<string, string>;
  readonly rejected: number[] = [];
  readonly landed: number[] = [];

  constructor(changes: readonly Change[], checks: readonly CheckSpec[], slots: number, reuses = true) {
    super(
      changes.map((_, id) => entry(id)),
      { checks, slots },
    );
    this.changes = changes;
    this.#reuses = reuses;
    this.#abouts = new Map();
    const known = new Map<string, string | undefined>();
    this.#abouts.get = (key) => {
      if (!known.has(key)) known.set(key, this.#about(key.split(' ')[0]!, key.split(' ')[1]!));
      return known.get(key);
    };
  }

  override snapshot() {
    return { ...super.snapshot(), abouts: this.#abouts };
  }

  #parts = (tree: string) => tree.split('+').slice(1).map(Number);

  #about(tree: string, name: string): string | undefined {
    const { paths } = this.settings.checks.find((one) => one.id === name)!;
    const made = this.#parts(tree).flatMap((id) => this.changes[id]!.folders.map((folder) => `${folder}/${id}`));
    const files = [...FOLDERS.map((folder) => `${folder}/start`), ...made].map((path) => ({ what: 'blob', path, bytes: path }));
    return paths && this.#reuses ? contentKey(files, paths) : undefined;
  }

  passes(tree: string, { paths = FOLDERS.map((folder) => `${folder}/**`) }: CheckSpec): boolean {
    const there = this.#parts(tree);
    const sees = (folder: string) => paths.includes(`${folder}/**`);
    return !there.some((id) => {
      const { folders, broken, clashes = -1 } = this.changes[id]!;
      const meets = there.includes(clashes) && this.changes[clashes]!.folders.some((folder) => folders.includes(folder) && sees(folder));
      return meets || broken.some(sees);
    });
  }

  /** Until nothing is left; cries at the first landing of a red tree, and at the first rejection of one that is not. */
  drive(forgetful = false): this {
    for (let steps = 0; this.entries.length > 0; steps++) {
      if (steps > 2000) throw new Error('the queue does not come to rest');
      if (forgetful) this.notes = NO_NOTES;
      const { land, reject, halted } = this.plan();
      if (halted) throw new Error(halted);
      for (const one of reject) this.#reject(one.entry, one.check);
      if (land) this.#land(land);
      else if (reject.length === 0) this.#end(this.running[steps % Math.max(1, this.running.length)]);
    }
    return this;
  }

  #land(land: { entries: readonly number[]; tree: string }): void {
    const red = this.settings.checks.find((one) => !this.passes(land.tree, one));
    if (red) throw new Error(`${red.id} is red on ${land.tree}, which lands`);
    this.landed.push(...land.entries);
    this.land(land);
  }

  #reject(id: number, name: string): void {
    const spec = this.settings.checks.find((one) => one.id === name)!;
    if (this.passes(this.tree([id]), spec) || !this.passes(this.headTree, spec)) throw new Error(`${id} is not to blame for ${name}`);
    this.rejected.push(id);
    this.entries = this.entries.filter((one) => one.id !== id);
  }

  #end(run: { tree: string; check: string } | undefined): void {
    if (!run) throw new Error('nothing runs, and nothing is decided');
    const spec = this.settings.checks.find((one) => one.id === run.check)!;
    this.running = this.running.filter((one) => one !== run);
    const tree = this.#about(run.tree, run.check) ?? run.tree;
    this.runs = [...this.runs, { id: ++this.answered, tree, check: run.check, outcome: this.passes(run.tree, spec) ? 'pass' : 'fail' }];
  }
}

const looksAt = (name: string, ...folders: string[]): CheckSpec => ({ ...check(name), paths: folders.map((folder) => `${folder}/**`) });
const folders = fc.subarray(FOLDERS, { minLength: 1 });
const change = (clashing: boolean) =>
  fc.record({
    folders: fc.subarray(FOLDERS),
    broken: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(FOLDERS) }),
    clashes: clashing ? fc.option(fc.nat(3), { nil: undefined }) : fc.constant(undefined),
  });
const changes = (clashing: boolean) =>
  fc.array(change(clashing), { minLength: 1, maxLength: 7 }).map((list) =>
    list.map(({ clashes, ...one }, at) => ({
      folders: [...new Set([...one.folders, ...one.broken])],
      broken: one.broken,
      ...(clashes !== undefined && clashes < at && { clashes }),
    })),
  );
const specs = fc
  .array(fc.option(folders, { nil: undefined }), { minLength: 1, maxLength: 3 })
  .map((list) => list.map((paths, at) => (paths ? looksAt(`c${at}`, ...paths) : check(`c${at}`))));

describe('checks that look only at some paths', () => {
  it('run and reused verdicts together answer as all checks on every tree would', () =>
    fc.assert(
      fc.property(changes(false), specs, fc.integer({ min: 1, max: 4 }), (list, checks, slots) => {
        const reused = new Monorepo(list, checks, slots).drive();
        const all = new Monorepo(list, checks, slots, false).drive();
        expect(reused.landed.toSorted()).toEqual(all.landed.toSorted());
        expect(reused.rejected.toSorted()).toEqual(all.rejected.toSorted());
      }),
      { numRuns: 80 },
    ));

  it('let no red tree land and blame nobody wrongly when changes break each other, also without notes', () =>
    fc.assert(
      fc.property(changes(true), specs, fc.integer({ min: 1, max: 4 }), fc.boolean(), (list, checks, slots, forgetful) => {
        new Monorepo(list, checks, slots).drive(forgetful);
      }),
      { numRuns: 80 },
    ));

  it('run once on content that no entry changes, the head included, and not at all once it is known', () => {
    const web = Array.from({ length: 3 }, () => ({ folders: ['web'], broken: [] }));
    const queue = new Monorepo(web, [looksAt('api', 'api', 'shared'), looksAt('web', 'web', 'shared')], 2).drive();
    expect(queue.runs.filter((run) => run.check === 'api')).toHaveLength(1);
    const docs = new Monorepo([...web, { folders: [], broken: [] }], [looksAt('web', 'web')], 2);
    docs.entries = [];
    docs.runs = queue.runs.filter((run) => run.check === 'web');
    docs.headTree = 'base+0+1+2';
    docs.entries = [entry(3)];
    expect(docs.drive().runs).toHaveLength(docs.runs.length);
    expect(docs.landed).toEqual([3]);
  });

  it('stop the line when it is the head that they fail on, and blame no entry', () => {
    const queue = new Monorepo(
      [
        { folders: ['web'], broken: [] },
        { folders: ['api'], broken: ['api'] },
      ],
      [looksAt('api', 'api')],
      1,
    );
    queue.headTree = 'base+1';
    queue.entries = [entry(0)];
    expect(() => queue.drive()).toThrow('the head itself fails `api`');
  });
});
