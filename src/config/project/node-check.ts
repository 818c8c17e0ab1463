import type { ProjectFacts } from './facts.ts';
import type { Manager, PackageJson } from './node-manager.ts';
import type { Remark, Step } from './proposal.ts';
import { type Job, jobsOf } from './workflows.ts';

/** Matches test scripts that test nothing: npm writes one into every new package.json, and some only print. */
const NO_TEST = /no tests? (specified|yet|here)|^\s*(echo\b[^&|;]*|true|:|exit 0)(\s*&&\s*exit \d+)?\s*$/i;

const WATCHES = /--watch(All|-all)?(?![=\w-])|\b(vitest|jest)\s+(watch|dev)\b|\bnodemon\b|\btsc\b.*\s-w\b/;

/** These runners wait for a key, or write new snapshots, unless they know that no person is there. */
const MINDS_CI = /\b(vitest|jest|react-scripts|craco|ava|playwright|cypress|wtr|web-test-runner|storybook)\b/;

/** Scripts that people use beside or in place of `test`, best first. */
const OTHERS = [
  'test:ci',
  'test-ci',
  'ci:test',
  'test:run',
  'test:once',
  'test:unit',
  'unit',
  'test:node',
  'test:all',
  'tests',
  'ci',
  'verify',
  'check',
  'validate',
];

/** Better than nothing: at least the project can be built. */
const WEAK = ['typecheck', 'type-check', 'types', 'tsc', 'build', 'compile', 'lint'];

interface NodeCheck {
  readonly check: Step | undefined;
  readonly remarks: readonly Remark[];
}

/** The command that checks a project of npm or one of its kin. */
export function nodeCheck(facts: ProjectFacts, json: PackageJson, manager: Manager): NodeCheck {
  const scripts = json.scripts ?? {};
  const usable = (name: string) => scripts[name] !== undefined && !NO_TEST.test(scripts[name]);
  const once = (name: string) => usable(name) && !WATCHES.test(scripts[name]!);
  const chosen = ['test', ...OTHERS].find(once);
  if (chosen !== undefined) return { check: checkBy(facts, json, manager, chosen), remarks: [] };
  if (usable('test')) return { check: unwatched(scripts['test']!), remarks: [] };
  const members = workspaceCheck(facts, manager);
  if (members) return { check: members, remarks: [] };
  const runner = bareRunner(facts, manager);
  if (runner) return { check: runner, remarks: [] };
  const weak = WEAK.find(once);
  if (weak === undefined) return { check: undefined, remarks: [] };
  const text = `package.json has no test script: ${weak} is the only check that was found`;
  return { check: checkBy(facts, json, manager, weak), remarks: [{ text, next: null }] };
}

function checkBy(facts: ProjectFacts, json: PackageJson, manager: Manager, script: string): Step {
  const scripts = json.scripts ?? {};
  const whole = expand(scripts, script);
  const build = buildBefore(facts, scripts, script, whole);
  // Berry runs no pre scripts.
  const pre = manager.name === 'berry' && scripts[`pre${script}`] !== undefined ? [scriptCall(manager, `pre${script}`)] : [];
  const angular = /\bng test\b(?!.*--watch)/.test(whole) ? ' -- --watch=false' : '';
  const run = [...(build ? [scriptCall(manager, build)] : []), ...pre, scriptCall(manager, script) + angular].join(' && ');
  const ci = MINDS_CI.test(whole) || angular !== '';
  return {
    // An assignment in front of a list would hold for its first command only.
    run: ci ? (run.includes(' && ') ? `export CI=1; ${run}` : `CI=1 ${run}`) : run,
    because: `the script ${script} of package.json${build ? `, after ${build} as in your CI` : ''}${ci ? '; CI=1 so that it ends by itself' : ''}`,
  };
}

function scriptCall({ name, call }: Manager, script: string): string {
  // `bun test` is a runner of its own, and names with a colon are no commands of npm.
  if (script === 'test' && name !== 'bun') return `${call} test`;
  return `${call} run ${script}`;
}

const CALLS = /(?:npm|pnpm|yarn|bun|npx npm|node --run)\s+(?:run(?:-script)?\s+|--silent\s+|-s\s+)*([\w:.-]+)/g;

/** The text of a script with those that it calls, and its pre script. */
function expand(scripts: Readonly<Record<string, string>>, name: string, seen = new Set<string>()): string {
  const text = scripts[name];
  if (text === undefined || seen.has(name)) return '';
  seen.add(name);
  const called = [...text.matchAll(CALLS)].map((match) => match[1]!);
  const listed = /\b(run-[sp]|npm-run-all2?|concurrently)\b/.test(text) ? (text.match(/[\w:.-]+/g) ?? []) : [];
  const globbed = /:\*/.test(text) ? Object.keys(scripts).filter((one) => one.startsWith(`${name}:`)) : [];
  const inner = [`pre${name}`, ...called, ...listed, ...globbed].map((one) => expand(scripts, one, seen));
  return [text, ...inner].join('\n');
}

/** The script that the project's CI runs between installing and testing, unless the test script does so itself. */
function buildBefore(facts: ProjectFacts, scripts: Readonly<Record<string, string>>, test: string, whole: string): string | undefined {
  const builds = (job: Job): string | undefined => {
    const at = job.findIndex((line) => new RegExp(`\\b(npm|pnpm|yarn|bun|nr|npx)\\b.*\\b(${test}|test|t)\\b`).test(line));
    const before = job
      .slice(0, Math.max(0, at))
      .flatMap((line) => [...line.matchAll(/\b(?:npm|pnpm|yarn|bun|nr)\s+(?:run\s+|-r\s+)*(build[\w:-]*)/g)]);
    return before.map((match) => match[1]!).find((name) => scripts[name] !== undefined);
  };
  const found = jobsOf(facts)
    .map(builds)
    .find((name) => name !== undefined);
  return found === undefined || expandsTo(scripts, found, whole) ? undefined : found;
}

const expandsTo = (scripts: Readonly<Record<string, string>>, name: string, whole: string) =>
  whole.includes(scripts[name]!) || new RegExp(`\\b${name}\\b`).test(whole);

/** A script that only watches, without the option that makes it watch. */
function unwatched(script: string): Step {
  const once = script
    .replace(new RegExp(WATCHES.source, 'g'), (word) => (/^(vitest|jest)\b/.test(word) ? word.split(/\s/)[0]! : ''))
    .replace(/\s+/g, ' ')
    .trim();
  return {
    run: `export CI=1 PATH="$PWD/node_modules/.bin:$PATH"; ${once}`,
    because: 'the script test of package.json, without its watch mode',
  };
}

const EACH: Readonly<Record<Manager['name'], string>> = {
  npm: 'test --workspaces --if-present',
  pnpm: '--recursive test',
  yarn: 'workspaces run test',
  berry: 'workspaces foreach --all run test',
  bun: "run --filter '*' test",
};

/** Packages of a workspace whose root has no test. */
function workspaceCheck(facts: ProjectFacts, { name, call }: Manager): Step | undefined {
  const members = facts.paths.filter((path) => /^.+\/package\.json$/.test(path) && testOf(facts.read(path)) !== undefined);
  const root = parseJson(facts.read('package.json'));
  if (members.length === 0 || (root?.workspaces === undefined && !facts.paths.includes('pnpm-workspace.yaml'))) return undefined;
  const ci = members.some((path) => MINDS_CI.test(testOf(facts.read(path))!));
  return { run: `${ci ? 'CI=1 ' : ''}${call} ${EACH[name]}`, because: `${members.length} packages of the workspace have a test script` };
}

function testOf(text: string | undefined): string | undefined {
  const test = parseJson(text)?.scripts?.['test'];
  return test === undefined || NO_TEST.test(test) ? undefined : test;
}

/** A project without a script, but with files that a runner finds by itself. */
function bareRunner(facts: ProjectFacts, { name, call }: Manager): Step | undefined {
  const file = facts.paths.find((path) => /(^|\/)[^/]+[._](test|spec)\.[cm]?[jt]sx?$/.test(path) || /^test\/[^/]+\.[cm]?js$/.test(path));
  if (file === undefined) return undefined;
  if (name === 'bun') return { run: `CI=1 ${call} test`, because: `no test script, but tests such as ${file}` };
  return /\.[cm]?js$/.test(file) ? { run: 'node --test', because: `no test script, but tests such as ${file}` } : undefined;
}

export function parseJson(text: string | undefined): PackageJson | undefined {
  try {
    const value: unknown = JSON.parse((text ?? '').replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? (value as PackageJson) : undefined;
  } catch {
    return undefined;
  }
}
