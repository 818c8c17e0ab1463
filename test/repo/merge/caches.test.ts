import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CacheTrust } from '../../../src/repo/merge/slot-caches.ts';
import { Bench } from './bench.ts';

const PASS = { outcome: 'pass', detail: null };

/** Trees of a target and of branches, and checks with the cache `cache`. */
class Cached extends Bench {
  readonly head = this.repo.commitOn(this.commit, { '.gitignore': '/cache/\n/web/cache/\n', 'web/x.txt': 'x\n' });
  readonly landed = new Set<string>();
  readonly trust: CacheTrust = { shared: false, isLanded: async (tree) => this.landed.has(tree) };

  branch(name: string): string {
    return this.repo.commitOn(this.head, { [`${name}.txt`]: `${name}\n` });
  }

  land(commit: string): void {
    this.landed.add(this.treeOf(commit));
  }

  treeOf(commit: string): string {
    return this.repo.git('rev-parse', `${commit}^{tree}`);
  }

  check(
    commit: string,
    command: string,
    rest: { slot?: string; trust?: CacheTrust; caches?: string[]; env?: Record<string, string> } = {},
  ) {
    return this.run(command, { commit, caches: ['cache'], trust: this.trust, ...rest });
  }
}

const LOOK = 'cat cache/warm web/cache/warm 2>/dev/null; true';
const write = (text: string) =>
  `mkdir -p cache/deep web/cache && echo ${text} > cache/warm && cp cache/warm web/cache/ && cp cache/warm cache/deep/`;

describe('a cache', () => {
  it('that the code of one branch wrote is not there for another', async () => {
    using bench = new Cached();
    const [red, good] = [bench.branch('red'), bench.branch('good')];
    expect(await bench.check(red, write('poison'))).toMatchObject(PASS);
    expect(await bench.check(red, 'grep -q poison cache/warm web/cache/warm'), 'but for the same tree').toMatchObject(PASS);
    expect(await bench.check(good, 'test ! -e cache && test ! -e web/cache')).toMatchObject(PASS);
  });

  it('is that of the target where its tree has landed, in every slot, and stays so whatever branches write', async () => {
    using bench = new Cached();
    const [first, red, good] = [bench.branch('first'), bench.branch('red'), bench.branch('good')];
    expect(await bench.check(first, write('warm'))).toMatchObject(PASS);
    expect(await bench.check(red, 'test ! -e cache', { slot: '2' }), 'not before it has landed').toMatchObject(PASS);
    bench.land(first);
    expect(await bench.check(red, `grep -q warm cache/warm && ${write('poison')}`)).toMatchObject(PASS);
    for (const slot of ['1', '2', '3', '1'])
      expect(
        await bench.check(good, `grep -q warm cache/warm web/cache/warm cache/deep/warm && ! grep -rq poison cache web`, { slot }),
      ).toMatchObject(PASS);
  });

  it('written in place, by links or as another kind of file does not reach the copy that others get', async () => {
    using bench = new Cached();
    const [first, red, good] = [bench.branch('first'), bench.branch('red'), bench.branch('good')];
    await bench.check(first, write('warm'));
    bench.land(first);
    const spoil =
      'printf evil | dd of=cache/warm conv=notrunc status=none; ln -f cache/warm cache/link; rm -r web/cache; ln -s ../cache web/cache';
    expect(await bench.check(red, spoil)).toMatchObject(PASS);
    expect(
      await bench.check(good, 'grep -qx warm cache/warm && test ! -e cache/link && test ! -L web/cache && grep -qx warm web/cache/warm'),
    ).toMatchObject(PASS);
  });

  it('of a landing that was taken out is not used again', async () => {
    using bench = new Cached();
    const [first, good] = [bench.branch('first'), bench.branch('good')];
    await bench.check(first, write('warm'));
    bench.land(first);
    await bench.check(good, LOOK);
    bench.landed.clear();
    expect(await bench.check(bench.branch('other'), 'test ! -e cache')).toMatchObject(PASS);
  });

  it('is forgotten with its slot, and where it was not watched', async () => {
    using bench = new Cached();
    const [first, red, good] = [bench.branch('first'), bench.branch('red'), bench.branch('good')];
    await bench.check(first, write('warm'));
    bench.land(first);
    await bench.check(red, write('poison'), { caches: [] });
    expect(await bench.check(good, 'test ! -e cache'), 'caches were off in between').toMatchObject(PASS);
    await bench.check(first, write('warm'));
    await bench.check(red, write('poison'), { trust: { ...bench.trust, shared: true } });
    expect(await bench.check(first, '! grep -rq poison .'), 'caches were shared in between').toMatchObject(PASS);
    rmSync(bench.path, { recursive: true });
    expect(await bench.check(good, '! grep -rq poison .')).toMatchObject(PASS);
  });

  it('is shared by all where a person says so', async () => {
    using bench = new Cached();
    const trust = { ...bench.trust, shared: true };
    await bench.check(bench.branch('red'), write('poison'), { trust });
    expect(await bench.check(bench.branch('good'), 'grep -q poison cache/warm', { trust })).toMatchObject(PASS);
    expect(existsSync(join(bench.path, '../../caches/trusted.json'))).toBe(false);
  });
});

/** A build as of make: only what is older than its source is made again. */
const MAKE = 'mkdir -p cache; test cache/out -nt part.txt || cp part.txt cache/out; ';

it('a build by times of change never takes the part of another tree for that of this one', async () => {
  using bench = new Cached();
  const base = bench.repo.commitOn(bench.head, { 'part.txt': 'old\n' });
  const changed = bench.repo.commitOn(base, { 'part.txt': 'new\n' });
  const again = bench.repo.commitOn(changed, { 'other.txt': 'x\n' });
  expect(await bench.check(changed, `${MAKE} grep -q new cache/out`, { slot: '2' })).toMatchObject(PASS);
  // Younger than what slot 2 holds of `part.txt`, and made from another one.
  expect(await bench.check(base, `${MAKE} grep -q old cache/out`)).toMatchObject(PASS);
  bench.land(base);
  await bench.check(bench.repo.commitOn(base, { 'next.txt': 'x\n' }), LOOK);
  expect(await bench.check(again, `${MAKE} grep -q new cache/out`, { slot: '2' })).toMatchObject(PASS);
});

describe('a cache that a tool keeps outside of the tree', () => {
  const LOOKS = 'for one in "$GOCACHE" "$CCACHE_DIR" "$MYPY_CACHE_DIR" "$GOLANGCI_LINT_CACHE"; do test ';
  const writes = (text: string) => `${LOOKS} -d "$one" || mkdir "$one" && echo ${text} > "$one/word" || exit 1; done`;
  const finds = (text: string) => `${LOOKS} "$(cat "$one/word")" = ${text} || exit 1; done`;
  const NOTHING = `${LOOKS} ! -e "$one" || exit 1; done`;

  it('is there for the same tree, and for others once that tree has landed, until it is taken out', async () => {
    using bench = new Cached();
    const [first, red, good] = [bench.branch('first'), bench.branch('red'), bench.branch('good')];
    const check = (commit: string, command: string, slot = '1') => bench.check(commit, command, { caches: [], slot });
    expect(await check(red, writes('poison'))).toMatchObject(PASS);
    expect(await check(red, finds('poison')), 'the same tree').toMatchObject(PASS);
    expect(await check(first, `${NOTHING}; ${writes('warm')}`), 'another branch').toMatchObject(PASS);
    bench.land(first);
    expect(await check(red, `${finds('warm')} && ${writes('poison')}`)).toMatchObject(PASS);
    for (const slot of ['2', '1']) expect(await check(good, finds('warm'), slot), `a copy in slot ${slot}`).toMatchObject(PASS);
    bench.landed.clear();
    expect(await check(red, NOTHING), 'the landing was taken out').toMatchObject(PASS);
  });

  it('stays where checks share their caches, and is where the check itself puts it', async () => {
    using bench = new Cached();
    const trust = { ...bench.trust, shared: true };
    await bench.check(bench.branch('red'), writes('poison'), { trust, caches: [] });
    expect(await bench.check(bench.branch('good'), finds('poison'), { trust, caches: [] })).toMatchObject(PASS);
    expect(await bench.check(bench.branch('own'), 'test "$GOCACHE" = off', { caches: [], env: { GOCACHE: 'off' } })).toMatchObject(PASS);
  });
});
