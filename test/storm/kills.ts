import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { furrow, furrowIn } from '../support/farm.ts';
import { snapshotUserFiles } from '../support/oracle.ts';
import { lives, processesOf, type Seen } from '../support/processes.ts';
import { invariants, nothingLeft } from './invariants.ts';
import { addTasks, type Outcome, type StormOptions, type StormRepo, stormRepo } from './scenario.ts';
import { aim, choose, doubled, type Kind } from './victims.ts';

/** After the last kill everything must come to its end within this. */
const LIVENESS_MS = 180_000;

/** kill -9 of random processes of a busy farm. Afterwards nothing is lost, nothing landed twice, and main was never red. */
export async function kills(options: StormOptions): Promise<Outcome> {
  const [agents, tasks, count] = [options.agents ?? 20, options.tasks ?? 60, options.kills ?? 200];
  const storm = await stormRepo(agents, options);
  const { repo } = storm;
  await addTasks(repo, options.seed, 1, tasks);
  const userFiles = await snapshotUserFiles(repo.root, repo);
  const fury = new Fury(storm, options, agents, tasks);
  await furrow(repo, 'work', '--parallel', String(agents), '--detach');
  for (let n = 0; n < count; n++) await fury.strike(n);

  const end = await furrowIn(repo, { timeoutMs: LIVENESS_MS }, 'work', '--parallel', String(agents));
  const stuck =
    end.code === 0 || end.code === 1
      ? []
      : [`not settled ${LIVENESS_MS / 1000} s after the last kill (exit ${end.code}): ${end.stderr.slice(-500)}`];
  const held = await invariants(storm, userFiles);
  const violations = [...fury.violations, ...stuck, ...held.violations, ...(await nothingLeft(repo))];
  if (options.keep || violations.length > 0) options.say(`the repository is kept: ${repo.root}`);
  else await repo[Symbol.asyncDispose]();
  const facts = { agents, tasks: fury.tasks, kills: fury.killed, landed: held.landed, parked: held.parked, recovery_ms: fury.slowest };
  return { facts, violations };
}

class Fury {
  readonly killed: Partial<Record<Kind, number>> = {};
  readonly violations: string[] = [];
  tasks: number;
  /** The longest that a `furrow status` needed to bring the farm back. */
  slowest = 0;
  readonly #storm: StormRepo;
  readonly #options: StormOptions;
  readonly #agents: number;
  readonly #roll: () => number;

  constructor(storm: StormRepo, options: StormOptions, agents: number, tasks: number) {
    this.#storm = storm;
    this.#options = options;
    this.#agents = agents;
    this.#roll = dice(options.seed);
    this.tasks = tasks;
  }

  /** Waits a random while, kills one process, and asks for the status: that alone must bring everything back. */
  async strike(n: number): Promise<void> {
    await sleep(50 + this.#roll() * 450);
    const kind = await this.#kill();
    const status = await furrowIn(this.#storm.repo, { timeoutMs: 60_000 }, 'status', '--json');
    this.slowest = Math.max(this.slowest, Math.round(status.ms));
    if (status.code !== 0) {
      this.violations.push(`furrow status after kill ${n} (${kind}): exit ${status.code}: ${status.stderr.trim()}`);
      return;
    }
    const counts = (status.json() as { tasks: Record<string, number> }).tasks;
    if (n % 10 === 9) this.#options.say(`${n + 1} kills, ${JSON.stringify(counts)}`);
    const moving = (counts['ready'] ?? 0) + (counts['leased'] ?? 0) + (counts['submitted'] ?? 0);
    if (moving === 0) await this.#refill();
  }

  /** One process, and what it was. Some are gone before they are hit; then another one is looked for. */
  async #kill(): Promise<Kind | undefined> {
    for (let tries = 0; tries < 50; tries++) {
      const victim = await this.#find(aim(this.#roll()));
      if (!victim || !lives(victim.seen)) continue;
      process.kill(victim.seen.pid, 'SIGKILL');
      this.killed[victim.kind] = (this.killed[victim.kind] ?? 0) + 1;
      return victim.kind;
    }
    return undefined;
  }

  /** A board that was worked through is no storm any more: more of the same. */
  async #refill(): Promise<void> {
    await addTasks(this.#storm.repo, this.#options.seed, this.tasks + 1, 20);
    this.tasks += 20;
    await furrow(this.#storm.repo, 'work', '--parallel', String(this.#agents), '--detach');
  }

  /** Git children and checks live for milliseconds: looks a while for the wanted kind, then takes what there is. */
  async #find(wanted: Kind): Promise<{ seen: Seen; kind: Kind } | undefined> {
    const until = performance.now() + 400;
    for (;;) {
      const farm = processesOf(this.#storm.repo.base);
      this.violations.push(...doubled(farm, lives));
      const late = performance.now() > until;
      const found = choose(farm, wanted, this.#roll(), late);
      if (found || late) return found;
      await sleep(3);
    }
  }
}
