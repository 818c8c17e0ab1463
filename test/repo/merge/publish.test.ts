import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moveRef } from '../../../src/platform/git/refs.ts';
import { follow, rehearse } from '../../../src/repo/merge/checkout.ts';
import { checkoutsOf } from '../../../src/repo/merge/checkouts.ts';
import { type Epoch, nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { holdIndex } from '../../../src/repo/merge/held-index.ts';
import { movesOf } from '../../../src/repo/merge/move.ts';
import { probePublish, publish } from '../../../src/repo/merge/publish.ts';
import { lines, TestRepo } from './repo.ts';

/** What a user has in a checkout, and what the landing's arrival must leave of it. */
interface State {
  readonly name: string;
  readonly set: (repo: TestRepo, at: string) => void;
  /** Words of the reason it has to wait; none if it can follow. */
  readonly waits?: string;
}

const overlap = lines('a', { 9: 'my own words' });
const states: State[] = [
  { name: 'clean', set: () => {} },
  { name: 'touched, and not changed, on a landed path', set: (_repo, at) => utimesSync(join(at, 'a.txt'), 1, 1) },
  { name: 'without a file elsewhere', set: (_repo, at) => rmSync(join(at, 'b.txt')) },
  {
    name: 'dirty elsewhere',
    set: (repo, at) => repo.write({ 'b.txt': 'mine\n', 'notes/todo': 'untracked\n', 'x.ignored': 'ignored\n' }, at),
  },
  {
    name: 'staged elsewhere',
    set: (repo, at) => {
      repo.write({ 'b.txt': 'staged\n', fresh: 'fresh\n' }, at);
      repo.gitIn(at, 'add', 'b.txt', 'fresh');
      repo.write({ 'b.txt': 'and more\n' }, at);
    },
  },
  { name: 'dirty on a landed path', set: (repo, at) => repo.write({ 'a.txt': overlap }, at), waits: 'your changes to a.txt' },
  {
    name: 'staged on a landed path',
    set: (repo, at) => {
      repo.write({ 'a.txt': overlap }, at);
      repo.gitIn(at, 'add', 'a.txt');
    },
    waits: 'your changes to a.txt',
  },
  { name: 'dirty on a deleted path', set: (repo, at) => repo.write({ 'c.txt': 'not yet\n' }, at), waits: 'your changes to c.txt' },
  { name: 'without a landed path', set: (_repo, at) => rmSync(join(at, 'a.txt')), waits: 'your deletion of a.txt' },
  { name: 'untracked on an added path', set: (repo, at) => repo.write({ 'new/n.txt': 'mine\n' }, at), waits: 'in the way: new/n.txt' },
  {
    name: 'ignored on an added path',
    set: (repo, at) => repo.write({ 'env.ignored': 'SECRET=1\n' }, at),
    waits: 'in the way: env.ignored',
  },
  {
    name: 'ignored below an added path',
    set: (repo, at) => repo.write({ 'out/build.ignored': 'hours\n' }, at),
    waits: 'in the way: out/build.ignored',
  },
  {
    name: 'ignored file above an added path',
    set: (repo, at) => repo.write({ 'deep.ignored': 'mine\n' }, at),
    waits: 'in the way: deep.ignored',
  },
  {
    name: 'told to look away from a landed path',
    set: (repo, at) => {
      repo.gitIn(at, 'update-index', '--assume-unchanged', 'a.txt');
      repo.write({ 'a.txt': overlap }, at);
    },
    waits: 'a.txt',
  },
];

const places = ['the main checkout', 'a second worktree', 'nowhere'] as const;
const crashes = ['none', 'tried', 'moved', 'half written', 'followed'] as const;

class Scene implements AsyncDisposable {
  readonly repo = new TestRepo();
  readonly old = this.repo.git('rev-parse', 'HEAD');
  readonly new = this.repo.commitOn(this.old, {
    'a.txt': lines('a', { 2: 'landed' }),
    'c.txt': null,
    'new/n.txt': 'landed\n',
    'env.ignored': 'landed\n',
    out: 'landed\n',
    'deep.ignored/x': 'landed\n',
  });
  readonly at: string;
  readonly epoch: Promise<Epoch> = nextEpoch(this.repo);

  constructor(place: (typeof places)[number]) {
    this.at = place === 'a second worktree' ? join(this.repo.folder, 'second') : this.repo.root;
    if (place !== 'the main checkout') this.repo.git('checkout', '-q', '--detach');
    if (place === 'a second worktree') this.repo.git('worktree', 'add', '-q', this.at, 'main');
  }

  /** Everything a user could lose or trip over. */
  look() {
    const files: Record<string, string> = {};
    for (const name of readdirSync(this.at, { recursive: true, withFileTypes: true })) {
      const path = join(name.parentPath, name.name);
      if (name.isFile() && !path.startsWith(join(this.at, '.git'))) files[path.slice(this.at.length + 1)] = readFileSync(path, 'latin1');
    }
    const index = this.repo.gitIn(this.at, 'ls-files', '-s');
    const head = readFileSync(join(this.repo.gitIn(this.at, 'rev-parse', '--absolute-git-dir'), 'HEAD'), 'utf8');
    return { files, index, head, main: this.repo.git('rev-parse', 'main') };
  }

  async publish() {
    return publish(this.repo, 'main', { old: this.old, new: this.new, epoch: await this.epoch });
  }

  /** Goes as far as a crash would let it, with nothing of our bookkeeping left. */
  async until(crash: (typeof crashes)[number]): Promise<void> {
    if (crash === 'none') return;
    const checkouts = await checkoutsOf(this.repo, 'refs/heads/main');
    const moves = await movesOf(this.repo, 'on' in checkouts ? checkouts.on : [], this.old, this.new);
    for (const move of moves) expect(await rehearse(this.repo, move)).toBeUndefined();
    if (crash === 'tried') return;
    await moveRef(this.repo, { ref: 'refs/heads/main', to: this.new, from: this.old, epoch: await this.epoch });
    // What a power cut in the middle of git's own writing leaves: new files, the old index.
    if (crash === 'half written') {
      this.repo.write({ 'a.txt': lines('a', { 2: 'landed' }), 'new/n.txt': 'landed\n', 'env.ignored': 'landed\n' }, this.at);
      rmSync(join(this.at, 'c.txt'));
    }
    if (crash === 'followed') await followIn(this.repo, moves);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.epoch;
    this.repo[Symbol.dispose]();
  }
}

async function followIn(repo: TestRepo, moves: Awaited<ReturnType<typeof movesOf>>): Promise<void> {
  for (const move of moves) {
    const held = await holdIndex(repo, move);
    expect(await follow(repo, move, held!)).toBeUndefined();
    await held!.letGo();
  }
}

const follows = states.filter((state) => !state.waits);
const waits = states.filter((state) => state.waits);

describe('publishing', () => {
  describe.each(follows)('into a checkout that is $name', (state) => {
    it.each(crashes)('ends the same after a crash at: %s', async (crash) => {
      await using scene = new Scene(crash === 'moved' ? 'a second worktree' : 'the main checkout');
      state.set(scene.repo, scene.at);
      const before = scene.look();
      await scene.until(crash);
      const probed = await probePublish(scene.repo, 'main', scene);
      expect(probed).toBe({ none: 'todo', tried: 'todo', moved: 'sync', 'half written': 'sync', followed: 'done' }[crash]);
      expect(await scene.publish()).toEqual({ published: true });
      expect(await scene.publish()).toEqual({ published: true });

      const after = scene.look();
      expect(after.main).toBe(scene.new);
      expect(after.head).toBe(before.head);
      const landed = {
        'a.txt': lines('a', { 2: 'landed' }),
        'new/n.txt': 'landed\n',
        'env.ignored': 'landed\n',
        out: 'landed\n',
        'deep.ignored/x': 'landed\n',
      };
      const { 'c.txt': _, ...kept } = before.files;
      expect(after.files).toEqual({ ...kept, ...landed });
      // Nothing of the landing shows as a change of the user's, and all of theirs still does.
      const status = (base: string) => scene.repo.gitIn(scene.at, 'diff-index', '--cached', '--name-only', base);
      expect(status(scene.new)).toBe(state.name === 'staged elsewhere' ? 'b.txt\nfresh' : '');
      expect(await probePublish(scene.repo, 'main', scene)).toBe('done');
    });
  });

  describe.each(waits)('into a checkout that is $name', (state) => {
    it.each(['none', 'moved'] as const)(
      'waits, names the path and touches nothing, also when it finds out after a crash at: %s',
      async (crash) => {
        await using scene = new Scene(state.name.startsWith('staged') ? 'a second worktree' : 'the main checkout');
        const clean = scene.look();
        await scene.until(crash);
        state.set(scene.repo, scene.at);
        const before = scene.look();
        for (let again = 0; again < 2; again++) {
          const done = await scene.publish();
          expect(done).toMatchObject({ published: false, reason: expect.stringContaining(state.waits!) });
        }
        expect(scene.look()).toEqual({ ...before, main: clean.main });
      },
    );
  });

  it('moves the branch alone when it is checked out nowhere', async () => {
    await using scene = new Scene('nowhere');
    const before = scene.look();
    expect(await scene.publish()).toEqual({ published: true });
    expect(scene.look()).toEqual({ ...before, main: scene.new });
  });

  it.each(['logs/HEAD', 'logs/refs/heads/main'])('writes no line through a link at %s, and names it', async (name) => {
    await using scene = new Scene('the main checkout');
    const [link, outside] = [join(scene.repo.gitDir, name), join(scene.repo.folder, 'outside')];
    rmSync(link);
    writeFileSync(outside, 'mine\n');
    symlinkSync(outside, link);
    const before = scene.look();
    expect(await scene.publish()).toMatchObject({ published: false, reason: expect.stringContaining(`${link} is a link`) });
    expect(scene.look()).toEqual(before);
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
    rmSync(link);
    expect(await scene.publish()).toEqual({ published: true });
  });

  it('follows in every checkout or in none', async () => {
    await using scene = new Scene('the main checkout');
    const second = join(scene.repo.folder, 'second');
    scene.repo.git('worktree', 'add', '-q', '-f', second, 'main');
    scene.repo.write({ 'a.txt': overlap }, second);
    const before = scene.look();
    expect(await scene.publish()).toMatchObject({ published: false, paths: ['a.txt'] });
    expect(scene.look()).toEqual(before);
    scene.repo.gitIn(second, 'checkout', '-q', '--', 'a.txt');
    expect(await scene.publish()).toEqual({ published: true });
    expect(scene.repo.git('status', '--porcelain') + scene.repo.gitIn(second, 'status', '--porcelain')).toBe('');
  });

  it('takes every checkout back when, after a crash, one of them cannot follow', async () => {
    await using scene = new Scene('the main checkout');
    const second = join(scene.repo.folder, 'second');
    scene.repo.git('worktree', 'add', '-q', '-f', second, 'main');
    const before = scene.look();
    await scene.until('moved');
    scene.repo.write({ 'a.txt': overlap }, second);
    expect(await scene.publish()).toMatchObject({ published: false, paths: ['a.txt'] });
    expect(scene.look()).toEqual(before);
    expect(scene.repo.gitIn(second, 'status', '--porcelain')).toBe(' M a.txt');
  });

  it('waits while the user is in the middle of a merge, and while another git writes the index', async () => {
    await using scene = new Scene('the main checkout');
    scene.repo.git('branch', 'side', scene.repo.commitOn(scene.old, { 'b.txt': 'side\n' }));
    scene.repo.git('merge', '-q', '--no-ff', '--no-commit', 'side');
    const before = scene.look();
    expect(await scene.publish()).toMatchObject({ published: false, reason: expect.stringContaining('merge in progress') });
    expect(scene.look()).toEqual(before);
    scene.repo.git('merge', '--abort');
    scene.repo.write({ 'index.lock': '' }, scene.repo.gitDir);
    expect(await scene.publish()).toMatchObject({ published: false });
    expect(existsSync(join(scene.repo.gitDir, 'index.lock'))).toBe(true);
  });

  it("does not write the user's index while it waits: a commit of theirs would meet its lock", async () => {
    await using scene = new Scene('the main checkout');
    scene.repo.write({ 'a.txt': overlap });
    utimesSync(join(scene.repo.root, 'b.txt'), 1, 1);
    const index = () => statSync(join(scene.repo.gitDir, 'index'), { bigint: true });
    const { ino, ctimeNs } = index();
    expect(await scene.publish()).toMatchObject({ published: false, paths: ['a.txt'] });
    expect(index()).toMatchObject({ ino, ctimeNs });
  });

  it('does not give up on an index that another git writes for a moment', async () => {
    await using scene = new Scene('the main checkout');
    const lock = join(scene.repo.gitDir, 'index.lock');
    scene.repo.write({ 'index.lock': '' }, scene.repo.gitDir);
    const held = holdIndex(scene.repo, { path: scene.at, gitDir: scene.repo.gitDir });
    setTimeout(() => rmSync(lock), 50);
    await (await held)!.letGo();
    expect(existsSync(lock)).toBe(false);
  });

  it('leaves a branch alone that the user committed to meanwhile', async () => {
    await using scene = new Scene('the main checkout');
    scene.repo.write({ 'b.txt': 'mine\n' });
    scene.repo.git('commit', '-q', '-a', '-m', 'mine');
    const before = scene.look();
    expect(await scene.publish()).toMatchObject({ published: false, reason: expect.stringContaining('has moved') });
    expect(await probePublish(scene.repo, 'main', scene)).toBe('lost');
    expect(scene.look()).toEqual(before);
  });

  it('writes line ends as the user has configured them', async () => {
    await using scene = new Scene('the main checkout');
    scene.repo.git('config', 'core.autocrlf', 'true');
    expect(await scene.publish()).toEqual({ published: true });
    expect(scene.look().files['new/n.txt']).toBe('landed\r\n');
    expect(scene.repo.git('status', '--porcelain')).toBe('');
  });

  it('leaves files that must pass a filter of the user to the user', async () => {
    await using scene = new Scene('the main checkout');
    scene.repo.git('config', 'filter.big.smudge', 'tr a b');
    scene.repo.write({ 'info/attributes': '*.txt filter=big\n' }, scene.repo.gitDir);
    const before = scene.look();
    expect(await scene.publish()).toMatchObject({ published: false, reason: expect.stringContaining('filter') });
    expect(scene.look()).toEqual(before);
  });

  it('names five paths and counts the others', async () => {
    await using scene = new Scene('the main checkout');
    const names = Array.from({ length: 8 }, (_, at) => `many/${at}`);
    const landed = scene.repo.commitOn(scene.old, Object.fromEntries(names.map((name) => [name, 'landed\n'])));
    scene.repo.write(Object.fromEntries(names.map((name) => [name, 'mine\n'])));
    const done = await publish(scene.repo, 'main', { old: scene.old, new: landed, epoch: await scene.epoch });
    expect(done).toMatchObject({ published: false, paths: names, reason: expect.stringMatching(/many\/4 and 3 more$/) });
  });
});
