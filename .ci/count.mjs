// Says which tests failed, and prints the count as the last line. Nothing is run again: a test that is red once in ten runs hides the
// change that makes it red, so it is mended by its cause.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const codes = { tests: Number(process.argv[2]), agents: Number(process.argv[3]) };

const RESULT = '.ci/result.json';
// A run that was killed wrote nothing; what it says then is one failure, and a last line all the same.
const result = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, 'utf8')) : { numPassedTests: 0, testResults: [] };
const failed = failures(result);
for (const test of failed) console.log(`failed: ${test.name}\n${test.words}\n`);

const last = readFileSync('.ci/agents.log', 'utf8').trimEnd().split('\n').at(-1);
const agents = /^(\d+) passed, (\d+) failed$/.exec(last) ?? [0, 0, 1];
// A runner that ended badly without a failed test (a leak, a crash of its own, tests left out) has failed all the same.
const silent = failed.length === 0 && (codes.tests !== 0 || !existsSync(RESULT)) ? 1 : 0;
const bad = failed.length + silent + Math.max(Number(agents[2]), codes.agents === 0 ? 0 : 1);
console.log(`${result.numPassedTests + Number(agents[1])} passed, ${bad} failed`);
process.exit(bad === 0 ? 0 : 1);

function failures({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [{ name: file, words: message }] : [];
    return tests.map((test) => ({ name: `${file} > ${test.fullName}`, words: (test.failureMessages ?? []).join('\n').slice(0, 2000) }));
  });
}
