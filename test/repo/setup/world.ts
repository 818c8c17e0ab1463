import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCheck } from '../../../src/repo/merge/check.ts';
import { type SetupEvent, type SetupPlan, setups } from '../../../src/repo/setup/setups.ts';
import { slotSetup } from '../../../src/repo/setup/slot.ts';
import { TestRepo } from '../merge/repo.ts';

/** A repository with a set-up, its templates, and slots to run checks in. */
export class SetupWorld implements Disposable {
  readonly repo = new TestRepo();
  readonly home = `${this.repo.root}.furrow`;
  readonly templates = join(this.home, 'templates');
  readonly events: SetupEvent[] = [];
  readonly marker = `test-${randomUUID()}`;
  readonly env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  clones = 0;
  logs = 0;
  plan: SetupPlan;

  constructor(plan: Partial<SetupPlan>, files: Record<string, string> = {}) {
    this.plan = { commands: [], files: [], copy: [], ...plan };
    this.repo.write({ '.gitignore': 'node_modules\n.venv\nout\n', 'package-lock.json': 'left-pad 1\n', ...files });
    this.repo.git('add', '-A');
    this.repo.git('commit', '-q', '-m', 'with dependencies');
  }

  readonly setups = setups({
    repo: this.repo,
    templates: this.templates,
    plan: () => this.plan,
    env: () => this.env,
    slot: (name) => this.slot(name),
    log: (name) => join(this.repo.folder, 'logs', `${name}-${this.logs++}.log`),
    tell: async (event) => void this.events.push(event),
  });

  get head(): string {
    return this.repo.git('rev-parse', 'HEAD');
  }

  slot(name: string) {
    return { path: join(this.home, 'slots', name), marker: `${this.marker}-${name}`, jail: [] };
  }

  /** Runs a check in a slot, as the queue does. */
  async check(run: string, { commit = this.head, slot = '1', caches = [] as string[] } = {}) {
    const log = join(this.repo.folder, 'logs', `check-${this.logs++}.log`);
    const at = this.slot(slot);
    const { setups, templates, env, plan } = this;
    const cloned = async () => void this.clones++;
    const setup = slotSetup(this.repo, { setups, slot: at, templates, commit, env, log, caches, copy: plan.copy, cloned });
    const check = { id: 'c', name: 'unit', run, timeoutMs: 20_000, env: {} };
    const order = { commit, tree: this.repo.git('rev-parse', `${commit}^{tree}`), check, log, caches, env, setup };
    const answer = await runCheck(this.repo, at, order, new AbortController().signal);
    return { ...answer, output: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  /** How often set-up ran. */
  get builds(): number {
    return this.events.filter(({ kind }) => kind === 'setup.started').length;
  }

  templateNames(): string[] {
    return readdirSync(this.templates).filter((name) => name !== 'slots');
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]();
  }
}

/** Inodes of all files below a folder. */
export function inodes(folder: string): number[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .filter((stat) => stat.isFile())
    .map((stat) => stat.ino);
}
