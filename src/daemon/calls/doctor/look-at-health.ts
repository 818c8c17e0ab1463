import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { optionsOf } from '../../../agents/agent/drivers/codex/options.ts';
import { passedEnvironment } from '../../../agents/agent/environment.ts';
import { agentsOnPath } from '../../../config/project/agents.ts';
import { below, type ProjectFacts } from '../../../config/project/facts.ts';
import { usesLfs } from '../../../config/project/git-parts.ts';
import { nodeWishes } from '../../../config/project/node-version.ts';
import { readProject } from '../../../config/project/read.ts';
import { recognise } from '../../../config/project/recognise.ts';
import { exec } from '../../../platform/exec.ts';
import { tryGit } from '../../../platform/git/run.ts';
import { userConfig } from '../../../platform/git/user.ts';
import { isOnPath } from '../../../platform/on-path.ts';
import { fencesNest } from '../../../repo/fence/fences-nest.ts';
import { missingContent } from '../../../repo/merge/large-files.ts';
import { missingInRun, missingProgram } from '../../farm/agent-programs.ts';
import { driverOf, namedKinds } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { knownOfHead } from '../../leader/work/preflight.ts';
import { reportRed } from '../../leader/work/preflight-report.ts';
import type { Shown } from '../context.ts';
import type { Health } from './health.ts';

/** Looks at what the checks, the set-up and the agents of a project need on this machine. */
export async function lookAtHealth(farm: Farm, state: Shown): Promise<Health> {
  const { config, repo } = farm;
  const path = process.env['PATH'] ?? '';
  const facts = await readProject(repo, path, state.base || undefined);
  const disk = await statfs(existsSync(farm.places.home) ? farm.places.home : repo.root);
  return {
    agents: agentsOnPath(path).map(({ name }) => name),
    ...kindsOf(farm),
    checks: config.checks,
    setup: config.worktree.setup,
    proposed: recognise(facts).setup.map(({ run }) => run),
    onPath: facts.onPath,
    modules: await modulesOf(farm, facts.modules),
    lfs: usesLfs(facts),
    pointers: usesLfs(facts) ? await missingContent(repo) : [],
    freeBytes: disk.bavail * disk.bsize,
    home: farm.places.home,
    identity: (await userConfig(repo)).identity !== undefined,
    nodes: await nodesOf(farm, facts),
    red: await redHead(farm, state),
    isolation: farm.isolation,
    fenceOnly: Object.keys(config.agents).filter((kind) => config.agents[kind]?.permission === 'fence'),
    bare: isOnPath('codex', path) ? await bareKinds(farm) : [],
  };
}

/** Those that did not choose a sandbox by themselves, where none can be made inside the fence. */
async function bareKinds({ config, isolation }: Farm): Promise<string[]> {
  const kinds = Object.keys(config.agents).filter((kind) => config.agents[kind]?.driver === 'codex');
  const unasked = kinds.filter((kind) => optionsOf({ settings: driverOf(config, kind).settings, bare: true }).unasked);
  return isolation.level === 'none' || unasked.length === 0 || (await fencesNest()) ? [] : unasked;
}

function kindsOf({ config }: Farm): Pick<Health, 'readyKinds' | 'missingKinds'> {
  const named = namedKinds(config);
  const missingKinds = named.flatMap((kind) => {
    const missing = missingProgram({ config }, kind);
    if (missing) return [{ kind, what: missing.message, install: missing.hint ?? null }];
    return missingInRun(config, kind).map((one) => ({ kind, ...one }));
  });
  return { readyKinds: named.filter((kind) => missingKinds.every((one) => one.kind !== kind)), missingKinds };
}

async function modulesOf({ repo }: Farm, paths: readonly string[]): Promise<Health['modules']> {
  if (paths.length === 0) return [];
  const lines = async (file: string) =>
    (await tryGit(repo, ['config', '--file', file, '--get-regexp', '^submodule\\..*\\.(path|url)$'])).stdout.split('\n');
  const keys = [...(await lines(join(repo.root, '.gitmodules'))), ...(await lines(join(repo.gitDir, 'config')))];
  const values = new Map(keys.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  return paths.map((path) => {
    const name =
      [...values].find(([key, value]) => key.endsWith('.path') && value === path)?.[0].replace(/^submodule\.|\.path$/g, '') ?? path;
    const url = values.get(`submodule.${name}.url`) ?? '';
    // Another machine cannot be asked here; a path can.
    const local = url.replace(/^file:\/\//, '');
    const gone = url === '' || (local.startsWith('/') && !existsSync(local));
    return { path, url: url || 'nowhere', state: existsSync(join(repo.gitDir, 'modules', name)) ? 'ready' : gone ? 'gone' : 'not fetched' };
  });
}

async function redHead(farm: Farm, state: Shown): Promise<string | null> {
  const found = await knownOfHead(farm, state);
  if (found?.known.is !== 'red') return null;
  return (await reportRed(farm, state, found.known.check)).text;
}

const ASK_MS = 20_000;

/** For each check whose folder asks for some Node: what it asks for, and the Node that the check finds first on its PATH. */
async function nodesOf({ config, repo }: Farm, facts: ProjectFacts): Promise<Health['nodes']> {
  const asked = config.checks.map(async ({ name, dir, env }) => {
    const own = dir === undefined ? [] : nodeWishes(below(facts, dir));
    const wishes = own.length > 0 ? own : nodeWishes(facts);
    if (wishes.length === 0) return [];
    const there = join(repo.root, dir ?? '.');
    const version = await versionIn(existsSync(there) ? there : repo.root, { ...passedEnvironment(process.env), ...env });
    return version === undefined ? [] : [{ check: name, version, wishes }];
  });
  return (await Promise.all(asked)).flat();
}

/** Asked in the folder itself: the `node` of a version manager goes by the files there. Node reads nothing of them for this. */
async function versionIn(cwd: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const done = await exec(['node', '--version'], { cwd, env, timeoutMs: ASK_MS, maxBytes: 4096 }).catch(() => undefined);
  return /^v(\d+\.\d+\.\d+)/.exec(done?.stdout ?? '')?.[1];
}
