import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { placeFrom } from '../../../src/api/place.ts';
import { readGitFolder } from '../../../src/config/trust/git-folder.ts';
import { FurrowError } from '../../../src/platform/error.ts';
import { logExec } from '../../../src/platform/exec.ts';
import { fingerprint, refFiles } from '../../../src/platform/fingerprint.ts';
import { linkedWorktrees } from '../../../src/platform/git/admin.ts';
import { borrowedStores } from '../../../src/platform/git/alternates.ts';
import { waitingFiles } from '../../../src/platform/git/blocking-files.ts';
import { mergeOne } from '../../../src/platform/git/merge-tree.ts';
import { createRef, deleteRefs, listRefs } from '../../../src/platform/git/refs.ts';
import { findRepo } from '../../../src/platform/git/repository.ts';
import { git } from '../../../src/platform/git/run.ts';
import { GIT_FILES, type GitFile, type Kind, planting } from '../../support/git-files.ts';
import { gitRepo, type TestRepo } from './repo.ts';

const SECRET = 'canary-5d07b1';

/** What a farm does with a git folder again and again, without a farm. */
const LOOKS: Readonly<Record<string, (repo: TestRepo) => unknown>> = {
  place: ({ root }) => placeFrom(root),
  settings: (repo) => readGitFolder({ ...repo, own: [], hooks: join(repo.gitDir, 'hooks') }).folder,
  borrowed: ({ gitDir }) => borrowedStores(gitDir),
  worktrees: (repo) => linkedWorktrees(repo),
};
const GITS: typeof LOOKS = {
  find: ({ root }) => findRepo(root),
  refs: (repo) => listRefs(repo, 'refs/'),
  status: (repo) => git(repo, ['status', '--porcelain']),
  pin: async (repo) => {
    const oid = readFileSync(join(repo.root, 'oid'), 'utf8');
    await createRef(repo, 'refs/furrow/pin/x', oid);
    return deleteRefs(repo, [{ ref: 'refs/furrow/pin/x', oid }]);
  },
};

/** The answers, each as text. An error that is no sentence for a person is thrown on. */
async function ask(repo: TestRepo, looks: typeof LOOKS): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, look] of Object.entries(looks))
    try {
      found[name] = JSON.stringify(await look(repo));
    } catch (error) {
      if (!(error instanceof FurrowError)) throw error;
      found[name] = `${error.message} ${error.hint}`;
    }
  return found;
}

/** They hand on what the file says; its readers judge it. Only a file outside must not be in it. */
const HANDED_ON = ['borrowed', 'worktrees'];

const FILES = GIT_FILES.filter(({ path }) => !path.includes('*'));
/** Those that need no 2 GB and keep no git waiting for seconds; `npm run storm -- hostile --only files` takes the others, too. */
const QUICK: readonly Kind[] = ['link', 'loop', 'symref', 'garbage', 'empty', 'folder'];

/** Git's own messages have their lines, or all of git depends on them: these with every kind. Each other file has two, by turns. */
const ALWAYS = ['HEAD', 'commondir', 'packed-refs', 'shallow', 'objects/info/alternates', 'config'];
const isDue = ({ path }: GitFile, n: number, kind: Kind) => ALWAYS.includes(path) || n % 3 === QUICK.indexOf(kind) % 3;

describe('whatever lies in the place of a file below .git', () => {
  let repo: TestRepo;
  let outside: string;
  let oid: string;
  let healthy: Record<string, string> | undefined;
  const absent: Record<string, Record<string, string>> = {};
  beforeAll(async () => {
    repo = await gitRepo();
    outside = join(dirname(repo.root), 'outside');
    writeFileSync(outside, `${SECRET}\n`);
    oid = repo.sh(['rev-parse', 'HEAD']);
    for (const { path } of FILES.filter((file) => file.path.startsWith('refs/') && !file.path.startsWith('refs/replace')))
      if (!existsSync(join(repo.gitDir, path))) repo.sh(['update-ref', path, oid]);
    writeFileSync(join(repo.root, 'oid'), oid);
    mkdirSync(join(repo.gitDir, 'modules/sub'), { recursive: true });
    repo.sh(['worktree', 'add', '-q', '--detach', join(dirname(repo.root), '1')]);
    cpSync(repo.gitDir, join(repo.gitDir, '../../kept'), { recursive: true });
    return () => repo[Symbol.asyncDispose]();
  });

  const kept = (path: string) => join(dirname(repo.root), 'kept', path);
  const put = (file: string, lines: string) => execFileSync('sh', ['-c', lines], { env: { ...process.env, F: file }, stdio: 'pipe' });
  const heal = (named: string) => {
    const path = named.replace('REPLACED', oid);
    const file = join(repo.gitDir, path);
    rmSync(file, { recursive: true, force: true });
    if (existsSync(kept(path))) cpSync(kept(path), file, { recursive: true });
  };

  /** Every answer is that of a healthy file or of none, or names the file, and shows nothing of a file outside. */
  async function holds({ path }: GitFile, kind: Kind, looks: typeof LOOKS): Promise<string[]> {
    const file = join(repo.gitDir, path.replace('REPLACED', oid));
    healthy ??= await ask(repo, { ...LOOKS, ...GITS });
    rmSync(file, { recursive: true, force: true });
    absent[path] ??= existsSync(kept(path)) ? await ask(repo, looks) : healthy;
    put(file, planting(kind, outside));
    const before = statSync(outside).mtimeMs;
    const now = await ask(repo, looks).finally(() => heal(path));
    const end = path.split('/').slice(-2).join('/');
    const wrong = Object.entries(now).flatMap(([name, text]) => {
      if (text.includes(SECRET)) return [`${name} shows ${text}`];
      const as = [healthy![name], absent[path]![name]];
      return HANDED_ON.includes(name) || as.includes(text) || text.includes(end) ? [] : [`${name} says ${text}`];
    });
    if (statSync(outside).mtimeMs !== before || readFileSync(outside, 'utf8') !== `${SECRET}\n`) wrong.push('a file outside changed');
    return wrong.map((text) => `${path} ${kind}: ${text}`);
  }

  it.each(QUICK)('as %s: furrow works as with a healthy file or with none, or names it', async (kind) => {
    const wrong: string[] = [];
    const due = FILES.filter((file, n) => isDue(file, n, kind));
    for (const file of due) wrong.push(...(await holds(file, kind, { ...LOOKS, ...GITS })));
    expect(wrong).toEqual([]);
  });

  it('as a named pipe: no look without git waits, and it is found', async () => {
    const wrong: string[] = [];
    for (const file of FILES.filter(({ path }) => path !== 'refs/replace/REPLACED')) {
      wrong.push(...(await holds(file, 'pipe', LOOKS)));
      put(join(repo.gitDir, file.path), planting('pipe', outside));
      const found = waitingFiles(repo.gitDir, true).some(({ path }) => path === join(repo.gitDir, file.path));
      if (!found && !file.path.startsWith('hooks') && !file.path.startsWith('branches')) wrong.push(`${file.path} is not found`);
      heal(file.path);
    }
    expect(wrong).toEqual([]);
  });
});

describe('gigabytes in the place of a file below .git', () => {
  const huge = (repo: TestRepo, name: string) => {
    const F = join(repo.gitDir, name);
    execFileSync('sh', ['-c', planting('huge', '')], { env: { ...process.env, F } });
    return F;
  };

  it.each(['HEAD', 'packed-refs', 'shallow', 'index', 'objects/info/alternates', 'info/exclude', 'info/attributes'])(
    'as %s are named, and no git reads them',
    async (name) => {
      await using repo = await gitRepo();
      const file = huge(repo, name);
      let started = 0;
      logExec(() => void started++);
      await expect(git(repo, ['status', '--porcelain'])).rejects.toThrow(`${file} has 2098 MB`);
      logExec(() => {});
      expect(started).toBe(0);
    },
  );

  it('as a ref are found like a named pipe; a long reflog is none of it', async () => {
    await using repo = await gitRepo();
    const path = huge(repo, 'refs/tags/v1');
    huge(repo, 'logs/refs/tags/v1');
    expect(waitingFiles(repo.gitDir)).toEqual([{ path, what: 'far too large for a ref' }]);
  });
});

it('a link to itself in the place of a ref is a state like any other for whoever looks for changes', async () => {
  await using repo = await gitRepo();
  const [branch = ''] = refFiles(repo.gitDir, 'looped');
  const before = fingerprint(branch);
  symlinkSync(branch, branch);
  expect(fingerprint(branch)).not.toBe(before);
});

it('a borrowed store of objects that is not there changes no merge: git only mentions it', async () => {
  await using repo = await gitRepo();
  const base = repo.sh(['rev-parse', 'HEAD']);
  repo.write('b.txt', 'b\n');
  const theirs = repo.commit('b');
  for (const line of ['/nowhere', 'ref: refs/heads/other', 'garbage \x01']) {
    writeFileSync(join(repo.gitDir, 'objects/info/alternates'), `${line}\n`);
    expect((await mergeOne(repo, base, theirs)).answer?.clean, line).toBe(true);
  }
});

it('a farm whose HEAD was replaced is still found, so that its daemon can be stopped; any other folder is told what is broken', async () => {
  await using repo = await gitRepo();
  rmSync(join(repo.gitDir, 'HEAD'));
  mkdirSync(join(repo.gitDir, 'HEAD'));
  expect(() => placeFrom(repo.root)).toThrow(`${join(repo.gitDir, 'HEAD')} names neither a branch nor a commit`);
  mkdirSync(join(repo.gitDir, 'furrow.run'));
  expect(placeFrom(repo.root)).toEqual({ root: repo.root, gitDir: repo.gitDir, here: repo.gitDir });
});

it('the table of docs/security.md names every file of the matrix, by itself or by the folder that it is in', () => {
  const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| in `.git` |'), page.indexOf('| keys of the configuration |'));
  const above = (path: string) => path.split('/').map((_, n, parts) => parts.slice(0, n + 1).join('/'));
  expect(GIT_FILES.filter(({ path }) => !above(path).some((name) => table.includes(`\`${name}\``))).map(({ path }) => path)).toEqual([]);
});
