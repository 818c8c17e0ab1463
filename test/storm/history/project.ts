import { join } from 'node:path';
import { exec } from '../../../src/platform/exec.ts';
import { plainEnv, type TestRepo } from '../../support/repo.ts';

/** An install or a test suite of a real project, on a machine that does other things too. */
const PATIENCE_MS = 20 * 60_000;

/** The commands of a project as furrow.yaml has them. */
export interface Commands {
  readonly setup: readonly string[];
  readonly checks: readonly string[];
}

/** A clone that furrow has never seen, in which a person would run the project's own commands. */
export class Checkout {
  readonly #repo: TestRepo;
  readonly #commands: Commands;
  readonly path: string;
  #setUpFor = '';

  private constructor(repo: TestRepo, path: string, commands: Commands) {
    this.#repo = repo;
    this.path = path;
    this.#commands = commands;
  }

  static async make(repo: TestRepo, name: string, commands: Commands): Promise<Checkout> {
    const path = join(repo.base, name);
    await repo.git('clone', '--quiet', '--no-checkout', repo.root, path);
    for (const [key, value] of [
      ['user.name', 'Replay'],
      ['user.email', 'replay@furrow.invalid'],
    ])
      await repo.git('-C', path, 'config', key!, value!);
    return new Checkout(repo, path, commands);
  }

  git(...args: string[]) {
    return this.#repo.git('-C', this.path, ...args);
  }

  async at(commit: string): Promise<void> {
    await this.git('checkout', '--quiet', '--force', '--detach', commit);
  }

  /** Puts a real commit on top, as its author wrote it. `false`: it needs what is not here. */
  async pick(commit: string): Promise<boolean> {
    const done = await this.#repo.tryGit('-C', this.path, 'cherry-pick', '--allow-empty-message', commit);
    if (done.code === 0) return true;
    await this.#repo.tryGit('-C', this.path, 'cherry-pick', '--abort');
    await this.git('reset', '--quiet', '--hard');
    return false;
  }

  /** Output of the first check that fails; `undefined`: all pass. Set-up runs again when what it depends on changed. */
  async fails(): Promise<string | undefined> {
    const manifests = await this.git('ls-files', '-s', '--', '*package.json', '*lock*', '*.toml', '*requirements*');
    const anew = manifests !== this.#setUpFor;
    for (const command of [...(anew ? this.#commands.setup : []), ...this.#commands.checks]) {
      const env = { ...plainEnv(this.#repo), CI: '1' };
      const done = await exec(['sh', '-c', command], { cwd: this.path, env, timeoutMs: PATIENCE_MS, maxBytes: 64 * 1024 * 1024 });
      if (done.code !== 0) return `${command}: ${(done.stdout + done.stderr).slice(-800)}`;
    }
    this.#setUpFor = manifests;
    return undefined;
  }
}
