import { lstat, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyTree } from '../../platform/copy.ts';
import { exec } from '../../platform/exec.ts';
import { filesOf } from './template.ts';

const ENV = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
const LOOK_MS = 600_000;

/**
 * Moves paths from the folder in which set-up ran into a template. Files with hard links are copied: pnpm and uv link files into a store of
 * the user's, and a template must share no file with anything that is written to.
 */
export async function capture(place: string, paths: readonly string[], making: string): Promise<void> {
  for (const path of paths) {
    const [from, to] = [join(place, path), join(filesOf(making), path)];
    await mkdir(dirname(to), { recursive: true });
    const linked = await lines(['find', from, '-type', 'f', '-links', '+1', '-print', '-quit'], place);
    if (linked.length > 0) await copyTree(from, to);
    else await rename(from, to);
  }
}

/** Files and links of a template, by path, that name the folder in which it was made. Binary files are only counted. */
export async function namesPlace(making: string, place: string): Promise<{ rewrite: string[]; binary: number }> {
  const root = filesOf(making);
  const [files, links] = await Promise.all([
    lines(['grep', '-r', '-l', '--null', '-F', '-e', place, '.'], root),
    lines(['find', '.', '-type', 'l', '-lname', `*${place.replaceAll(/[*?[\\]/g, '\\$&')}*`, '-print0'], root),
  ]);
  const rewrite = [...links];
  let binary = 0;
  for (const path of files) {
    if (!(await readFile(join(root, path))).includes(0)) rewrite.push(path);
    // Compiled Python names its source only for messages, and compares it by time.
    else if (!path.endsWith('.pyc')) binary++;
  }
  return { rewrite: rewrite.map((path) => path.replace(/^\.\//, '')), binary };
}

/** True when a package of the project itself was installed as a copy of its sources, as `pip install .` does (PEP 610). */
export async function installsItself(making: string, rewrite: readonly string[]): Promise<boolean> {
  for (const path of rewrite.filter((one) => one.endsWith('.dist-info/direct_url.json'))) {
    const file = join(filesOf(making), path);
    if (!(await lstat(file)).isFile()) continue;
    if (!/"editable":\s*true/.test(await readFile(file, 'utf8'))) return true;
  }
  return false;
}

async function lines(argv: readonly string[], cwd: string): Promise<string[]> {
  const done = await exec(argv as [string, ...string[]], { cwd, env: ENV, timeoutMs: LOOK_MS });
  if (done.code === null || done.truncated) throw new Error(`${argv[0]} in ${cwd} did not end`);
  return done.stdout.split('\0').filter(Boolean);
}
