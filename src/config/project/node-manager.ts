import { firstOf, has, type ProjectFacts, textOf } from './facts.ts';
import type { Remark, Rule, Step } from './proposal.ts';

export interface PackageJson {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
  readonly packageManager?: string;
  readonly engines?: { readonly node?: unknown };
  readonly devEngines?: { readonly packageManager?: { readonly name?: string } };
}

type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'berry' | 'bun';

/** The package manager of a project, and how it is called on this machine. */
export interface Manager {
  readonly name: ManagerName;
  /** In front of each of its commands. */
  readonly call: string;
  readonly lock: string | undefined;
  readonly because: string;
  readonly remarks: readonly Remark[];
}

const LOCKS: Readonly<Record<string, readonly string[]>> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
};

/** By the field `packageManager`, else by the lockfile, else by the workspace file; npm where nothing tells. */
export function managerOf(facts: ProjectFacts, json: PackageJson): Manager {
  const [named, version] = /^(npm|pnpm|yarn|bun)@([\w.-]+)/.exec(json.packageManager ?? '')?.slice(1) ?? [
    json.devEngines?.packageManager?.name,
  ];
  const locked = Object.keys(LOCKS).filter((name) => firstOf(facts, ...LOCKS[name]!) !== undefined);
  const byFile =
    ['pnpm', 'yarn', 'bun', 'npm'].find((name) => locked.includes(name)) ?? (has(facts, 'pnpm-workspace.yaml') ? 'pnpm' : 'npm');
  const family = named !== undefined && named in LOCKS ? named : byFile;
  const lock = firstOf(facts, ...LOCKS[family]!);
  const name = family === 'yarn' && isBerry(facts, version) ? 'berry' : (family as ManagerName);
  const because = named === family ? `package.json names ${named}${version ? ` ${version}` : ''}` : (lock ?? 'package.json, no lockfile');
  const others = locked.filter((one) => one !== family).map((one) => firstOf(facts, ...LOCKS[one]!)!);
  const unused = others.map((file): Remark => ({ text: `${file} is not used: ${because}`, next: null }));
  const { call, remarks } = callOf(facts, name, version);
  return { name, call, lock, because, remarks: [...unused, ...remarks] };
}

function isBerry(facts: ProjectFacts, version: string | undefined): boolean {
  if (version !== undefined) return !/^[01]\./.test(version);
  return has(facts, '.yarnrc.yml') || textOf(facts, 'yarn.lock').includes('__metadata:');
}

/**
 * A program of the PATH, else npx with the version that the project asks for. `corepack pnpm` would not do: scripts that
 * call `pnpm` themselves find it beside npx's, and not beside corepack's.
 */
function callOf(facts: ProjectFacts, name: ManagerName, version: string | undefined): Pick<Manager, 'call' | 'remarks'> {
  if (name === 'npm') return { call: 'npm', remarks: [] };
  if (name === 'berry') return berryCall(facts, version);
  if (facts.onPath(name)) return { call: name, remarks: [] };
  const next = name === 'bun' || !facts.onPath('corepack') ? `npm install --global ${name}` : 'corepack enable';
  return {
    // The newest yarn of the registry is not the classic one.
    call: `npx --yes ${name}${version ? `@${version}` : name === 'yarn' ? '@1' : ''}`,
    remarks: [{ text: `${name} is not on the PATH: npx brings it, which takes a second at each call`, next }],
  };
}

/** Berry lives in the repository, or comes by corepack; the classic yarn of a PATH refuses a project that names it. */
function berryCall(facts: ProjectFacts, version: string | undefined): Pick<Manager, 'call' | 'remarks'> {
  const own = /^yarnPath:\s*["']?([\w./@-]+)/m.exec(textOf(facts, '.yarnrc.yml'))?.[1];
  if (own !== undefined && has(facts, own)) return { call: facts.onPath('yarn') ? 'yarn' : `node ${own}`, remarks: [] };
  if (facts.onPath('yarn') && (version === undefined || facts.onPath('corepack'))) {
    return { call: facts.onPath('corepack') && version !== undefined ? 'corepack yarn' : 'yarn', remarks: [] };
  }
  return {
    call: `npx --yes --package @yarnpkg/cli-dist${version ? `@${version}` : ''} yarn`,
    remarks: [{ text: 'yarn is not on the PATH: npx brings it', next: facts.onPath('corepack') ? 'corepack enable' : null }],
  };
}

const FROZEN: Readonly<Record<ManagerName, string>> = {
  npm: 'ci',
  pnpm: 'install --frozen-lockfile',
  yarn: 'install --frozen-lockfile',
  berry: 'install --immutable',
  bun: 'install --frozen-lockfile',
};

const WITHOUT_LOCK: Readonly<Record<ManagerName, string>> = {
  npm: 'install --no-package-lock',
  pnpm: 'install --no-lockfile',
  yarn: 'install --no-lockfile',
  berry: 'install --no-immutable',
  bun: 'install --no-save',
};

/** Hook managers write into the repository's own git folder when they are installed, which all worktrees share. */
const HOOKS: readonly (readonly [uses: RegExp, off: string, name: string])[] = [
  [/\bhusky\b/, 'HUSKY=0', 'husky'],
  [/\bsimple-git-hooks\b/, 'SKIP_INSTALL_SIMPLE_GIT_HOOKS=1', 'simple-git-hooks'],
  [/\blefthook\b/, 'CI=1', 'lefthook'],
];

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/** Undefined where there is nothing to install. */
export function nodeSetup(json: PackageJson, { name, call, lock, because }: Manager): Step[] {
  const depends = { ...json.dependencies, ...json.devDependencies, ...json.optionalDependencies };
  const runs = INSTALL_SCRIPTS.map((script) => json.scripts?.[script] ?? '').join('\n');
  if (Object.keys(depends).length === 0 && json.workspaces === undefined && runs.trim() === '' && name !== 'pnpm') return [];
  const all = `${Object.keys(depends).join('\n')}\n${runs}`;
  const hooks = HOOKS.filter(([uses]) => uses.test(all));
  const command = `${call} ${lock === undefined ? WITHOUT_LOCK[name] : FROZEN[name]}`;
  const why = lock === undefined ? 'no lockfile is tracked, so none is written' : lock === because ? lock : `${because}, ${lock}`;
  const quiet = hooks.map(([, , hook]) => `; ${hook} would write into your .git`).join('');
  return [{ run: [...hooks.map(([, off]) => off), command].join(' '), because: why + quiet }];
}

const ANEW: Readonly<Record<ManagerName, string>> = {
  npm: 'install --package-lock-only --ignore-scripts',
  // With CI in the environment pnpm would refuse to write it.
  pnpm: 'install --lockfile-only --no-frozen-lockfile --ignore-scripts',
  yarn: 'install --ignore-scripts --non-interactive',
  berry: 'install --mode=update-lockfile',
  bun: 'install --lockfile-only',
};

/** Keeps the versions that are locked, and adds what the merged package.json asks for besides. */
export function nodeRegenerate({ name, call, lock }: Manager): Rule[] {
  if (lock === undefined) return [];
  return [{ paths: [lock], run: `${call} ${ANEW[name]}`, because: `${lock} is written by ${name === 'berry' ? 'yarn' : name}` }];
}
