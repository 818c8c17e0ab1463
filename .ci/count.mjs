// Says which tests failed, runs their files once more by themselves, and prints the count as the last line.
// The same rule as that of the queue (`retries: 1`): what fails among four workers and passes alone is unsteady. It is
// named, so that somebody mends it, and more than UNSTEADY of them are a failure: then the suite itself is not to be trusted.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const UNSTEADY = 3;
const codes = { tests: Number(process.argv[2]), agents: Number(process.argv[3]) };

const first = read('.ci/result.json');
const failed = failures(first);
for (const test of failed) console.log(`failed: ${test.name}\n${test.words}\n`);

const again = failed.length ? runAgain([...new Set(failed.map(({ file }) => file))]) : [];
const names = new Set(again.map(({ name }) => name));
const unsteady = failed.filter(({ name }) => !names.has(name));
for (const { name } of again) console.log(`failed again, alone: ${name}`);
for (const { name } of unsteady) console.log(`unsteady, passed alone: ${name}`);

const last = readFileSync('.ci/agents.log', 'utf8').trimEnd().split('\n').at(-1);
const agents = /^(\d+) passed, (\d+) failed$/.exec(last) ?? [0, 0, 1];
const lost = unsteady.length > UNSTEADY ? failed.length : again.length;
// A runner that ended badly without a failed test (a leak, a crash of its own) has failed all the same.
const silent = codes.tests !== 0 && failed.length === 0 ? 1 : 0;
const bad = lost + silent + Math.max(Number(agents[2]), codes.agents === 0 ? 0 : 1);
console.log(`${first.numPassedTests + failed.length - lost + Number(agents[1])} passed, ${bad} failed`);
process.exit(bad === 0 ? 0 : 1);

function runAgain(files) {
  const run = spawnSync(
    'npx',
    ['vitest', 'run', ...files, '--maxWorkers=1', '--reporter=default', '--reporter=json', '--outputFile=.ci/again.json'],
    { stdio: 'inherit' },
  );
  const left = existsSync('.ci/again.json') ? failures(read('.ci/again.json')) : [{ name: files.join(', ') }];
  return run.status === 0 || left.length > 0 ? left : [{ name: 'the second run ended badly' }];
}

function failures(result) {
  return result.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [{ file, name: file, words: message }] : [];
    return tests.map((test) => ({
      file,
      name: `${file} > ${test.fullName}`,
      words: (test.failureMessages ?? []).join('\n').slice(0, 2000),
    }));
  });
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
