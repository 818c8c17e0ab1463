import { type RefValue, resolve, treeOf } from '../../../src/platform/git/refs.ts';
import { identityOf } from '../../../src/platform/git/repository.ts';
import type { Repo } from '../../../src/platform/git/run.ts';
import { makePlaces, placesOf } from '../../../src/platform/places.ts';
import type { QueuePlan } from '../../../src/queue/plan.ts';
import type { Chain, CheckSpec, QueueSnapshot } from '../../../src/queue/snapshot.ts';
import { adopt } from '../../../src/repo/merge/adopt.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { land, probeLanding } from '../../../src/repo/merge/land.ts';
import { publish } from '../../../src/repo/merge/publish.ts';
import { openStack, type Stack } from '../../../src/repo/merge/stack.ts';
import { headRef } from '../../../src/repo/merge/target-refs.ts';
import type { Policy } from '../../sim/simulate.ts';
import type { Journal, Landing } from './journal.ts';
import type { Slots } from './slots.ts';

export interface Terms {
  readonly policy: Policy;
  readonly batch: number;
  readonly retries: number;
  readonly check: CheckSpec;
  /** Whether the user's branch and checkout follow, and are followed. */
  readonly publishes?: boolean;
}

/** What moves refs and files. A test may put a broken one in its place. */
export interface Hands {
  readonly land: typeof land;
  readonly publish: typeof publish;
  readonly probeLanding: typeof probeLanding;
}

export const HANDS: Hands = { land, publish, probeLanding };

export type Step =
  | 'looks'
  | 'probed'
  | 'stored'
  | 'started'
  | 'answered'
  | 'landing begun'
  | 'landing moved'
  | 'landing done'
  | 'publishing begun'
  | 'published';

/** Called after each step; what it throws is a crash. */
export type Between = (step: Step) => Promise<void>;

const TARGET = 'main';

/**
 * Drives any policy over real merges, checks and landings, without a daemon: the part of a queue that is the same for all.
 * Everything is submitted before it begins, and nothing that was handed back comes again. One that is thrown away can be
 * replaced by another on the same journal.
 */
export class Executor {
  readonly #repo: Repo;
  readonly #terms: Terms;
  readonly #slots: Slots;
  readonly #journal: Journal;
  readonly #hands: Hands;
  readonly #between: Between;
  #stack: Stack | undefined;
  #epoch!: RefValue;
  #tree = '';
  /** Where the user's branch was at the last look, and what was last tried to be published onto what. */
  #seen: string | undefined;
  #tried = '';

  constructor(repo: Repo, terms: Terms, slots: Slots, journal: Journal, hands = HANDS, between: Between = async () => {}) {
    this.#repo = repo;
    this.#terms = terms;
    this.#slots = slots;
    this.#journal = journal;
    this.#hands = hands;
    this.#between = between;
  }

  /** Until nothing moves any more. */
  async run(): Promise<void> {
    await makePlaces(placesOf(this.#repo.root));
    this.#epoch = await nextEpoch(this.#repo);
    await this.#recover();
    for (;;) {
      await this.#between('looks');
      const stack = await this.#follow();
      if (await this.#carryOut(stack, this.#terms.policy(this.#snapshot(stack)))) continue;
      if (this.#slots.running.length === 0) {
        if ((await this.#user()) === this.#seen) return;
        continue;
      }
      const run = await this.#slots.next();
      await this.#between('answered');
      this.#journal.ran(run);
    }
  }

  /** What was begun is looked at before anything else: it was done, or it is done now, or it is planned anew. */
  async #recover(): Promise<void> {
    const { landing, publishing } = this.#journal;
    if (landing) {
      const state = await this.#hands.probeLanding(this.#repo, landing);
      await this.#between('probed');
      await this.#finish(landing, state === 'done' || (state === 'todo' && (await this.#move(landing))));
    }
    if (publishing) await this.#publish(publishing);
  }

  async #user(): Promise<string | undefined> {
    return this.#stack && !this.#terms.publishes ? this.#seen : resolve(this.#repo, `refs/heads/${TARGET}`);
  }

  /** The stack on the head as it is now. */
  async #follow(): Promise<Stack> {
    const user = await this.#user();
    if (user !== this.#seen || !this.#stack) {
      const { head } = await adopt(this.#repo, TARGET, {
        epoch: this.#epoch,
        known: async () => ({
          head: undefined,
          landings: new Map(this.#journal.landings.map((landing) => [landing.new, { published: false }])),
        }),
        store: async ({ requeue }) => this.#journal.requeue(requeue),
        foreign: async () => {},
      });
      this.#seen = user;
      if (this.#stack?.head !== head) this.#stack = await this.#open(head);
    }
    const { head } = this.#stack;
    if (this.#terms.publishes && user !== undefined && user !== head && this.#tried !== `${user} ${head}`) {
      this.#tried = `${user} ${head}`;
      await this.#publish({ old: user, new: head });
    }
    return this.#stack;
  }

  async #open(head: string): Promise<Stack> {
    const committer = await identityOf(this.#repo);
    this.#tree = await treeOf(this.#repo, head);
    const last = this.#journal.landings.find((landing) => landing.new === head);
    const landed = last?.entries.map(({ sha }) => sha) ?? [];
    return openStack(this.#repo, { target: TARGET, history: 'merge', committer, head, headTree: this.#tree, landed });
  }

  /** Does what a plan says. `true`: the world has changed by it, and the plan has to be made again. */
  async #carryOut(stack: Stack, plan: QueuePlan): Promise<boolean> {
    const journal = this.#journal;
    journal.notes = plan.notes;
    if (plan.stack.length > 0) {
      // As the daemon does: no slot waits for the merges of what others check, and what has ended meanwhile is taken in.
      await this.#start(stack, plan);
      await Promise.all(plan.stack.map((chain) => stack.merge(journal.chain(chain))));
      for (const run of await this.#slots.ready()) journal.ran(run);
      return true;
    }
    for (const { entry, state } of plan.states) journal.states.set(entry, state);
    const back = [...plan.handback, ...plan.refuse].map(({ entry }) => entry);
    for (const id of plan.contained) journal.end(id, 'landed');
    for (const { entry } of plan.reject) journal.end(entry, 'rejected');
    for (const id of back) journal.end(id, 'conflict');
    await this.#between('stored');
    for (const { tree } of plan.cancel) await this.#slots.cancel(tree);
    if (plan.land) await this.#land(stack, plan.land.entries);
    if (plan.land || plan.contained.length + back.length + plan.reject.length > 0) return true;
    await this.#start(stack, plan);
    return false;
  }

  async #start(stack: Stack, { checks }: Pick<QueuePlan, 'checks'>): Promise<void> {
    for (const { tree, chain, check } of checks) {
      const commit = chain.length === 0 ? stack.head : (await this.#build(stack, chain)).commit;
      this.#slots.start({ tree, check, commit });
      await this.#between('started');
    }
  }

  #build(stack: Stack, chain: Chain): ReturnType<Stack['build']> {
    return stack.build(this.#journal.chain(chain), [this.#terms.check.name]);
  }

  async #land(stack: Stack, ids: Chain): Promise<void> {
    const { commit, parent } = await this.#build(stack, ids);
    const landing = { ref: headRef(TARGET), old: parent, new: commit, entries: this.#journal.chain(ids) };
    this.#journal.landing = landing;
    await this.#between('landing begun');
    await this.#finish(landing, await this.#move(landing));
    const next = this.#journal.landings.at(-1) === landing ? stack.advance(commit) : undefined;
    this.#stack = next;
    if (!next) return;
    this.#tree = await treeOf(this.#repo, commit);
    await next.remember(this.#epoch);
  }

  async #move({ ref, old, new: to }: Landing): Promise<boolean> {
    const { moved } = await this.#hands.land(this.#repo, { ref, old, new: to, parent: old, epoch: this.#epoch });
    await this.#between('landing moved');
    return moved;
  }

  /** Lost: the head went elsewhere, and the entries, which are still open, are planned on it. */
  async #finish(landing: Landing, landed: boolean): Promise<void> {
    if (landed) this.#journal.landed(landing);
    this.#journal.landing = undefined;
    await this.#between('landing done');
  }

  async #publish(publication: { old: string; new: string }): Promise<void> {
    this.#journal.publishing = publication;
    await this.#between('publishing begun');
    await this.#hands.publish(this.#repo, TARGET, { ...publication, epoch: this.#epoch });
    await this.#between('published');
    this.#journal.publishing = undefined;
  }

  #snapshot(stack: Stack): QueueSnapshot {
    const { batch, retries, check } = this.#terms;
    const journal = this.#journal;
    const landedTasks = journal.landedTasks();
    return {
      head: stack.head,
      headTree: this.#tree,
      entries: journal.entries(),
      landedTasks,
      stacked: stack.results(),
      runs: journal.runs,
      checks: [check],
      running: this.#slots.running,
      retries,
      slots: this.#slots.count,
      batch,
      record: { passes: landedTasks.size, fails: journal.ends.filter(({ state }) => state === 'rejected').length },
      paused: false,
      notes: journal.notes,
    };
  }
}
