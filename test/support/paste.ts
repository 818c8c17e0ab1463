import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/platform/exec.ts';
import { BIN } from './farm.ts';
import { plainEnv, type TestRepo } from './repo.ts';

/**
 * Runs the shell blocks of a page, named by its path in this repository, in one shell and in order, as somebody does who pastes them, in a
 * repository that they have not trusted. Bash reads no further than the line that it runs, so a command that reads its input takes the lines after it.
 */
export async function paste(repo: TestRepo, page: string, cwd: string, changed = (script: string) => script) {
  const bin = join(repo.base, 'furrow');
  await writeFile(bin, `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
  await chmod(bin, 0o755);
  await writeFile(join(repo.home, '.gitconfig'), '[user]\n\tname = Test\n\temail = test@furrow.invalid\n');
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const script = changed(blocks.map((block, n) => `echo "== ${n + 1}"\n${block}`).join('\n'));
  const env = plainEnv(repo);
  return exec(['bash', '-s'], {
    cwd,
    env: { ...env, FURROW_TRUST: '', PATH: `${repo.base}:${env['PATH']}` },
    input: `set -e\n${script}`,
    timeoutMs: 110_000,
  });
}
