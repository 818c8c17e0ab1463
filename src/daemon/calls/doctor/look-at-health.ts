import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { optionsOf } from '../../../agents/agent/drivers/codex/options.ts';
import { usesLfs } from '../../../config/project/git-parts.ts';
import { readProject } from '../../../config/project/read.ts';
import { recognise } from '../../../config/project/recognise.ts';
import { tryGit } from '../../../platform/git/run.ts';
import { userConfig } from '../../../platform/git/user.ts';
import { isOnPath } from '../../../platform/on-path.ts';
import { fencesNest } from '../../../repo/fence/nested.ts';
import { missingContent } from '../../../repo/merge/large-files.ts';
import { missingProgram } from '../../farm/agent-programs.ts';
import { driverOf } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { knownOfHead } from '../../leader/work/preflight.ts';
import { reportRed } from '../../leader/work/preflight-report.ts';
import type { Shown } from '../context.ts';
import type { Health } from './health.ts';
import { nodesOf } from './look-at-node.ts';

const AGENTS = ['claude', 'codex', 'opencode', 'gemini'];

/** Looks at what the checks, the set-up and the agents of a project need on this machine. */
export async function lookAtHealth(farm: Farm, state: Shown): Promise<Health> {
  const { config, repo } = farm;
  const path = process.env['PATH'] ?? '';
  const facts = await readProject(repo, path, state.base || undefined);
  const disk = await statfs(existsSync(farm.places.home) ? farm.places.home : repo.root);
  return {
    agents: AGENTS.filter((name) => isOnPath(name, path)),
    missingKinds: missingKinds(farm),
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
    bare: isOnPath('codex', path) ? await bareKinds(farm) : [],
  };
}

/** Those that did not choose a sandbox by themselves, where none can be made inside the fence. */
async function bareKinds({ config, isolation }: Farm): Promise<string[]> {
  const kinds = Object.keys(config.agents).filter((kind) => config.agents[kind]?.driver === 'codex');
  const unasked = kinds.filter((kind) => optionsOf({ settings: driverOf(config, kind).settings, bare: true }).unasked);
  return isolation.level === 'none' || unasked.length === 0 || (await fencesNest()) ? [] : unasked;
}

/** The default kind, and those that furrow.yaml says something about; the built-in ones that nobody asked for may be missing. */
function missingKinds({ config }: Farm): Health['missingKinds'] {
  const touched = Object.entries(config.agents).filter(([name, kind]) => name === config.agent || kind.driver !== name);
  return touched.flatMap(([kind]) => {
    const missing = missingProgram({ config }, kind);
    return missing ? [{ kind, what: missing.message, install: missing.hint ?? null }] : [];
  });
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
