import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findKillMethod, jailPrefix } from '../../../src/platform/process/jail.ts';
import { Bench } from './bench.ts';
import { commitOf } from './entries.ts';

describe('a check', () => {
  it('sees exactly the commit, its own environment and nothing of ours, and answers by its exit', async () => {
    using bench = new Bench();
    const other = bench.repo.commitOn(bench.commit, { 'a.txt': 'other\n', 'c.txt': null });
    const passed = await bench.run('test "$CI" = 1 && test -z "$HOME" && cat a.txt && ls', { commit: other });
    expect(passed).toMatchObject({ outcome: 'pass', detail: null });
    expect(bench.output()).toBe('other\na.txt\nb.txt\n');
    expect(await bench.run('exit 3')).toMatchObject({ outcome: 'fail', detail: 'exit 3' });
    expect(await bench.run('kill -SEGV $$')).toMatchObject({ outcome: 'fail', detail: 'ended by SIGSEGV' });
    expect(await bench.run('kill -KILL $$')).toMatchObject({ outcome: 'error', detail: expect.stringContaining('killed') });
    expect(bench.repo.git('status', '--porcelain')).toBe('');
  });

  it('runs in its folder, and is red where that is none of the tree', async () => {
    using bench = new Bench();
    const start = bench.repo.commitOn(bench.commit, { 'api/x/y': 'y\n', 'api/x/z': 'z\n' });
    expect(await bench.run('test -f y && test -f ../../a.txt', { commit: start, dir: 'api/x' })).toMatchObject({ outcome: 'pass' });
    const none = { outcome: 'fail', detail: 'the check unit runs in api, and there is no such folder' };
    expect(await bench.run('true', { dir: 'api' })).toMatchObject(none);
    const link = commitOf(bench.repo, [bench.commit], { api: { link: '/usr' } });
    expect(await bench.run('true', { commit: link, dir: 'api' })).toMatchObject(none);
  });

  it('starts each time from a clean tree, caches excepted', async () => {
    using bench = new Bench();
    bench.repo.write({ 'info/exclude': 'node_modules\n' }, bench.repo.gitDir);
    await bench.run('mkdir -p node_modules out/sub && git init -q out/sub && touch node_modules/warm left.ignored out/x', {
      caches: ['node_modules'],
    });
    const again = await bench.run('test -e node_modules/warm && test ! -e left.ignored && test ! -e out', { caches: ['node_modules'] });
    expect(again.outcome).toBe('pass');
  });

  it.each([
    ['writes a tracked file', 'echo x >> a.txt', 'changed a.txt'],
    ['hides that it did', 'git update-index --assume-unchanged a.txt; echo x >> a.txt', 'changed a.txt'],
    ['commits', 'git -c user.name=a -c user.email=b commit -q --allow-empty -m x', 'moved to another commit'],
  ])('that %s is red, whatever it says, and the next one is not misled', async (_name, command, said) => {
    using bench = new Bench();
    expect(await bench.run(command)).toMatchObject({ outcome: 'fail', detail: expect.stringContaining(said) });
    expect(await bench.run('! grep -q x a.txt')).toMatchObject({ outcome: 'pass' });
  });

  it('is not taken for an answer about a tree that it did not see', async () => {
    using bench = new Bench();
    const tree = bench.repo.git('rev-parse', `${bench.repo.commitOn(bench.commit, { x: 'x' })}^{tree}`);
    expect(await bench.run('touch ran', { tree })).toMatchObject({ outcome: 'error' });
    expect(existsSync(join(bench.path, 'ran'))).toBe(false);
  });

  it('that takes too long has failed, and whatever it started is gone, in any session', async () => {
    using bench = new Bench();
    const strays = 'setsid sleep 60 & (setsid sh -c "trap \\"\\" TERM HUP; sleep 60" &)';
    expect(await bench.run(`${strays}; sleep 60`, { timeoutMs: 300 })).toMatchObject({ outcome: 'fail', detail: 'timed out after 300ms' });
    expect(bench.left()).toEqual([]);
    const started = performance.now();
    expect(await bench.run(`${strays}; exit 0`)).toMatchObject({ outcome: 'pass' });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(bench.left()).toEqual([]);
  });

  it('works in a jail, and there too leaves nobody', async () => {
    using bench = new Bench();
    const jail = jailPrefix(await findKillMethod(), bench.marker);
    expect(await bench.run('setsid sleep 60 & echo in; exit 0', { jail })).toMatchObject({ outcome: 'pass' });
    expect(await bench.run('exit 4', { jail })).toMatchObject({ outcome: 'fail', detail: 'exit 4' });
    expect(bench.left()).toEqual([]);
  });

  it('that is cancelled rejects, and its processes are gone', async () => {
    using bench = new Bench();
    const abort = new AbortController();
    const running = bench.run('setsid sleep 60 & echo up; sleep 60', { signal: abort.signal });
    while (!existsSync(bench.log) || !bench.output().includes('up')) await new Promise((next) => setTimeout(next, 10));
    abort.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(bench.left()).toEqual([]);
  });

  it('cannot fill the disk with its output', async () => {
    using bench = new Bench();
    expect(await bench.run('head -c 40000000 /dev/zero; echo; echo the end')).toMatchObject({ outcome: 'pass' });
    expect(statSync(bench.log).size).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it('gets a new slot when the old one is past use', async () => {
    using bench = new Bench();
    await bench.run('true');
    const admin = join(bench.repo.gitDir, 'worktrees', '1');
    const victim = join(bench.repo.folder, 'victim');
    writeFileSync(victim, 'mine\n');
    const damages = [
      () => writeFileSync(join(admin, 'index.lock'), ''),
      () => writeFileSync(join(admin, 'index'), 'rubbish'),
      () => writeFileSync(join(bench.path, '.git'), 'gitdir: /nonexistent\n'),
      () => {
        mkdirSync(join(admin, 'logs'), { recursive: true });
        rmSync(join(admin, 'logs', 'HEAD'), { force: true });
        symlinkSync(victim, join(admin, 'logs', 'HEAD'));
      },
    ];
    for (const damage of damages) {
      damage();
      const commit = bench.repo.commitOn(bench.commit, { round: `${damages.indexOf(damage)}` });
      expect(await bench.run('test -e a.txt && git status', { commit })).toMatchObject({ outcome: 'pass' });
    }
    expect(readFileSync(victim, 'utf8')).toBe('mine\n');
  });

  it('keeps what it checks from the user’s own gc', async () => {
    using bench = new Bench();
    const loose = bench.repo.commitOn(bench.commit, { 'a.txt': 'loose\n' });
    bench.repo.git('update-ref', '-d', 'refs/test/scratch');
    expect(await bench.run('grep -q loose a.txt', { commit: loose })).toMatchObject({ outcome: 'pass' });
    bench.repo.gitIn(bench.path, '-c', 'core.logAllRefUpdates=false', 'checkout', '-q', '--detach', bench.commit);
    bench.repo.git('gc', '-q', '--prune=now');
    expect(bench.repo.git('cat-file', '-t', loose)).toBe('commit');
  });
});
