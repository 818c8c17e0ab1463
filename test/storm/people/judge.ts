import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/platform/exec.ts';
import { plainEnv } from '../../support/repo.ts';
import type { Force } from './force.ts';
import { MARK, tryLook } from './git.ts';
import type { Landing } from './history.ts';
import type { World } from './world.ts';

/** Runs the checks that were in force again on what landed, each tree once, in a folder that furrow has never seen. */
export class Judge {
  readonly #world: World;
  readonly #verdicts = new Map<string, string>();
  #judged = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get trees(): number {
    return this.#verdicts.size;
  }

  async judge(landings: readonly Landing[], force: Force): Promise<string[]> {
    const violations: string[] = [];
    for (; this.#judged < landings.length; this.#judged++) violations.push(...(await this.#one(landings[this.#judged]!, force)));
    return violations;
  }

  /** By one of the rules that may have been in force it must have been checked, and be green. */
  async #one(landing: Landing, force: Force): Promise<string[]> {
    const allowed = force.between(landing.after, landing.before);
    const by = allowed.filter(({ check }) => landing.checks.length === 1 && landing.checks[0] === check.name);
    const what = `landing ${landing.commit.slice(0, 10)} (tasks ${landing.tasks.join(', ')})`;
    if (by.length === 0) {
      const names = [...new Set(allowed.map(({ check }) => check.name))].join(' or ');
      return [`${what} was checked by ${landing.checks.join(', ') || 'nothing'}, in force was ${names}`];
    }
    const outputs = await Promise.all(by.map(({ check }) => this.#run(landing, check.run)));
    return outputs.includes('') ? [] : [`${what} is red by ${by[0]!.check.name}: ${outputs[0]}`];
  }

  /** Nothing for green, else what the check printed. */
  async #run({ commit, tree }: Landing, run: string): Promise<string> {
    const key = `${tree} ${run}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    // Landed on a chain that the person has left since, and collected.
    if ((await tryLook(this.#world, 'cat-file', '-e', `${commit}^{tree}`)) === undefined) return '';
    const folder = await mkdtemp(join(this.#world.repo.base, 'replay-'));
    const command = `git -C '${this.#world.repo.root}' archive ${commit} | tar -x -C '${folder}' && cd '${folder}' && { ${run}; }`;
    const env = { ...plainEnv({ home: this.#world.repo.home }), [MARK]: '1', STORM_CHECK_SECONDS: '0' };
    const done = await exec(['sh', '-c', command], { cwd: this.#world.repo.base, env, timeoutMs: 60_000 });
    await rm(folder, { recursive: true });
    const verdict = done.code === 0 ? '' : `exit ${done.code}: ${(done.stdout + done.stderr).trim().slice(-300)}`;
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}
