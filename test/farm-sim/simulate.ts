import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { eventsAfter } from '../../src/journal/event.ts';
import { openWork } from '../../src/work/store.ts';
import { isSatisfied } from '../../src/work/task/derive.ts';
import { addTask } from './board.ts';
import { type Daemon, type Place, startDaemon } from './farm.ts';
import { act, answerAll, commitToMain, read, say, startWork, takeOut } from './people.ts';
import { nothingSeen, obey } from './rules.ts';
import { Store } from './store.ts';
import { calmAt, type Story } from './story.ts';
import { DAY, HOUR, MINUTE } from './time.ts';
import type { Violation } from './violation.ts';
import { REMOTE, World } from './world.ts';

export interface Played {
  /** Of the event table: the same story has the same. */
  readonly hash: string;
  readonly violation: Violation | undefined;
  readonly told: readonly string[];
  readonly landed: number;
  readonly crashes: number;
  readonly ticks: number;
}

/** A farm looks without a reason every ten seconds, for what nobody told it of. Here everything is told, so this is rare. */
const LOOK_MS = HOUR;

/** At the end people answer so often. */
const VISIT_MS = 15 * MINUTE;

/** More looks without a step of time are a loop that would never end. */
const MOST_LOOKS = 200;

/** Plays a story to its end, or to the first rule that is broken. */
export async function play(story: Story): Promise<Played> {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'farm-sim-'));
  const store = new Store();
  await store.begin();
  const run = new Run(story, { root, store });
  try {
    return await run.play();
  } finally {
    run.end();
    store.close();
    rmSync(root, { recursive: true, force: true });
  }
}

class Run {
  readonly #world: World;
  readonly #place: Place;
  readonly #seen = nothingSeen();
  #daemon!: Daemon;
  /** The commit at which the daemon dies, counted from now. */
  #fuse: { left: number; when: 'before' | 'after' } | undefined;
  #crashes = 0;
  #ticks = 0;

  constructor(story: Story, place: Place) {
    this.#world = new World(story);
    this.#place = place;
  }

  async play(): Promise<Played> {
    const world = this.#world;
    const { story, time } = world;
    mkdirSync(join(this.#place.root, '.git'), { recursive: true });
    mkdirSync(join(this.#place.root, 'board/tasks'), { recursive: true });
    // The tasks of the story have their numbers already.
    writeFileSync(join(this.#place.root, 'board/config.yml'), 'next_id: 1001\n');
    world.wake = () => {
      this.#daemon.wanted = true;
    };
    world.say = (process, words) => say(world, this.#daemon, process, words);
    world.read = (process) => read(world, this.#daemon, process);
    world.ask = (what) => void what(this.#daemon).catch(() => {});
    world.commit = () => commitToMain(world, this.#daemon, time.awake);
    world.takeOut = () => takeOut(world, this.#daemon, 3);
    world.startWork = () => void startWork(world, this.#daemon);
    world.dieAfter = (commits) => {
      this.#fuse = { left: 1 + commits, when: 'after' };
    };
    const stopped = join(this.#place.root, '.git/furrow.run/stopped');
    // Only a person makes the file.
    world.isStopped = () => world.stoppedAt !== undefined && existsSync(stopped);
    world.lookAtBoard = () => {
      this.#daemon.state.boardDirty = true;
      this.#daemon.wanted = true;
    };
    for (const task of story.tasks)
      time.after(task.at, () => {
        addTask(join(this.#place.root, 'board'), task);
        world.lookAtBoard();
      });
    for (const deed of story.deeds)
      time.after(deed.at, () => this.#deed(deed.do, () => act(world, this.#daemon, this.#place, deed), deed.n));
    const look = () => {
      world.wake();
      time.after(LOOK_MS, look);
    };
    time.after(LOOK_MS, look);
    const visit = () => void time.after(VISIT_MS, visit);
    time.after(calmAt(story), () => {
      world.calm = true;
      visit();
    });
    await this.#start();
    world.time.after(1, () => world.startWork());
    const end = time.awake + story.days * DAY;
    const calm = time.awake + calmAt(story);
    for (;;) {
      await this.#settle();
      if (world.broken) break;
      const due = time.next(end);
      if (!due) break;
      await this.#guard(due);
      if (world.calm && time.awake >= calm) await this.#help();
    }
    if (!world.broken) await this.#assertDone();
    const { hash, landed } = await this.#sum();
    return { hash, violation: world.broken, told: world.told, landed, crashes: this.#crashes, ticks: this.#ticks };
  }

  #helped = 0;

  /** Every quarter of an hour at the end people answer what they are asked. */
  async #help(): Promise<void> {
    const { time } = this.#world;
    if (!this.#world.story.answers || time.awake - this.#helped < VISIT_MS) return;
    this.#helped = time.awake;
    // A daemon that was killed may have heard the word to begin, and not have stored it.
    const begin = async () => {
      if (this.#world.isStopped() || (await openWork(this.#daemon.db)).length === 0) await startWork(this.#world, this.#daemon);
    };
    await this.#guard(begin);
    await this.#guard(() => answerAll(this.#world, this.#daemon));
  }

  async #start(): Promise<void> {
    const dies = () => {
      if (!this.#fuse || --this.#fuse.left > 0) return undefined;
      const { when } = this.#fuse;
      this.#fuse = undefined;
      return when;
    };
    this.#daemon = await startDaemon(this.#world, this.#place, dies);
    let recovered = false;
    void this.#daemon.recovered.then(
      () => (recovered = true),
      () => (recovered = true),
    );
    for (let n = 0; !recovered && n < MOST_LOOKS; n++) {
      await turn();
      if (recovered) break;
      const due = this.#world.time.next(this.#world.time.awake + MINUTE);
      if (due) await due();
    }
  }

  async #deed(what: string, otherwise: () => Promise<void>, n: number): Promise<void> {
    if (this.#world.calm) return;
    if (what === 'crash') {
      this.#world.tell('the daemon is killed');
      this.#daemon.kill();
    } else if (what === 'crash-at-commit') this.#fuse = { left: 1 + (n % 12), when: n % 2 === 0 ? 'before' : 'after' };
    else await otherwise();
  }

  /** What happens may end the daemon, and then whatever waited for it fails. */
  async #guard(what: () => unknown): Promise<void> {
    const daemon = this.#daemon;
    try {
      await what();
    } catch (error) {
      if (daemon.isAlive()) throw error;
    }
  }

  /** Lets everything of this instant happen: looks until nothing wants one, and begins again where the daemon died. */
  async #settle(): Promise<void> {
    for (let looks = 0; ; looks++) {
      await turn();
      const daemon = this.#daemon;
      if (!daemon.isAlive()) {
        this.#crashes++;
        this.#world.tell('a new daemon begins');
        daemon.kill();
        await this.#start();
        continue;
      }
      if (!daemon.wanted) break;
      if (looks > MOST_LOOKS) return this.#world.break('a look never fails', 'the loop goes on waking itself');
      daemon.wanted = false;
      this.#ticks++;
      await daemon.tick().catch((error: Error) => {
        if (daemon.isAlive()) this.#world.break('a look never fails', error.stack ?? error.message);
      });
      await turn();
      // What one look has changed the next may have to follow first.
      if (daemon.isAlive() && !daemon.wanted && !this.#world.broken) await this.#guard(() => obey(this.#world, daemon, this.#seen));
      if (this.#world.broken) return;
    }
  }

  async #assertDone(): Promise<void> {
    const { tasks } = await this.#daemon.farm.tasks();
    const left = tasks.filter((task) => task.purpose === 'work' && !isSatisfied(task));
    if (left.length > 0)
      this.#world.break(
        'nothing is stuck',
        left.map(({ ref, standing, block_reason: why }) => `${ref} is ${standing}${why ? ` (${why})` : ''}`).join(', '),
      );
    const target = this.#world.objects.at('refs/heads/main').id;
    const there = new Set(
      [...this.#world.landed].flatMap(([at, works]) => (this.#world.objects.isAncestor(at, target) ? works.map(({ ref }) => ref) : [])),
    );
    const landings = await this.#daemon.db.selectFrom('landing').selectAll().execute();
    for (const { commit } of landings.filter(({ removed }) => removed === null))
      for (const { ref } of this.#world.landed.get(commit) ?? [])
        if (!there.has(ref)) this.#world.break('what landed is in the target', `${ref}, which landed as ${commit.slice(0, 8)}`);
    if (this.#world.objects.ref('refs/heads/main') !== this.#world.objects.ref('refs/furrow/head/main'))
      this.#world.break('nothing is stuck', 'what landed was never published');
    const unsaid = landings.find(({ commit, removed }) => removed === null && !this.#world.objects.isAncestor(commit, target));
    if (unsaid) this.#world.break('what a person took out stays out', `${unsaid.commit.slice(0, 8)} still counts as landed`);
    const newest = landings.findLast(({ published, removed }) => published !== null && removed === null)?.commit;
    if (
      this.#world.story.pushes &&
      newest !== undefined &&
      !this.#world.objects.isAncestor(newest, this.#world.objects.ref(REMOTE) ?? newest)
    )
      this.#world.break('nothing is stuck', 'what was published was never pushed');
  }

  async #sum(): Promise<{ hash: string; landed: number }> {
    if (!this.#daemon.isAlive()) await this.#start();
    const events = await eventsAfter(this.#daemon.db, 0, 1e6);
    const hash = createHash('sha256').update(JSON.stringify(events).replaceAll(this.#place.root, '')).digest('hex').slice(0, 16);
    return { hash, landed: [...this.#world.landed.values()].flat().length };
  }

  end(): void {
    this.#daemon?.kill();
  }
}
