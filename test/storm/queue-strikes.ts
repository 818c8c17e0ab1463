import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { furrowIn } from '../support/farm.ts';
import { lives, processesOf, type Seen } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import type { StormOptions } from './scenario.ts';
import { choose, type Kind } from './victims.ts';

/** How often each kind is aimed at: a queue without agents has no others. */
const AIM: readonly Kind[] = ['daemon', 'daemon', 'git', 'check'];

/** `kill -9` of what carries the queue, one process at a time. */
export class Strikes {
  readonly killed: Partial<Record<Kind, number>> = {};
  readonly violations: string[] = [];
  /** The longest that a `furrow status` needed to bring the farm back. */
  slowest = 0;
  readonly #repo: TestRepo;
  readonly #options: StormOptions;
  readonly #roll: () => number;

  constructor(repo: TestRepo, options: StormOptions) {
    this.#repo = repo;
    this.#options = options;
    this.#roll = dice(`${options.seed}/strikes`);
  }

  /** So many, or until there is nothing left to disturb. */
  async all(count: number, isOver: () => Promise<boolean>): Promise<void> {
    for (let n = 0; n < count; n++) {
      await sleep(500 + this.#roll() * 3500);
      const kind = await this.#kill();
      const status = await furrowIn(this.#repo, { timeoutMs: 60_000 }, 'status', '--json');
      this.slowest = Math.max(this.slowest, Math.round(status.ms));
      if (status.code !== 0) this.violations.push(`furrow status after kill ${n} (${kind}): exit ${status.code}: ${status.stderr.trim()}`);
      if (n % 5 !== 4) continue;
      this.#options.say(`${n + 1} kills, queue ${JSON.stringify((status.json() as { queue: unknown }).queue)}`);
      if (await isOver()) return;
    }
  }

  async #kill(): Promise<Kind | undefined> {
    for (let tries = 0; tries < 20; tries++) {
      const victim = await this.#find(AIM[Math.floor(this.#roll() * AIM.length)]!);
      // Proven by its start time at the last moment: a pid alone may be somebody else's by now.
      if (!victim || !lives(victim.seen) || !struck(victim.seen)) continue;
      this.killed[victim.kind] = (this.killed[victim.kind] ?? 0) + 1;
      return victim.kind;
    }
    return undefined;
  }

  /** Gits live for milliseconds: looks a while for one, then takes what there is. */
  async #find(wanted: Kind): Promise<{ seen: Seen; kind: Kind } | undefined> {
    const until = performance.now() + 400;
    for (;;) {
      const late = performance.now() > until;
      const found = choose(processesOf(this.#repo.base), wanted, this.#roll(), late);
      if (found || late) return found;
      await sleep(3);
    }
  }
}

/** `false`: it ended by itself a moment before. */
function struck({ pid }: Seen): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
