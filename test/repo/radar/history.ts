import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Repo } from '../../../src/platform/git/run.ts';

/** A commit's files, by path. */
export type Files = Readonly<Record<string, string>>;

export interface Story {
  /** The target's commits, oldest first. */
  readonly target: readonly Files[];
  /** Branches: from which of the target's commits, and what is in them. */
  readonly branches: readonly { readonly from: number; readonly files: Files }[];
}

export interface Told {
  readonly target: readonly string[];
  readonly branches: readonly string[];
}

export interface TestRepo extends Repo, Disposable {
  readonly folder: string;
  /** Adds such a history to the repository, by one `fast-import`, and gives its commits. */
  tell(story: Story): Told;
  /** The user's git, and how it ended. */
  git(...args: string[]): { code: number; out: string };
}

export function emptyRepo(): TestRepo {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-radar-')));
  const root = join(folder, 'repo');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: root, env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  run(['init', '-q', '-b', 'main']);
  let told = 0;
  return {
    folder,
    root,
    gitDir: join(root, '.git'),
    tell(story) {
      const marks = join(folder, 'marks');
      run(['fast-import', '--quiet', '--force', `--export-marks=${marks}`], stream(story, ++told));
      const ids = new Map(
        readFileSync(marks, 'utf8')
          .split('\n')
          .map((line): [string, string] => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
      );
      const id = (n: number) => ids.get(`:${n}`) ?? '';
      return {
        target: story.target.map((_, n) => id(n + 1)),
        branches: story.branches.map((_, n) => id(story.target.length + n + 1)),
      };
    },
    git(...args) {
      try {
        return { code: 0, out: run(args) };
      } catch (error) {
        const { status, stdout } = error as { status: number; stdout: string };
        return { code: status, out: stdout };
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

function stream({ target, branches }: Story, told: number): string {
  const commit = (ref: string, mark: number, from: number | undefined, files: Files) => [
    `commit ${ref}`,
    `mark :${mark}`,
    `committer Ada <ada@example.org> ${1_700_000_000 + 100 * told + mark} +0000`,
    'data 0',
    ...(from === undefined ? [] : [`from :${from}`]),
    'deleteall',
    ...Object.entries(files).flatMap(([path, text]) => [`M 100644 inline ${path}`, `data ${Buffer.byteLength(text)}`, text]),
    '',
  ];
  return [
    ...target.flatMap((files, n) => commit(`refs/heads/main-${told}`, n + 1, n === 0 ? undefined : n, files)),
    ...branches.flatMap(({ from, files }, n) => commit(`refs/heads/b${told}-${n}`, target.length + n + 1, from + 1, files)),
  ].join('\n');
}

/** A folder that was split conflicts, with no path in conflict. */
export const UNNAMED = '?';

/** The conflicting paths of two commits by a git of their own each: what the radar must find without asking for all. */
export function bruteForce(repo: TestRepo, ours: string, theirs: string): string[] {
  const { code, out } = repo.git('-c', 'merge.directoryRenames=true', 'merge-tree', '--write-tree', '--name-only', '-z', ours, theirs);
  if (code === 0) return [];
  if (code !== 1) throw new Error(`merge-tree: exit ${code}`);
  const rest = out.slice(out.indexOf('\0') + 1);
  if (rest.startsWith('\0')) return [UNNAMED];
  const paths = rest.slice(0, rest.indexOf('\0\0')).split('\0');
  // A file put aside for a folder is called `path~commit`.
  return [...new Set(paths.map((path) => path.replace(/~[0-9a-f]{40}(_\d)?$/, '')))].sort();
}
