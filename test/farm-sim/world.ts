import { dice, type Roll } from '../sim/random.ts';
import type { Daemon } from './farm.ts';
import { Objects } from './objects.ts';
import type { Words } from './people.ts';
import type { Story } from './story.ts';
import { Time } from './time.ts';
import { type Rule, Violation } from './violation.ts';

/** The target at the remote. */
export const REMOTE = 'refs/remotes/origin/main';

/** A process of an attempt. It outlives the daemon. */
export interface Process {
  readonly attempt: number;
  readonly n: number;
  readonly task: string;
  readonly agent: string;
  readonly pid: number;
  readonly since: number;
  /** Where its branch began. */
  readonly base: string;
  tip: string;
  dirty: boolean;
  alive: boolean;
  exit: number | undefined;
}

/** Everything outside of the daemon: time, the repository, processes, people. It knows what is true. */
export class World {
  readonly story: Story;
  readonly time = new Time();
  readonly objects = new Objects();
  readonly processes = new Map<number, Process>();
  /** What happened, in the words of a short story. */
  readonly told: string[] = [];
  stoppedAt: number | undefined;
  /** The number of the daemon that lives. */
  generation = 0;
  /** Passed checks, by tree and check. */
  readonly passes = new Set<string>();
  /** How often a check was red, by tree and check. */
  readonly reds = new Map<string, number>();
  /** Commits that the queue has merged onto. */
  readonly heads = new Set<string>();
  /** Messages that were taken from people, by their text: the agent they are for. */
  readonly sent = new Map<string, string>();
  /** Landings by commit: the entries' work. */
  readonly landed = new Map<string, { ref: string; attempt: number }[]>();
  /** Landings and own commits that a person took out of the target. */
  readonly takenOut = new Set<string>();
  /** The provider of all agents refuses to serve, by the time of day. */
  limit: { readonly at: number; readonly until: number } | undefined;
  readonly approvals = new Set<string>();
  /** Commits that a reviewer has approved, and tasks that a person let land instead. */
  readonly reviewed = new Set<string>();
  readonly overruled = new Set<string>();
  readonly crashedAt = new Map<string, number>();
  /** Tasks that a person ordered to be done again. */
  readonly again = new Set<string>();
  /** The bad things are over: agents do their work, and nothing crashes. */
  calm = false;
  broken: Violation | undefined;
  /** Wakes the daemon that lives, if there is one. */
  wake: () => void = () => {};
  /** An agent says that its work is done. */
  say: (process: Process, words: Words) => Promise<void> = async () => {};
  lookAtBoard: () => void = () => {};
  startWork: () => void = () => {};
  /** A person commits to the target. */
  commit: () => Promise<void> = async () => {};
  /** The daemon dies at its next commits but so many. */
  dieAfter: (commits: number) => void = () => {};
  /** A person moves the target back by a commit. */
  takeOut: () => Promise<void> = async () => {};
  /** Asks the daemon that lives then. */
  ask: (what: (daemon: Daemon) => Promise<unknown>) => void = () => {};
  read: (process: Process) => Promise<void> = async () => {};
  readonly inboxes = new Map<string, number[]>();
  isStopped: () => boolean = () => false;
  /** Lines of the daemon's log. */
  warn: (fields: object, text: string) => void = () => {};
  readonly #rolls = new Map<string, Roll>();
  #pids = 1000;

  constructor(story: Story) {
    this.story = story;
    const files = new Map(Array.from({ length: 12 }, (_, n) => [`src/m${n}.ts`, 'first']));
    const first = this.objects.commit({ tree: this.objects.tree(files), parents: [], subject: 'first' });
    this.objects.move('refs/heads/main', first);
  }

  /** Dice of their own for each name: what one part draws changes nothing for another. */
  roll(name: string): Roll {
    const known = this.#rolls.get(name) ?? dice(`${this.story.seed}/${name}`);
    this.#rolls.set(name, known);
    return known;
  }

  nextPid(): number {
    return this.#pids++;
  }

  tell(text: string): void {
    const at = new Date(this.time.awake).toISOString().slice(8, 19).replace('T', ' ');
    this.told.push(`${at}  ${text}`);
  }

  break(rule: Rule, detail: string): void {
    this.broken ??= new Violation(rule, detail);
  }

  /** Resolves after so much virtual time, unless the daemon that waits has died by then; then nobody hears of it. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const generation = this.generation;
    return new Promise((done, failed) => {
      const cancel = this.time.after(ms, () => (generation === this.generation ? done() : undefined));
      signal?.addEventListener('abort', () => {
        cancel();
        if (generation === this.generation) failed(signal.reason as Error);
      });
    });
  }

  readonly #noted = new Set<string>();

  /** Notes were written into a task file. Those about an attempt are of one moment: nobody has a reason to write them again. */
  noted(ref: string, notes: readonly string[]): void {
    for (const note of notes.filter((text) => /attempt \d+: /.test(text))) {
      const name = `${ref} ${note}`;
      if (this.#noted.has(name)) this.break('a note is written once', name);
      this.#noted.add(name);
    }
  }

  alive(): Process[] {
    return [...this.processes.values()].filter((one) => one.alive);
  }

  isTaskLanded(ref: string): boolean {
    return [...this.landed.values()].some((works) => works.some((one) => one.ref === ref));
  }
}
