import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exec } from '../../../src/platform/exec.ts';
import { shellQuote } from '../../../src/platform/shell.ts';
import { BIN } from '../../support/farm.ts';
import { plainEnv, type TestRepo } from '../../support/repo.ts';

/** The programs that furrow may start in a repository that nobody trusts: its own, git with its parts, and what tells about the machine. */
const ALLOWED = new Set([
  'node',
  'git',
  'tmux',
  'sh',
  'bwrap',
  'env',
  'true',
  'getconf',
  'ps',
  'sysctl',
  'unshare',
  'nohup',
  'setsid',
  'sleep',
  'cat',
  'tail',
  'mkfifo',
  'python3',
  'npm',
]);

/** Runs every command with the kernel's record of each program that it, or the daemon that it starts, has started. */
export async function tracedPrograms(repo: TestRepo, lines: readonly string[][]): Promise<string[]> {
  for (const [n, line] of lines.entries()) {
    const trace = ['strace', '-D', '-f', '-qq', '-s', '400', '-e', 'trace=execve', '-o', join(repo.base, `trace.${n}`)];
    const words = [...trace, process.execPath, BIN, ...line].map(shellQuote).join(' ');
    // Not into our pipes: strace goes on with the daemon, and would keep them open.
    const quiet = ['sh', '-c', `exec ${words} > /dev/null 2>&1`] as const;
    await exec(quiet, { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000, input: '' });
  }
  await exec([process.execPath, BIN, 'stop', '--all', '--now'], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
  const files = (await readdir(repo.base)).filter((name) => name.startsWith('trace.'));
  const texts = await Promise.all(files.map((name) => readFile(join(repo.base, name), 'utf8')));
  const started = texts.flatMap((text) =>
    [...text.matchAll(/execve\("([^"]+)", (\[.*?\]).* = 0$/gm)].map(([, path, words]) => ({ path: path!, words: words! })),
  );
  if (started.length === 0) return ['strace saw no program at all'];
  const wrong = started.filter(
    ({ path, words }) => !isAllowed(path, repo) || words.includes(`${repo.base}/planted`) || words.includes(`${repo.base}/trap.sh`),
  );
  return [...new Set(wrong.map(({ path, words }) => `the kernel saw ${path} ${words.slice(0, 200)}`))];
}

function isAllowed(path: string, repo: TestRepo): boolean {
  if (path.startsWith(repo.root) && !path.startsWith(join(repo.root, '.furrow', 'run', 'bin'))) return false;
  return ALLOWED.has(basename(path)) || /\/git-core\/git[a-z-]*$/.test(path);
}
