import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../../../src/agents/agent/scripted/random.ts';
import { lives, processesOf, type Seen, variable } from '../../support/processes.ts';
import { choose, type Kind } from '../victims.ts';
import { MARK } from './git.ts';
import type { Person } from './person.ts';
import { ask } from './world.ts';

const AIM: readonly Kind[] = ['daemon', 'daemon', 'daemon', 'agent', 'agent-child', 'git', 'git', 'git', 'check'];

/** `kill -9` of what belongs to the farm, beside the person. What is the person's own is left alone. */
export class Kills {
  readonly killed: Partial<Record<Kind, number>> = {};
  readonly #person: Person;
  readonly #roll: () => number;
  #over = false;

  constructor(person: Person) {
    this.#person = person;
    this.#roll = dice(`${person.world.seed}/kills`);
  }

  get count(): number {
    return Object.values(this.killed).reduce((sum, n) => sum + n, 0);
  }

  stop(): void {
    this.#over = true;
  }

  async run(everyMs: number): Promise<void> {
    while (!this.#over) {
      await sleep(everyMs * (0.3 + this.#roll() * 1.4));
      if (this.#over || this.#person.keepsStopped) continue;
      const kind = await this.kill(AIM[Math.floor(this.#roll() * AIM.length)]!);
      // The person works on without a daemon for a while.
      if (kind !== 'daemon') continue;
      await sleep(this.#roll() * 2500);
      if (!this.#over && !this.#person.keepsStopped) await ask(this.#person.world, 'status', '--json');
    }
  }

  /** One process of this kind; one of another kind if there is none for a while. */
  async kill(wanted: Kind): Promise<Kind | undefined> {
    const victim = await this.#find(wanted);
    // Proven by its start time at the last moment: a pid alone may be somebody else's by now.
    if (!victim || !lives(victim.seen)) return undefined;
    try {
      process.kill(victim.seen.pid, 'SIGKILL');
    } catch {
      return undefined;
    }
    this.killed[victim.kind] = (this.killed[victim.kind] ?? 0) + 1;
    this.#person.tell(`kill -9 ${victim.kind} ${victim.seen.pid}`);
    return victim.kind;
  }

  async #find(wanted: Kind): Promise<{ seen: Seen; kind: Kind } | undefined> {
    const until = performance.now() + 400;
    for (;;) {
      const farm = processesOf(this.#person.world.repo.base).filter((seen) => variable(seen, MARK) === undefined);
      const late = performance.now() > until;
      const found = choose(farm, wanted, this.#roll(), late);
      if (found?.kind === 'tmux' || found?.kind === 'terminal') return undefined;
      if (found || late) return found;
      await sleep(3);
    }
  }
}
