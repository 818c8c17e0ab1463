import { type Proposal, packageOf, programsOf, type Remark } from './proposal.ts';

/** A red check on a clean worktree, and what is configured. */
export interface RedCheck {
  readonly run: string;
  /** The way it ended: `exit 127`, `timed out after 10m`. */
  readonly detail: string | null;
  readonly output: string;
  readonly setup: readonly string[];
}

/** Programs that a shell, `env`, make or Node could not find. */
const NO_PROGRAM = [
  /(?:^|[\s:])([\w@./+-]+): (?:command )?not found$/m,
  /^env: [‘'"`]?([\w./+-]+)[’'"]?: No such file or directory/m,
  /^make(?:\[\d+\])?: ([\w./+-]+): No such file or directory/m,
  /\bspawn ([\w./+-]+) ENOENT/,
];

/** Packages that a language could not find. */
const NO_PACKAGE = [
  /Cannot find (?:module|package) '([^'./][^']*)'/,
  /Cannot find type definition file for '([^']+)'/,
  /No module named '?([\w.]+)'?/,
  /cannot load such file -- ([\w/-]+)/,
  /Could not find gem '([^']+)'/,
  /Cannot find module '([^']*)'/,
];

const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution|Network is unreachable|NewConnectionError)\b/;
const ENOUGH_ADVICE = 3;

/** The Node that a package manager asks for, in the words of pnpm, npm, yarn and pnpm again. */
const WANTED_NODE = [
  /requires at least Node\.js v?([\d.]+)/,
  /npm (?:error|ERR!) notsup Required:\s*\{"node":"([^"]+)"/,
  /The engine "node" is incompatible with this module\. Expected version "([^"]+)"/,
  /\bERR_PNPM_UNSUPPORTED_ENGINE\b[\s\S]{0,400}?Expected version: (.+)/,
];
const THIS_NODE = /(?:current version of Node\.js is |^Node\.js |"node":"|Got:? "?)v?(\d+\.\d+\.\d+)/m;

/** Probable causes of a check that fails before any task has begun, the likeliest first, each with a remedy. */
export function diagnose(red: RedCheck, proposal: Proposal): Remark[] {
  const advice = [...missingSetup(red, proposal), ...missingProgram(red), ...otherNode(red), ...missingPackage(red), ...otherCauses(red)];
  return advice.slice(0, ENOUGH_ADVICE);
}

/** Steps that recognition would propose and that nobody configured. */
function missingSetup({ setup }: RedCheck, proposal: Proposal): Remark[] {
  const configured = setup.join('\n');
  const known = (run: string) => configured.includes(run) || programsOf(run).some((name) => programsOf(configured).includes(name));
  const missing = proposal.setup.filter(({ run }) => !known(run));
  if (missing.length === 0) return [];
  const steps = [...setup, ...missing.map(({ run }) => run)];
  const why = missing.map(({ because }) => because).join('; ');
  return [{ text: `furrow.yaml sets up nothing for this: ${why}`, next: `add to furrow.yaml: ${setupLine(steps)}` }];
}

const setupLine = (steps: readonly string[]) => `worktree: { setup: ${JSON.stringify(steps)} }`;

function missingProgram({ run, setup, output, detail }: RedCheck): Remark[] {
  const found = NO_PROGRAM.map((pattern) => pattern.exec(output)?.[1]).find((name) => name !== undefined);
  const name = found ?? (detail === 'exit 127' ? programsOf(run)[0] : undefined);
  if (name === undefined) return [];
  const brought = setup.length > 0 ? 'the set-up does not bring it' : 'no set-up is configured that could bring it';
  return [
    {
      text: `the command ${name} was not found: ${brought}`,
      next: `install ${packageOf(name)}, or add to furrow.yaml: worktree: { setup: [the command that installs it] }`,
    },
  ];
}

function missingPackage({ output, setup }: RedCheck): Remark[] {
  const name = NO_PACKAGE.map((pattern) => pattern.exec(output)?.[1]).find((one) => one !== undefined);
  if (name === undefined) return [];
  const path = name.startsWith('.') || name.startsWith('/');
  if (path)
    return [
      {
        text: `${name} is missing: it may be ignored by git, or made by a build that the check does not run`,
        next: 'add the build to `check:` in furrow.yaml, or the file to `worktree: { copy: […] }`',
      },
    ];
  return [{ text: `the package ${name} is not installed in a clean worktree`, next: installing(name, setup) }];
}

function installing(name: string, setup: readonly string[]): string {
  if (setup.length === 0) return 'add the command that installs it to furrow.yaml: worktree: { setup: [the command] }';
  const pip = setup.findLast((line) => /\bpip3? install\b/.test(line));
  return pip === undefined ? 'see whether the set-up installs it' : `add it to the set-up in furrow.yaml: ${pip} ${name.split('.')[0]}`;
}

/** Node fails far from the cause: an unknown module of its own, a syntax that it cannot read. */
function otherNode({ output }: RedCheck): Remark[] {
  const wanted = WANTED_NODE.map((pattern) => pattern.exec(output)?.[1]).find((version) => version !== undefined);
  if (wanted === undefined && !output.includes('ERR_UNKNOWN_BUILTIN_MODULE')) return [];
  const here = THIS_NODE.exec(output)?.[1];
  const text = `it needs ${wanted === undefined ? 'a newer Node' : `Node ${wanted}`}${here === undefined ? '' : `, and ${here} is on the PATH`}`;
  return [{ text, next: 'put that Node first on the PATH, then: furrow stop --all && furrow doctor --check' }];
}

function otherCauses({ detail, output }: RedCheck): Remark[] {
  const found: Remark[] = [];
  if (/only pointers, their content is not in \.git\/lfs/.test(output))
    found.push({ text: 'large files are pointers only', next: 'git lfs fetch' });
  const empty = /\[furrow: the submodule (.+) is not filled: /.exec(output)?.[1];
  if (empty !== undefined)
    found.push({ text: `the submodule ${empty} is empty in worktrees and checks`, next: 'git submodule update --init --recursive' });
  if (detail?.startsWith('set-up '))
    found.push({ text: `${detail}, before the check began`, next: 'run it in a fresh clone, and change `worktree.setup` in furrow.yaml' });
  if (detail?.startsWith('timed out'))
    found.push({ text: `it ${detail}: it may wait for input, or need longer`, next: 'set a longer `timeout:` in `checks:`' });
  if (detail?.includes('must leave tracked files'))
    found.push({
      text: 'the check changes files that git tracks',
      next: 'let it write elsewhere, or only compare (a --check or --frozen flag, CI=1)',
    });
  if (/Cannot find matching keyid/.test(output))
    found.push({
      text: 'this corepack is too old to verify the signatures of current packages',
      next: 'npm install --global corepack@latest',
    });
  if (NO_NETWORK.test(output)) found.push({ text: 'it tried to reach the network and could not', next: null });
  if (/EADDRINUSE/.test(output)) found.push({ text: 'a port that it wants is in use', next: null });
  return found;
}
