import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { exec } from '../../src/platform/exec.ts';

/** What tools/agents.mjs says of an agent. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** The folder with its program; null when it is not there. */
  readonly bin: string | null;
  readonly reason: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    installed: readonly Installed[];
  }
}

/**
 * Where the tests have their temporary folders: not in the machine's, which everybody may write to, because one of the
 * agents refuses settings below such a folder. One for each run, so that two of them at a time do not count each other's.
 */
export const TEMPORARY = join(homedir(), '.cache', `furrow-test-${process.pid}`);

/** Before all tests: what is installed. After them: nothing may lie in the temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const installer = fileURLToPath(new URL('../../tools/agents.mjs', import.meta.url));
  const env = process.env as Record<string, string>;
  const listed = await exec([process.execPath, installer, '--list', '--json'], { cwd: process.cwd(), env, timeoutMs: 60_000 });
  project.provide('installed', JSON.parse(listed.stdout) as Installed[]);
  await mkdir(TEMPORARY, { recursive: true, mode: 0o700 });
  return async () => {
    const left = await readdir(TEMPORARY);
    if (left.length > 0) throw new Error(`left behind in ${TEMPORARY}: ${left.join(', ')}`);
    await rmdir(TEMPORARY);
  };
}
