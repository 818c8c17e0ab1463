import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkedAt } from '../../../src/platform/git/admin.ts';
import { fillSubmodules } from '../../../src/platform/git/submodules/fill.ts';
import { disposable, toTrash } from '../../../src/repo/worktree/dispose.ts';
import { farm, type TestFarm } from './farm.ts';

/** A repository with the submodule `lib`, which has the submodule `inner`. The commit has both. */
async function withSubmodules(): Promise<TestFarm & { at: string; lib: string }> {
  const f = await farm();
  const libs = (name: string) => join(f.root, '..', `${name}-origin`);
  for (const name of ['inner', 'lib']) {
    mkdirSync(libs(name), { recursive: true });
    f.sh(['init', '-q', '-b', 'main'], libs(name));
    writeFileSync(join(libs(name), `${name}.txt`), `${name}\n`);
    writeFileSync(join(libs(name), '.gitignore'), '*.o\n');
    f.sh(['add', '-A'], libs(name));
    f.sh(['commit', '-q', '-m', name], libs(name));
  }
  const always = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet'];
  f.sh([...always, 'add', libs('inner'), 'inner'], libs('lib'));
  f.sh(['commit', '-q', '-m', 'with inner'], libs('lib'));
  f.sh([...always, 'add', libs('lib'), 'lib']);
  f.sh([...always, 'update', '--init', '--recursive']);
  f.sh(['commit', '-q', '-m', 'with lib']);
  return { ...f, at: f.sh(['rev-parse', 'HEAD']), lib: libs('lib') };
}

/** Puts a link in the place of a file that furrow reads. */
function linkHead(f: TestFarm, lib: string): void {
  const folder = f.sh(['rev-parse', '--absolute-git-dir'], lib);
  renameSync(join(folder, 'HEAD'), join(folder, 'HEAD.moved'));
  symlinkSync('HEAD.moved', join(folder, 'HEAD'));
}

describe('submodules of a worktree', () => {
  it("are filled from the person's clone, without their origins, and people's git finds nothing to do", async () => {
    await using f = await withSubmodules();
    for (const name of ['inner', 'lib']) rmSync(join(f.root, '..', `${name}-origin`), { recursive: true });
    await f.prepare('ada', '1', { base: f.at });
    const path = f.pathOf('ada');
    expect(readFileSync(join(path, 'lib/lib.txt'), 'utf8')).toBe('lib\n');
    expect(readFileSync(join(path, 'lib/inner/inner.txt'), 'utf8')).toBe('inner\n');
    expect(f.sh(['status', '--porcelain'], path)).toBe('');
    expect(f.sh(['log', '-1', '--format=%s'], join(path, 'lib'))).toBe('with inner');
    expect(f.sh(['submodule', 'status', '--recursive'], path)).toMatch(/^ ?[0-9a-f]{40} lib .*\n [0-9a-f]{40} lib\/inner/);
    f.sh(['submodule', 'update', '--init', '--recursive'], path);
  });

  it('are at the commit of the next task, keep what git ignores, and go with the worktree', async () => {
    await using f = await withSubmodules();
    await f.prepare('ada', '1', { base: f.at });
    const path = f.pathOf('ada');
    writeFileSync(join(path, 'lib/built.o'), 'x');
    writeFileSync(join(f.root, 'lib/lib.txt'), 'newer\n');
    f.sh(['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qam', 'newer'], join(f.root, 'lib'));
    f.sh(['commit', '-qam', 'newer lib']);
    expect(await f.prepare('ada', '2', { base: f.sh(['rev-parse', 'HEAD']) })).toMatchObject({ created: false });
    expect([readFileSync(join(path, 'lib/lib.txt'), 'utf8'), existsSync(join(path, 'lib/built.o'))]).toEqual(['newer\n', true]);
    expect(await disposable(f, path, { target: 'HEAD' })).toMatchObject({ ok: true });
    await toTrash(f, path);
    expect(existsSync(join(f.places.dir, 'submodules', 'ada'))).toBe(false);
    // A commit without them.
    await f.prepare('bob', '1', { base: f.at });
    await f.prepare('bob', '2', { base: f.base });
    expect(existsSync(join(f.pathOf('bob'), 'lib'))).toBe(false);
  });

  it.each<[string, (lib: string, f: TestFarm) => void]>([
    ['a changed file', (lib) => writeFileSync(join(lib, 'lib.txt'), 'mine')],
    ['a new file', (lib) => writeFileSync(join(lib, 'new.txt'), 'mine')],
    ['a commit', (lib, f) => f.sh(['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'mine'], lib)],
    ['a branch', (lib, f) => f.sh(['branch', 'mine'], lib)],
    ['a link in place of its HEAD', (lib, f) => linkHead(f, lib)],
    ['a file of the inner one', (lib) => writeFileSync(join(lib, 'inner/inner.txt'), 'mine')],
  ])('in which somebody worked are neither removed nor changed: %s', async (_name, work) => {
    await using f = await withSubmodules();
    await f.prepare('ada', '1', { base: f.at });
    const path = f.pathOf('ada');
    work(join(path, 'lib'), f);
    expect(await disposable(f, path, { target: 'HEAD' })).toMatchObject({ ok: false });
    const next = await f.prepare('ada', '2', { base: f.at });
    expect(next).toMatchObject({ created: true, kept: { reason: expect.stringMatching(/submodule lib(\/inner)? was changed/) } });
    expect(readFileSync(join(path, 'lib/lib.txt'), 'utf8')).toBe('lib\n');
  });

  it.each([
    ['a name that leads out', 'sub', '../../../evil', 'its name is not plain'],
    ['a name that is an option', 'sub', '-u', 'its name is not plain'],
    ['a name in a git folder', 'sub', 'a/.GIT/b', 'its name is not plain'],
    ['no entry', 'sub', undefined, '.gitmodules does not name it'],
    ['a name that the clone does not have', 'sub', 'other', 'it is not in '],
  ])('of a hostile tree stay empty: %s', async (_name, path, name, why) => {
    await using f = await withSubmodules();
    const link = f.sh(['rev-parse', 'HEAD:lib']);
    f.sh(['rm', '-q', '--cached', 'lib']);
    const text = name === undefined ? '' : `[submodule "${name}"]\n\tpath = ${path}\n\turl = -u./evil\n`;
    writeFileSync(join(f.root, '.gitmodules'), text);
    f.sh(['update-index', '--add', '--cacheinfo', `160000,${link},${path}`]);
    f.sh(['add', '.gitmodules']);
    f.sh(['commit', '-qm', 'hostile']);
    const at = f.sh(['rev-parse', 'HEAD']);
    await f.prepare('ada', '1', { base: at });
    const linked = (await linkedAt(f, f.pathOf('ada')))!;
    expect(await fillSubmodules(f, linked, at)).toEqual([{ path, why: expect.stringContaining(why) }]);
    expect(existsSync(join(f.pathOf('ada'), path, 'lib.txt'))).toBe(false);
  });

  it('follow no link that an agent left in the registration or that lies in .git/modules', async () => {
    await using f = await withSubmodules();
    await f.prepare('ada', '1', { base: f.at });
    const linked = (await linkedAt(f, f.pathOf('ada')))!;
    const victim = join(f.root, '..', 'victim');
    mkdirSync(join(victim, 'lib'), { recursive: true });
    writeFileSync(join(victim, 'lib/precious'), 'x');
    renameSync(join(linked.admin, 'modules'), join(linked.admin, 'moved'));
    symlinkSync(victim, join(linked.admin, 'modules'));
    const empty = await fillSubmodules(f, linked, f.at, true);
    expect(empty).toEqual([{ path: 'lib', why: 'a file or link is in its place' }]);
    expect(existsSync(join(victim, 'lib/precious'))).toBe(true);
    rmSync(join(linked.admin, 'modules'));
    renameSync(join(f.root, '.git/modules/lib'), join(f.root, '..', 'elsewhere'));
    symlinkSync(join(f.root, '..', 'elsewhere'), join(f.root, '.git/modules/lib'));
    expect(await fillSubmodules(f, linked, f.at, true)).toEqual([{ path: 'lib', why: expect.stringContaining('it is not in') }]);
  });
});
