import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { exec } from '../../src/platform/exec.ts';
import { type Report, runEscapes, type Tried } from '../../src/repo/escapes/suite.ts';
import { tryMutants } from './fence/mutants.ts';
import type { Scenario } from './scenario.ts';

/** Every escape as this user and, started by root, as nobody; then broken fences, each of which must be noticed. */
export const fence: Scenario = async ({ only, minutes, mutant = '', say }) => {
  const violations: string[] = [];
  const facts: Record<string, unknown> = {};
  if (only !== 'mutants')
    for (const level of ['guard', 'strict'] as const)
      for (const [who, run] of [
        ['this user', () => runEscapes({ level })],
        ...(process.getuid?.() === 0 ? [['nobody', () => asNobody(level)] as const] : []),
      ] as const) {
        const { escapes, needs } = await run();
        facts[`${level}, ${who}`] = `${escapes.length} escapes, ${needs.length} needs`;
        violations.push(...failed({ escapes, needs }).map(({ name, how }) => `${level} as ${who}: ${name}: ${how}`));
        say(`${level} as ${who}: ${escapes.length} tries, ${failed({ escapes, needs }).length} wrong`);
      }
  if (only !== 'suite')
    for (const level of ['guard', 'strict'] as const) {
      const { all, silent, noticed, unnoticed, left, seconds } = await tryMutants(level, { say, minutes: minutes ?? 60, named: mutant });
      facts[`mutants of ${level}`] =
        `${all} in ${seconds} s: ${noticed} noticed, ${unnoticed.length} not, ${silent} named with a reason, ${left} not tried`;
      violations.push(...unnoticed.map((name) => `nothing breaks at ${level} with ${name}`));
      if (left > 0) violations.push(`${left} mutants of ${level} were not tried in the time`);
    }
  return { facts, violations };
};

const failed = ({ escapes, needs }: Report): Tried[] => [...needs, ...escapes].filter(({ ok }) => !ok);

/** The suite as a program of its own, in a folder that everybody may read, run by the user nobody. */
async function asNobody(level: 'guard' | 'strict'): Promise<Report> {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'furrow-nobody-')));
  try {
    await chmod(place, 0o755);
    const suite = fileURLToPath(new URL('../../src/repo/escapes/suite.ts', import.meta.url));
    await writeFile(
      join(place, 'main.ts'),
      `import { runEscapes } from ${JSON.stringify(suite)};\nconsole.log(JSON.stringify(await runEscapes({ level: ${JSON.stringify(level)} })));\n`,
    );
    const bundle = await rolldown({ input: join(place, 'main.ts'), platform: 'node' });
    // As in a package: the program that runs inside a fence is found beside, and shown with it.
    const main = join(place, 'dist', 'suite', 'main.mjs');
    await bundle.write({ file: main, format: 'esm', codeSplitting: false });
    await bundle.close();
    const inner = await rolldown({
      input: fileURLToPath(new URL('../../src/repo/network/forward/main.ts', import.meta.url)),
      platform: 'node',
    });
    await inner.write({ file: join(place, 'dist', 'repo', 'network', 'forward', 'main.cjs'), format: 'cjs', codeSplitting: false });
    await inner.close();
    const node = join(place, 'node');
    await copyFile(process.execPath, node);
    await chmod(node, 0o755);
    await mkdir(join(place, 'tmp'));
    await chmod(join(place, 'tmp'), 0o777);
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TMPDIR: join(place, 'tmp') };
    const user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] as const;
    const done = await exec([...user, node, main], { cwd: place, env, timeoutMs: 300_000 });
    if (done.code !== 0) throw new Error(`the suite as nobody: exit ${done.code}: ${done.stderr.slice(0, 500)}`);
    return JSON.parse(done.stdout) as Report;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
