import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Installed } from './installed.ts';

/**
 * `npm run test:agents [-- claude codex … --quick]`: installs what is named, runs its tests, and counts at the end. `--quick`
 * leaves out what takes minutes, by name, and runs two agents at a time.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'furrow-agents-'));
const RESULT = join(FOLDER, 'result.json');
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

interface Result {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

const given = process.argv.slice(2);
const quick = given.includes('--quick');
const words = given.filter((word) => word !== '--quick');
const names = words.filter((word) => !word.startsWith('-'));
const asked = spawnSync(process.execPath, [join(ROOT, 'tools/agents.mjs'), '--json', ...names], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (asked.status === null || asked.status > 1) process.exit(2);
const installed = JSON.parse(asked.stdout) as Installed[];
for (const { name, version, reason } of installed) console.log(`${name} ${version}${reason === null ? '' : ` SKIPPED: ${reason}`}`);

const files = installed.map(({ name }) => `test/real-agents/${name}.test.ts`);
const both = ['claude', 'codex'].every((name) => installed.some((one) => one.name === name));
const vitest = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--config', 'vitest.agents.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${RESULT}`],
    ...words.filter((word) => word.startsWith('-')),
    ...(quick ? ['--fileParallelism', '--maxWorkers=2'] : []),
    ...files,
    ...(both ? ['test/real-agents/mixed.test.ts', 'test/real-agents/orchestrate.test.ts'] : []),
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...(quick && { FURROW_AGENTS_QUICK: '1' }) } },
);
if (!existsSync(RESULT)) {
  console.log('the tests did not come to their end\n0 passed, 1 failed');
  process.exit(1);
}
const result = JSON.parse(readFileSync(RESULT, 'utf8')) as Result;
for (const { name, assertionResults } of result.testResults) {
  const count = (status: string) => assertionResults.filter((one) => one.status === status).length;
  const skipped = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ title }) => `\n    ${title}`);
  console.log(
    `${basename(name, '.test.ts')}: ${count('passed')} passed, ${count('failed')} failed, ${skipped.length} SKIPPED${skipped.join('')}`,
  );
}
console.log(`${result.numPassedTests} passed, ${result.numFailedTests} failed`);
process.exitCode = vitest.status === 0 ? 0 : 1;
