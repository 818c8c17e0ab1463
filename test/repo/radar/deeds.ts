import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { gitRepo, type TestRepo } from '../../platform/git/repo.ts';

/** An agent's worktree in a repository that has a branch `theirs`, which changed the same readme. */
export interface Bench {
  readonly repo: TestRepo;
  readonly path: string;
  /** The agent's own git in its worktree. */
  git(...args: string[]): string;
}

export async function workplace(): Promise<TestRepo> {
  const repo = await gitRepo();
  repo.sh(['switch', '-q', '-c', 'theirs']);
  repo.write('readme.md', 'theirs\n');
  repo.commit('theirs');
  repo.sh(['switch', '-q', 'main']);
  return repo;
}

let count = 0;

export function bench(repo: TestRepo): Bench {
  const path = join(repo.places.worktrees, 'p', `ada-${++count}`);
  repo.sh(['worktree', 'add', '-q', '-b', `furrow/p/ada-${count}/7`, path, 'main']);
  return { repo, path, git: (...args) => repo.sh(args, path) };
}

const write = ({ path }: Bench, name: string, text: string) => {
  rmSync(join(path, name), { recursive: true, force: true });
  mkdirSync(join(path, name, '..'), { recursive: true });
  writeFileSync(join(path, name), text);
};

/** Each a state that an agent's worktree may be in. They work on whatever the ones before left. */
export const DEEDS: Record<string, (bench: Bench) => void> = {
  'an unstaged edit': (b) => write(b, 'readme.md', 'edited\n'),
  'an edit of the same size': (b) => write(b, 'readme.md', 'HELLO\n'),
  'a staged edit, then another': (b) => {
    write(b, 'both.txt', 'staged\n');
    b.git('add', 'both.txt');
    write(b, 'both.txt', 'and changed again\n');
  },
  'untracked files, one of them ignored, one with a name that is not UTF-8': (b) => {
    write(b, 'new dir/file', 'new\n');
    write(b, 'build/out', 'ignored\n');
    writeFileSync(Buffer.from(`${b.path}/latin-\xe9`, 'latin1'), 'bytes\n');
  },
  'an ignored file that was added by force': (b) => {
    write(b, '.env', 'secret=1\n');
    b.git('add', '-f', '.env');
    write(b, '.env', 'secret=2\n');
  },
  'a deleted file': (b) => rmSync(join(b.path, 'src/a.txt'), { force: true }),
  'a renamed file': (b) => {
    write(b, 'src/from.txt', 'to be renamed\n');
    b.git('add', 'src/from.txt');
    rmSync(join(b.path, 'src/to.txt'), { force: true });
    renameSync(join(b.path, 'src/from.txt'), join(b.path, 'src/to.txt'));
  },
  'a file made executable': (b) => {
    write(b, 'src/run.sh', '#!/bin/sh\n');
    b.git('add', 'src/run.sh');
    chmodSync(join(b.path, 'src/run.sh'), 0o755);
  },
  'a link that leads out': (b) => {
    rmSync(join(b.path, 'out'), { force: true });
    symlinkSync(b.repo.places.run, join(b.path, 'out'));
  },
  'a file replaced by a folder': (b) => {
    rmSync(join(b.path, 'readme.md'), { recursive: true, force: true });
    write(b, 'readme.md/inner', 'x\n');
  },
  'an intent to add': (b) => {
    write(b, 'intended.txt', 'soon\n');
    b.git('add', '-N', 'intended.txt');
  },
  'a submodule with a new commit': (b) => {
    const inner = join(b.path, 'sub');
    mkdirSync(inner, { recursive: true });
    b.repo.sh(['init', '-q'], inner);
    b.repo.sh(['commit', '-q', '--allow-empty', '-m', 'first'], inner);
    const id = b.repo.sh(['rev-parse', 'HEAD'], inner);
    b.git('update-index', '--add', '--cacheinfo', `160000,${id},sub`);
    b.repo.sh(['commit', '-q', '--allow-empty', '-m', 'second'], inner);
  },
  'a sparse checkout': (b) => {
    b.git('sparse-checkout', 'set', '--no-cone', '/readme.md', '/.gitignore');
    write(b, 'readme.md', 'the only one here\n');
  },
  'a merge half-way, with conflicts': (b) => {
    write(b, 'readme.md', 'ours\n');
    b.git('commit', '-q', '-m', 'ours', '--', 'readme.md');
    // Stops at the conflict.
    expect(() => b.git('merge', '-q', 'theirs')).toThrow();
  },
  'a merge half-way, its conflicting file removed': (b) => {
    DEEDS['a merge half-way, with conflicts']?.(b);
    rmSync(join(b.path, 'readme.md'));
  },
  'a merge half-way, a folder where its conflicting file was': (b) => {
    DEEDS['a merge half-way, with conflicts']?.(b);
    DEEDS['a file replaced by a folder']?.(b);
  },
  'all committed': (b) => {
    b.git('add', '-A');
    b.git('commit', '-q', '--allow-empty', '-m', 'all of it');
  },
};
