import { setTimeout as sleep } from 'node:timers/promises';
import { Judge } from './judge.ts';
import { Kills } from './kills.ts';
import { Person } from './person.ts';
import { nextStep } from './steps/index.ts';
import { glance, untouched, verify } from './verify.ts';
import type { Violation } from './violation.ts';
import { addTasks, ask, type World, work } from './world.ts';

const LOOK_MS = 150;
const PATIENCE_MS = 90_000;

/** No more tasks are added while this many for each agent wait in the queue. */
const QUEUED = 4;

/** One farm with a person beside it, watched from outside, until the first violation. */
export class Storm {
  readonly person: Person;
  readonly judge: Judge;
  readonly kills: Kills;
  /** How often each step was done. */
  readonly done = new Map<string, number>();
  #watching: Promise<void> | undefined;
  #over = false;

  constructor(world: World) {
    this.person = new Person(world);
    this.judge = new Judge(world);
    this.kills = new Kills(this.person);
  }

  get violations(): readonly Violation[] {
    return this.person.violations;
  }

  get isOver(): boolean {
    return this.person.violations.length > 0;
  }

  async begin(): Promise<void> {
    await this.person.begin();
    const said = await work(this.person.world);
    if (said.code !== 0) this.person.wrong('everything comes to its end', `furrow work --detach: exit ${said.code}: ${said.stderr.trim()}`);
    this.#watching = this.#watch();
  }

  async end(): Promise<void> {
    this.#over = true;
    this.kills.stop();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#over) {
      await this.person.history.poll([...this.person.targets]);
      await sleep(LOOK_MS);
    }
  }

  /** A step, with everything asked for before and after it. */
  async step(name: string, run: (person: Person) => Promise<void>): Promise<void> {
    const { person } = this;
    if (this.isOver) return;
    for (const { promise, text } of await untouched(person)) person.wrong(promise, `before ${name}: ${text}`);
    if (this.isOver) return;
    person.tell(`== ${name}`);
    await run(person);
    if (this.isOver) return;
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
    await this.check(name);
  }

  /** Waits for something that must come, with an eye on all that must not. */
  async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (let looks = 0; !this.isOver && !(await isSo()); looks++) {
      if (performance.now() > end) this.person.wrong('everything comes to its end', `${PATIENCE_MS / 1000} s, and still not: ${what}`);
      if (looks % 10 === 9) for (const { promise, text } of await glance(this.person, this.judge)) this.person.wrong(promise, text);
      await sleep(50);
    }
  }

  async check(name: string): Promise<void> {
    for (const { promise, text } of await verify(this.person, this.judge)) this.person.wrong(promise, `after ${name}: ${text}`);
  }

  /** Whatever comes to the person's mind, for so long. */
  async roam(ms: number, skip: readonly string[], progress: () => void): Promise<void> {
    for (const until = performance.now() + ms; performance.now() < until && !this.isOver; progress()) {
      const { name, run } = nextStep(this.person, skip);
      await this.step(name, run);
      if (this.isOver) return;
      await this.#refill();
      await this.person.pause(100, 1200);
    }
  }

  /** A board that was worked through is no storm any more. */
  async #refill(): Promise<void> {
    const { world } = this.person;
    const status = await ask(world, 'status', '--json');
    if (status.code !== 0) return;
    const { tasks } = status.json() as { tasks: Record<string, number> };
    if ((tasks['ready'] ?? 0) + (tasks['leased'] ?? 0) >= world.agents) return;
    // While main is red nothing lands, and what waits must still be able to land in the time that is given at the end.
    if ((tasks['submitted'] ?? 0) > QUEUED * world.agents) return;
    await addTasks(world, world.agents);
    this.person.tell(`${world.agents} more tasks`);
    await work(world);
  }
}
