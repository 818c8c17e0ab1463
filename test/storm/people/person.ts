import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../../../src/agents/agent/scripted/random.ts';
import type { Finished } from '../../../src/platform/exec.ts';
import { Force } from './force.ts';
import { lines, look, PERSON, tryLook, typeGit } from './git.ts';
import { branchesOf, chainOf, History } from './history.ts';
import { isTracked, type Mine } from './mine.ts';
import { Standstill } from './standstill.ts';
import type { Promised, Violation } from './violation.ts';
import { ask, type World } from './world.ts';

/** Whoever meets the lock of another git waits a moment and says it again. */
const LOCKED = /Unable to create '.*\.lock': File exists/;

/** `git stash push` that meets the lock of the index ends with 1, changes nothing and says nothing (seen with 2.39.5). */
function metLock({ code, stderr }: Finished, args: readonly string[]): boolean {
  const silent = args[0] === 'stash' && args[1] === 'push' && stderr.trim() === '';
  return code !== 0 && (silent || LOCKED.test(stderr));
}

const LOCK_PATIENCE_MS = 60_000;
/** A lock that is still there after this belongs to a git that was killed; a command wakes the daemon that puts it away. */
const WAKE_MS = 2000;
/** With nothing in the way what the person asked for is done within this, beside all that waits before it. */
const PATIENCE_MS = 120_000;

/** The person: what they do to the repository, and what they know of it themselves. */
export class Person {
  readonly world: World;
  readonly force: Force;
  readonly history: History;
  readonly roll: () => number;
  /** Their files that are not committed. */
  mine: Mine = new Map();
  /** Paths that an operation of theirs, half-way, has in its hands. */
  loose = new Set<string>();
  /** Own branches, HEAD and stash, as they were after their last command. */
  branches = new Map<string, string>();
  head = '';
  stash: string[] = [];
  /** Landed tasks that they asked for again. */
  readonly retried = new Set<number>();
  readonly targets = new Set(['main']);
  readonly story: string[] = [];
  readonly violations: Violation[] = [];
  /** While they keep the farm stopped nobody else starts it. */
  keepsStopped = false;
  readonly standstill = new Standstill();
  /** When the store was lost last; what it alone knew is lost too. */
  storeLost = 0;
  /** How many branches they have submitted. */
  offers = 0;
  readonly #started = Date.now();
  #edits = 0;

  constructor(world: World) {
    this.world = world;
    this.force = new Force(world);
    this.history = new History(world);
    this.roll = dice(`${world.seed}/person`);
  }

  async begin(): Promise<this> {
    await this.observe();
    await this.force.look(0);
    await this.history.skip([...this.branches.keys()]);
    return this;
  }

  get atHome(): boolean {
    return this.head === 'ref: refs/heads/main';
  }

  /** The branch they are on; nothing when HEAD is detached. */
  get branch(): string | undefined {
    return /^ref: refs\/heads\/(.+)$/.exec(this.head)?.[1];
  }

  tell(line: string): void {
    this.story.push(`${((Date.now() - this.#started) / 1000).toFixed(1).padStart(7)}  ${line}`);
  }

  wrong(promise: Promised, text: string): void {
    this.tell(`WRONG, ${promise}: ${text}`);
    this.violations.push({ promise, text });
  }

  chance(part: number): boolean {
    return this.roll() < part;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.roll() * from.length)]!;
  }

  pause(least: number, most: number): Promise<void> {
    return sleep(least + this.roll() * (most - least));
  }

  git(...args: string[]): Promise<Finished> {
    return this.gitWith({}, ...args);
  }

  async gitWith(env: Record<string, string>, ...args: string[]): Promise<Finished> {
    const [since, begun] = [Date.now(), performance.now()];
    let done = await typeGit(this.world, args, env);
    let woken = false;
    while (metLock(done, args) && performance.now() < begun + LOCK_PATIENCE_MS) {
      // Beside their own tries: the moment in which a new daemon puts the lock away is the dangerous one.
      if (performance.now() > begun + WAKE_MS && !this.keepsStopped && !woken) {
        woken = true;
        void ask(this.world, 'status', '--json');
      }
      await sleep(10);
      done = await typeGit(this.world, args, env);
    }
    const said = done.code === 0 ? '' : ` -> ${done.code}: ${done.stderr.trim().split('\n').slice(0, 2).join(' ')}`;
    this.tell(`git ${args.join(' ')}${said}`);
    if (metLock(done, args))
      this.wrong('everything comes to its end', `a lock was left for ${LOCK_PATIENCE_MS / 1000} s: ${done.stderr.trim()}`);
    await this.force.look(since);
    await this.observe();
    return done;
  }

  /** A git that nothing may keep from succeeding. */
  async must(...args: string[]): Promise<Finished> {
    const done = await this.git(...args);
    if (done.code !== 0) this.wrong('git status is true', `git ${args.join(' ')} failed: ${done.stderr.trim()}`);
    return done;
  }

  /** Their own command has just ended: so the world is now. */
  async observe(): Promise<void> {
    this.head = (await readFile(join(this.world.gitDir, 'HEAD'), 'utf8')).trim();
    this.branches = await branchesOf(this.world);
    this.stash = lines(await tryLook(this.world, 'stash', 'list', '--format=%H'));
  }

  text(what: string): string {
    return `${what}, edit ${++this.#edits} of ${this.world.seed}\n`;
  }

  /** Writes a file. `xy` is what git status must say of it from now on; nothing: it is as in HEAD again. */
  async write(path: string, content: string, xy: string | undefined): Promise<void> {
    const since = Date.now();
    const at = join(this.world.repo.root, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, content);
    if (xy === undefined) this.mine.delete(path);
    else this.mine.set(path, { xy, content });
    this.tell(`wrote ${path}`);
    await this.force.look(since);
  }

  /** Commits what is staged. The commit must have exactly their changes, whatever lands beside it. */
  async commit(paths: readonly string[], ...args: string[]): Promise<void> {
    let done = await this.git('commit', '--quiet', ...args);
    for (let tries = 1; done.code !== 0 && /cannot lock ref/.test(done.stderr) && tries < 6; tries++) {
      done = await this.git('commit', '--quiet', ...args);
    }
    if (done.code === 0) await this.committed(paths);
    else this.wrong('git status is true', `git commit ${args.join(' ')} failed: ${done.stderr.trim() || done.stdout.trim()}`);
  }

  /** They have just committed these, and whatever else was staged. */
  async committed(paths: readonly string[]): Promise<void> {
    const staged = [...this.mine].filter(([, { xy }]) => xy === 'M ' || xy === 'A ').map(([path]) => path);
    const made = await this.lastMove();
    const names = lines(await look(this.world, 'diff', '--name-only', '--no-renames', made.old, made.new));
    const others = names.filter((name) => !paths.includes(name) && !staged.includes(name) && !name.startsWith('board/'));
    if (others.length > 0) this.wrong('git status is true', `the person's commit ${made.new} also changes ${others.join(', ')}`);
    for (const path of new Set([...paths, ...staged])) {
      if (!names.includes(path))
        this.wrong("nothing of the person's is lost", `the person's commit ${made.new} lacks their change of ${path}`);
      this.mine.delete(path);
    }
  }

  /** The person's last move of HEAD, by its reflog; in the checkout, or in the worktree with this folder of git's. */
  async lastMove(gitDir = this.world.gitDir): Promise<{ old: string; new: string }> {
    const all = lines(await readFile(join(gitDir, 'logs/HEAD'), 'utf8'));
    const line = all.findLast((one) => one.includes(` ${PERSON} <`)) ?? '';
    return { old: line.slice(0, 40), new: line.slice(41, 81) };
  }

  /** How many commits main has had on top of those before the storm: no further back goes anybody. */
  async depth(): Promise<number> {
    return (await chainOf(this.world, `${this.world.first}..main`)).length;
  }

  /** Gives up what is not committed, so that git lets them do what needs a clean checkout. */
  async tidy(): Promise<void> {
    for (const [path, one] of [...this.mine]) {
      if (!isTracked(one)) continue;
      if (one.xy === 'A ') await this.must('rm', '--quiet', '--force', '--', path);
      else await this.must('checkout', '--quiet', 'HEAD', '--', path);
      this.mine.delete(path);
    }
  }

  /** Waits for something that must come. */
  async until(promise: Promised, what: string, isSo: () => Promise<boolean>): Promise<boolean> {
    for (const end = performance.now() + PATIENCE_MS; !(await isSo()); await sleep(200)) {
      if (performance.now() < end) continue;
      this.wrong(promise, `${PATIENCE_MS / 1000} s, and still not: ${what}`);
      return false;
    }
    return true;
  }

  /** Waits for the moment in which something has landed and is about to be published. */
  async pounce(): Promise<void> {
    const file = join(this.world.gitDir, `refs/furrow/head/${this.force.now.target}`);
    const at = async () => readFile(file, 'utf8').catch(() => '');
    const before = await at();
    const until = performance.now() + 4000;
    while ((await at()) === before && performance.now() < until) await sleep(2);
    await sleep(this.roll() * 80);
    this.tell('something has just landed');
  }
}
