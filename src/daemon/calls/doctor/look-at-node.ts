import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { passedEnvironment } from '../../../agents/agent/environment.ts';
import { below, type ProjectFacts } from '../../../config/project/facts.ts';
import { nodeWishes } from '../../../config/project/node-version.ts';
import { exec } from '../../../platform/exec.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Health } from './health.ts';

const ASK_MS = 20_000;

/** For each check whose folder asks for some Node: what it asks for, and the Node that the check finds first on its PATH. */
export async function nodesOf({ config, repo }: Farm, facts: ProjectFacts): Promise<Health['nodes']> {
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
