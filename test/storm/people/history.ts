import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lines, look, PERSON, tryLook } from './git.ts';
import type { Promised, Violation } from './violation.ts';
import type { World } from './world.ts';

/** A commit of a first-parent chain. */
export interface Landing {
  readonly commit: string;
  readonly tree: string;
  readonly tasks: readonly number[];
  readonly checks: readonly string[];
  /** It was not there at `after`, and was at `before`. */
  readonly after: number;
  readonly before: number;
}

/** One line of a branch's reflog. */
interface Moved {
  readonly old: string;
  readonly new: string;
  readonly byPerson: boolean;
  readonly what: string;
}

const FORMAT = [
  '%H',
  '%T',
  '%cn',
  '%(trailers:key=Furrow-Task,valueonly,separator=%x2C)',
  '%(trailers:key=Furrow-Check,valueonly,separator=%x2C)',
  '%(trailers:key=Furrow-Branch,valueonly,separator=%x2C)',
].join('%x09');

interface Commit {
  readonly commit: string;
  readonly tree: string;
  readonly byPerson: boolean;
  readonly tasks: number[];
  readonly checks: string[];
  /** Branches that a person submitted. */
  readonly offers: string[];
}

const isLanding = ({ tasks, offers }: Commit) => tasks.length + offers.length > 0;

/** The first-parent commits of a range, newest first. */
export async function chainOf(world: World, ...range: string[]): Promise<Commit[]> {
  const text = await tryLook(world, 'log', '--first-parent', `--format=${FORMAT}`, ...range);
  return lines(text).map((line) => {
    const [commit = '', tree = '', name, tasks = '', checks = '', offers = ''] = line.split('\t');
    const words = (list: string) => list.split(',').filter(Boolean);
    return {
      commit,
      tree,
      byPerson: name === PERSON,
      // A branch has its name there.
      tasks: words(tasks)
        .map((ref) => Number(ref.slice(ref.lastIndexOf('/') + 1)))
        .filter((id) => !Number.isNaN(id)),
      checks: words(checks).map((check) => check.replace(/ ok$/, '')),
      offers: words(offers),
    };
  });
}

/** Numbers of the tasks whose file is in a commit. */
export async function taskFiles(world: World, commit: string): Promise<Set<number>> {
  const names = lines(await tryLook(world, 'ls-tree', '--name-only', commit, 'work/'));
  return new Set(names.flatMap((name) => /^work\/task-(\d+)\.txt$/.exec(name)?.[1] ?? []).map(Number));
}

/** The refs of a repository as they move, seen from outside. */
export class History {
  /** What furrow landed, each once. */
  readonly landings: Landing[] = [];
  /** When a task was first seen on the target. */
  readonly published = new Map<number, number>();
  /** Tasks whose landing the person took out, since when, and of which branch: another that has it keeps it. */
  readonly removed = new Map<number, { readonly since: number; readonly from: string }>();
  readonly violations: Violation[] = [];
  readonly #world: World;
  readonly #known = new Set<string>();
  readonly #values = new Map<string, string>();
  readonly #read = new Map<string, number>();
  #looked = Date.now();
  #polling = Promise.resolve();

  constructor(world: World) {
    this.#world = world;
  }

  /** Notes landings that are new on the verified chains and on the targets; one look at a time. */
  poll(targets: readonly string[]): Promise<void> {
    this.#polling = this.#polling.then(() => this.#poll(targets));
    return this.#polling;
  }

  async #poll(targets: readonly string[]): Promise<void> {
    const [after, before] = [this.#looked, Date.now()];
    for (const ref of targets.flatMap((target) => [`refs/furrow/head/${target}`, `refs/heads/${target}`])) {
      const value = await this.#valueOf(ref);
      if (value === undefined || value === this.#values.get(ref)) continue;
      this.#values.set(ref, value);
      for (const one of await chainOf(this.#world, `${this.#world.first}..${value}`)) {
        if (ref.startsWith('refs/heads/'))
          for (const task of one.tasks) if (!this.published.has(task)) this.published.set(task, Date.now());
        if (this.#known.has(one.commit) || one.byPerson || !isLanding(one)) continue;
        this.#known.add(one.commit);
        this.landings.push({ ...one, after, before: Math.max(before, Date.now()) });
      }
    }
    this.#looked = before;
  }

  /** A loose ref is a file: no process for each look. A packed or symbolic one is not. */
  async #valueOf(ref: string): Promise<string | undefined> {
    const loose = await readFile(join(this.#world.gitDir, ref), 'utf8').catch(() => undefined);
    const plain = /^[0-9a-f]{40}$/.exec(loose?.trim() ?? '')?.[0];
    return plain ?? tryLook(this.#world, 'rev-parse', '--verify', '--quiet', ref);
  }

  /** What was before the storm was nobody's deed. */
  async skip(branches: readonly string[]): Promise<void> {
    for (const branch of branches) await this.#newMoves(branch);
  }

  /** Follows the reflogs of all branches of the person's, and of the targets. */
  async follow(branches: readonly string[], targets: readonly string[]): Promise<void> {
    for (const branch of branches) {
      for (const moved of await this.#newMoves(branch)) {
        if (!targets.includes(branch)) {
          if (!moved.byPerson)
            this.#wrong(
              'only the target moves',
              `${branch} is not the target, but furrow moved it: ${moved.old} to ${moved.new} (${moved.what})`,
            );
        } else if (moved.byPerson) await this.#personMoved(branch, moved);
        else await this.#furrowMoved(branch, moved);
      }
    }
  }

  async #newMoves(branch: string): Promise<Moved[]> {
    const all = lines(await readFile(join(this.#world.gitDir, 'logs/refs/heads', branch), 'utf8').catch(() => ''));
    // It begins anew with a branch that was made again.
    const before = this.#read.get(branch) ?? 0;
    const seen = all.length < before ? 0 : before;
    this.#read.set(branch, all.length);
    return all.slice(seen).map((line) => {
      const [head = '', what = ''] = line.split('\t');
      return { old: head.slice(0, 40), new: head.slice(41, 81), byPerson: head.includes(` ${PERSON} <`), what };
    });
  }

  /** What the person took out stays out; what they bring back themselves is theirs. */
  async #personMoved(branch: string, moved: Moved): Promise<void> {
    const [before, after] = [await taskFiles(this.#world, moved.old), await taskFiles(this.#world, moved.new)];
    for (const task of before) if (!after.has(task)) this.removed.set(task, { since: Date.now(), from: branch });
    for (const task of after) if (!before.has(task)) this.removed.delete(task);
  }

  #wrong(promise: Promised, text: string): void {
    this.violations.push({ promise, text });
  }

  /** Forward, by landings alone. Going back is only the end of a publication that did not succeed. */
  async #furrowMoved(branch: string, moved: Moved): Promise<void> {
    if (/^0+$/.test(moved.old)) return;
    const forward = await chainOf(this.#world, `${moved.old}..${moved.new}`);
    const back = await chainOf(this.#world, `${moved.new}..${moved.old}`);
    if (back.length > 0) {
      const own = back.filter((one) => one.byPerson || !isLanding(one));
      if (forward.length > 0 || own.length > 0)
        this.#wrong(
          "nothing of the person's is lost",
          `furrow moved ${branch} from ${moved.old} to ${moved.new}, which lacks ${(own[0] ?? back[0]!).commit}`,
        );
      for (const task of back.flatMap(({ tasks }) => tasks)) this.published.delete(task);
      return;
    }
    const strange = forward.filter((one) => !isLanding(one));
    for (const one of strange) this.#wrong('only the target moves', `furrow put ${one.commit} on ${branch}, which is no landing`);
  }
}

/** Own branches by name and value, a symbolic one by where it leads; those of furrow's agents are left out. */
export async function branchesOf(world: World): Promise<Map<string, string>> {
  const text = await look(
    world,
    'for-each-ref',
    '--format=%(refname:lstrip=2) %(if)%(symref)%(then)%(symref)%(else)%(objectname)%(end)',
    'refs/heads',
  );
  const all = lines(text).map((line) => line.split(' ') as [string, string]);
  return new Map(all.filter(([name]) => !name.startsWith('furrow/')));
}
