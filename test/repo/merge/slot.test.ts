import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';
import { TestRepo } from './repo.ts';

const IDENTITY = '-c user.name=a -c user.email=b';

/** A repository whose tree has the submodule `lib`, with one file `lib.txt`. */
class WithSubmodule extends Bench {
  readonly lib = new TestRepo();
  /** The repositories of the submodules of this clone, put aside. */
  readonly clone = join(this.repo.root, '.git/modules-aside');
  readonly linked = this.add();
  readonly init = 'git -c protocol.file.allow=always submodule --quiet update --init';

  private add(): string {
    this.lib.write({ 'lib.txt': 'lib\n', '.gitignore': '*.o\n' });
    this.lib.git('add', '-A');
    this.lib.git('commit', '-q', '-m', 'lib');
    this.repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', this.lib.root, 'lib');
    this.repo.git('commit', '-q', '-m', 'with lib');
    // Somebody else's clone: it has no repository of the submodule.
    renameSync(join(this.repo.root, '.git/modules'), this.clone);
    return this.repo.git('rev-parse', 'HEAD');
  }

  check(command: string, caches: string[] = []) {
    return this.run(command, { commit: this.linked, caches });
  }

  override [Symbol.dispose](): void {
    this.lib[Symbol.dispose]();
    super[Symbol.dispose]();
  }
}

const PASS = { outcome: 'pass', detail: null };

describe('a slot', () => {
  it('whose ref names a commit that a gc took is used all the same', async () => {
    using bench = new Bench();
    expect(await bench.run('true')).toMatchObject(PASS);
    const [ref = ''] = bench.repo.git('for-each-ref', '--format=%(refname)', 'refs/furrow/check').split('\n');
    writeFileSync(join(bench.repo.gitDir, ref), `${'a'.repeat(40)}\n`);
    expect(await bench.run('true')).toMatchObject(PASS);
    expect(bench.repo.git('cat-file', '-t', ref)).toBe('commit');
  });

  it("has the submodule of the commit from the person's clone, and nothing that a check left in it", async () => {
    using bench = new WithSubmodule();
    renameSync(bench.clone, join(bench.repo.root, '.git/modules'));
    rmSync(bench.lib.root, { recursive: true });
    const asCommitted = 'grep -qx lib lib/lib.txt && test -z "$(git -C lib status --porcelain)" && test ! -e lib/x.o';
    const offline = 'git submodule --quiet update --init';
    expect(await bench.check(`${asCommitted} && ${offline} && echo mine > lib/lib.txt && touch lib/new.txt lib/x.o`)).toMatchObject(PASS);
    const spoil = 'git -C lib config core.sparseCheckout true && git -C lib update-index --skip-worktree lib.txt && rm lib/lib.txt';
    expect(await bench.check(`${asCommitted} && ${spoil}`)).toMatchObject(PASS);
    expect(await bench.check(asCommitted)).toMatchObject(PASS);
  });

  it('loses what a check wrote into the folder of a submodule that is not checked out', async () => {
    using bench = new WithSubmodule();
    expect(await bench.check('touch lib/stub.txt; mkdir lib/deep && touch lib/deep/x.o')).toMatchObject(PASS);
    expect(await bench.check('test -z "$(ls -A lib)"')).toMatchObject(PASS);
  });

  it('loses what a check wrote into a submodule that it checked out, and the checkout itself', async () => {
    using bench = new WithSubmodule();
    expect(await bench.check(`${bench.init} && echo mine > lib/lib.txt && touch lib/new.txt lib/x.o`)).toMatchObject(PASS);
    expect(await bench.check('test -z "$(ls -A lib)"')).toMatchObject(PASS);
    expect(await bench.check(`${bench.init} && grep -qx lib lib/lib.txt && test ! -e lib/new.txt && test ! -e lib/x.o`)).toMatchObject(
      PASS,
    );
  });

  it('keeps the objects of a submodule, so that the next check need not fetch them, and nothing else of its git folder', async () => {
    using bench = new WithSubmodule();
    const spoil = 'git -C lib config core.sparseCheckout true && git -C lib update-index --skip-worktree lib.txt && rm lib/lib.txt';
    const hook =
      'H=$(git -C lib rev-parse --absolute-git-dir)/hooks && mkdir -p $H && echo exit 1 > $H/post-checkout && chmod +x $H/post-checkout';
    expect(await bench.check(`${bench.init} && ${spoil} && ${hook}`)).toMatchObject(PASS);
    rmSync(bench.lib.root, { recursive: true });
    expect(await bench.check(`${bench.init} && grep -qx lib lib/lib.txt && git -C lib status --porcelain`)).toMatchObject(PASS);
  });

  it('gets the new commit of a submodule whose objects it has kept', async () => {
    using bench = new WithSubmodule();
    expect(await bench.check(bench.init)).toMatchObject(PASS);
    bench.lib.write({ 'lib.txt': 'newer\n' });
    bench.lib.git('commit', '-qam', 'newer');
    const newerLib = bench.lib.git('rev-parse', 'HEAD');
    bench.repo.git('update-index', '--cacheinfo', `160000,${newerLib},lib`);
    bench.repo.git('commit', '-qm', 'newer lib');
    const newer = bench.repo.git('rev-parse', 'HEAD');
    expect(await bench.run(`${bench.init} && grep -qx newer lib/lib.txt`, { commit: newer })).toMatchObject(PASS);
  });

  it('has no cache in a submodule', async () => {
    using bench = new WithSubmodule();
    await bench.check('mkdir -p lib/cache && touch lib/cache/x', ['lib', 'cache']);
    expect(await bench.check('test -z "$(ls -A lib)"', ['lib', 'cache'])).toMatchObject(PASS);
  });

  it('loses a repository that a check made inside a tracked folder', async () => {
    using bench = new Bench();
    const commit = bench.repo.commitOn(bench.commit, { 'src/deep/x.txt': 'x\n' });
    expect(await bench.run('git init -q src && git init -q src/deep', { commit })).toMatchObject(PASS);
    expect(await bench.run('test ! -e src/.git && test ! -e src/deep/.git && test -e src/deep/x.txt', { commit })).toMatchObject(PASS);
  });

  it('loses named pipes and sockets, in tracked folders too', async () => {
    using bench = new Bench();
    const commit = bench.repo.commitOn(bench.commit, { 'src/x.txt': 'x\n' });
    const socket = `node -e 'require("net").createServer().listen("src/s", () => process.kill(process.pid, "SIGKILL"))' || true`;
    expect(await bench.run(`mkfifo pipe src/pipe; ${socket}; test -S src/s`, { commit })).toMatchObject(PASS);
    expect(await bench.run('test ! -e pipe && test ! -e src/pipe && test ! -e src/s', { commit })).toMatchObject(PASS);
  });

  it.each([
    ['in place of a file', 'rm a.txt; mkfifo a.txt', 'changed a.txt'],
    ['in place of .git', 'rm .git; mkfifo .git', ''],
    ['in place of .gitignore', 'rm .gitignore; mkfifo .gitignore', 'changed .gitignore'],
    ['as .gitattributes', 'mkfifo .gitattributes', 'changed .gitattributes'],
  ])('is whole again after a check left a named pipe %s', async (_name, command, said) => {
    using bench = new Bench();
    expect(await bench.run(command)).toMatchObject({ detail: said ? expect.stringContaining(said) : null });
    expect(await bench.run('test -f a.txt && test -f .git && git status')).toMatchObject(PASS);
  });

  it('keeps of a declared cache only what git ignores', async () => {
    using bench = new Bench();
    const commit = bench.repo.commitOn(bench.commit, { '.gitignore': '/cache/\n', 'src/x.txt': 'x\n' });
    const order = { commit, caches: ['cache'] };
    await bench.run('mkdir -p cache src/cache && touch cache/warm src/cache/left', order);
    expect(await bench.run('test -e cache/warm && test ! -e src/cache', order)).toMatchObject(PASS);
  });

  it('shows a tracked file as the commit has it, although a cache pattern names it', async () => {
    using bench = new Bench();
    const order = { caches: ['*.txt', 'a.txt'] };
    expect(await bench.run('echo x > a.txt; touch new.txt', order)).toMatchObject({ outcome: 'fail' });
    expect(await bench.run('! grep -qx x a.txt && test ! -e new.txt', order)).toMatchObject(PASS);
  });

  it('forgets the configuration, refs and half-done operations that a check left in its git folder', async () => {
    using bench = new Bench();
    bench.repo.git('config', 'extensions.worktreeConfig', 'true');
    const left = [
      'git config --worktree alias.left status',
      'git update-ref refs/worktree/left HEAD',
      'git bisect start',
      'git rev-parse HEAD > "$(git rev-parse --git-path MERGE_HEAD)"',
    ];
    expect(await bench.run(left.join(' && '))).toMatchObject(PASS);
    const gone = [
      '! git config alias.left',
      '! git rev-parse -q --verify refs/worktree/left',
      '! git bisect log',
      'test ! -e "$(git rev-parse --git-path MERGE_HEAD)"',
    ];
    expect(await bench.run(gone.join(' && '))).toMatchObject(PASS);
  });

  it.each([
    ['a sparse checkout', 'git sparse-checkout set --no-cone /b.txt'],
    ['a file that git was told to skip', 'git update-index --skip-worktree a.txt; rm a.txt'],
  ])('shows every file after a check left %s', async (_name, command) => {
    using bench = new Bench();
    expect(await bench.run(command)).toMatchObject({ outcome: 'fail' });
    expect(await bench.run('test -e a.txt && test -e b.txt && test -z "$(git status --porcelain)"')).toMatchObject(PASS);
  });

  it('is compared byte for byte and mode for mode, whatever the repository’s configuration overlooks', async () => {
    using bench = new Bench();
    for (const [key, value] of Object.entries({ 'core.fileMode': 'false', 'core.trustctime': 'false', 'core.checkStat': 'minimal' }))
      bench.repo.git('config', key, value);
    expect(await bench.run('chmod +x a.txt')).toMatchObject({ detail: expect.stringContaining('changed a.txt') });
    expect(await bench.run('test ! -x a.txt')).toMatchObject(PASS);
    const disguise = 'cp -p a.txt old.ignored && tr a b < old.ignored > a.txt && touch -r old.ignored a.txt';
    expect(await bench.run(disguise)).toMatchObject({ detail: expect.stringContaining('changed a.txt') });
    expect(await bench.run('grep -q a a.txt')).toMatchObject(PASS);
  });

  it('shows the bytes of a clone, whatever attributes the user keeps outside the tree', async () => {
    using bench = new Bench();
    bench.repo.write({ 'info/attributes': '*.txt eol=crlf filter=loud\n' }, bench.repo.gitDir);
    bench.repo.git('config', 'filter.loud.smudge', 'tr a-z A-Z');
    expect(await bench.run('! grep -q "$(printf "\\r")" a.txt && grep -qx "a 0" a.txt')).toMatchObject(PASS);
  });

  it('is replaced when what a check left cannot be removed', async () => {
    using bench = new Bench();
    // Deeper than a path may be long: `git clean` fails on it.
    const deep = 'p=$(printf "%0200d/" $(seq 15)); mkdir -p a/$p b/$p && mv b a/$p';
    expect(await bench.run(deep)).toMatchObject(PASS);
    expect(await bench.run('test "$(ls | wc -l)" = 3')).toMatchObject(PASS);
  });

  it('does not follow a commit or a branch that a check made', async () => {
    using bench = new Bench();
    expect(await bench.run(`git checkout -q -b left && git ${IDENTITY} commit -q --allow-empty -m x`)).toMatchObject({ outcome: 'fail' });
    expect(await bench.run(`test "$(git rev-parse HEAD)" = ${bench.commit} && ! git symbolic-ref -q HEAD`)).toMatchObject(PASS);
    writeFileSync(join(bench.repo.gitDir, 'worktrees', '1', 'HEAD'), 'ref: refs/heads/main\n');
    const other = bench.repo.commitOn(bench.commit, { 'a.txt': 'other\n' });
    expect(await bench.run('grep -qx other a.txt', { commit: other })).toMatchObject(PASS);
    expect(bench.repo.git('rev-parse', 'main')).toBe(bench.commit);
    expect(readFileSync(join(bench.repo.gitDir, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
  });
});
