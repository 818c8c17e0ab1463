import { mkdir } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { basename } from 'node:path';
import { treeOf } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { remove } from '../../platform/git/trash.ts';
import { limiter } from '../../platform/limit.ts';
import { killTree } from '../../platform/process/kill.ts';
import type { Slot } from '../merge/slot.ts';
import { type BuildOrder, buildTemplate, runSetup } from './build.ts';
import { decidingFiles, keyOf } from './key.ts';
import { sharing } from './once-for-all.ts';
import { type Found, findTemplate, leftOvers, noteUse } from './template.ts';
import { toolsOf, versionsOf } from './tools.ts';

/** The set-up of the configuration in force. */
export interface SetupPlan {
  readonly commands: readonly string[];
  /** `worktree.setup_files`. */
  readonly files: readonly string[];
  /** `worktree.copy`. */
  readonly copy: readonly string[];
}

/** The services that set-ups need from the daemon. */
interface SetupHost {
  readonly repo: Repo;
  readonly templates: string;
  /** Asked each time, because the configuration may change. */
  plan(): SetupPlan;
  env(): Readonly<Record<string, string>>;
  /** The slot of this name, to run set-up in. */
  slot(name: string): Slot;
  /** A new file for the output of a set-up. */
  log(name: string): string;
  tell(event: SetupEvent): Promise<void>;
}

export type SetupEvent =
  | {
      readonly kind: 'setup.started';
      readonly commands: readonly string[];
      readonly key: string;
      readonly log: string;
      readonly tree: string;
    }
  | { readonly kind: 'setup.built'; readonly template: Found; readonly log: string }
  | { readonly kind: 'setup.failed'; readonly key: string; readonly error: Error };

export interface Setups {
  /** The key of what set-up makes of a tree; `undefined` when there is no set-up. */
  keyFor(tree: string): Promise<string | undefined>;
  /** The template for a commit, made if there is none. One caller makes it, and the others wait. */
  templateFor(commit: string, signal: AbortSignal): Promise<Found | undefined>;
  /** Runs set-up for a commit from the start and keeps nothing: it tests whether set-up works on this machine now. */
  prove(commit: string, signal: AbortSignal): Promise<void>;
  /** Uses a template, so that it is not retired meanwhile. */
  use<T>(template: Found, work: () => Promise<T>): Promise<T>;
  /** Names of templates that are being cloned. */
  inUse(): ReadonlySet<string>;
  /** The set-ups that run now, by key. */
  readonly running: ReadonlyMap<string, Running>;
}

/** A package manager uses a core or two and a gigabyte: half as many as there are cores, and at most four. */
export const managersAtOnce = (cores: number, bytes: number) =>
  Math.max(1, Math.min(4, Math.floor(cores / 2), Math.floor(bytes / 2 ** 31)));

/** More trees than a queue works with. */
const KNOWN_TREES = 500;

const WIDTH = managersAtOnce(availableParallelism(), totalmem());

export function setups(host: SetupHost): Setups {
  return new SetupRunner(host);
}

type Running = { readonly commands: readonly string[]; readonly log: string; readonly since: number };

class SetupRunner implements Setups {
  readonly running = new Map<string, Running>();
  readonly #host: SetupHost;
  readonly #free = Array.from({ length: WIDTH }, (_, n) => `setup-${n + 1}`);
  readonly #atOnce = limiter(WIDTH);
  readonly #share = sharing<Found>();
  readonly #using = new Map<string, number>();
  readonly #files = new Map<string, Promise<[string, string][]>>();
  #tidied: Promise<void> | undefined;

  constructor(host: SetupHost) {
    this.#host = host;
  }

  async keyFor(tree: string): Promise<string | undefined> {
    const { templates } = this.#host;
    const plan = this.#host.plan();
    if (plan.commands.length === 0) return undefined;
    await mkdir(templates, { recursive: true, mode: 0o700 });
    const deciding = this.#decidingFiles(tree, plan);
    const tools = await versionsOf(toolsOf(plan.commands), this.#host.env(), templates);
    const commands = plan.copy.length > 0 ? [...plan.commands, `copy ${plan.copy.join(' ')}`] : plan.commands;
    return keyOf({ commands, files: await deciding, tools, platform: `${process.platform} ${process.arch}` });
  }

  async templateFor(commit: string, signal: AbortSignal): Promise<Found | undefined> {
    const { repo, templates } = this.#host;
    const tree = await treeOf(repo, commit);
    const key = await this.keyFor(tree);
    if (key === undefined) return undefined;
    for (;;) {
      const found = await findTemplate(templates, key, tree);
      if (found) return found;
      // The template that this caller waited for may be right only for another tree.
      const made = await this.#share(key, signal, (ending) => this.#build(commit, key, ending));
      if (!made.exact || made.tree === tree) return made;
    }
  }

  async prove(commit: string, signal: AbortSignal): Promise<void> {
    const order = await this.#orderFor(commit, 'proof');
    await this.#inSlot((slot) => runSetup(this.#host.repo, slot, order, signal));
  }

  async use<T>(template: Found, work: () => Promise<T>): Promise<T> {
    const name = basename(template.folder);
    this.#using.set(name, (this.#using.get(name) ?? 0) + 1);
    try {
      await noteUse(template.folder, Date.now());
      return await work();
    } finally {
      const left = this.#using.get(name)! - 1;
      if (left > 0) this.#using.set(name, left);
      else this.#using.delete(name);
    }
  }

  inUse(): ReadonlySet<string> {
    return new Set(this.#using.keys());
  }

  #decidingFiles(tree: string, { commands, files }: SetupPlan): Promise<[string, string][]> {
    const asked = JSON.stringify([tree, commands, files]);
    const deciding = this.#files.get(asked) ?? decidingFiles(this.#host.repo, tree, commands, files);
    if (this.#files.size >= KNOWN_TREES) this.#files.clear();
    this.#files.set(asked, deciding);
    deciding.catch(() => this.#files.delete(asked));
    return deciding;
  }

  /** Lends one of the slots for set-up; as many run at a time as there are slots. */
  #inSlot<T>(work: (slot: Slot) => Promise<T>): Promise<T> {
    return this.#atOnce(async () => {
      const name = this.#free.shift()!;
      const slot = this.#host.slot(name);
      try {
        // A killed daemon could not end its commands.
        await killTree({ root: undefined, marker: slot.marker }, 0);
        return await work(slot);
      } finally {
        this.#free.push(name);
      }
    });
  }

  async #orderFor(commit: string, key: string): Promise<BuildOrder> {
    const { commands, copy, files: named } = this.#host.plan();
    const tree = await treeOf(this.#host.repo, commit);
    const log = this.#host.log(key.slice(0, 12));
    return { key, commit, tree, commands, copy, named: named.length > 0, env: this.#host.env(), log };
  }

  async #build(commit: string, key: string, signal: AbortSignal): Promise<Found> {
    const { repo, templates } = this.#host;
    const order = await this.#orderFor(commit, key);
    const { commands, log, tree } = order;
    this.#tidied ??= tidy(templates);
    await this.#tidied;
    return this.#inSlot(async (slot) => {
      signal.throwIfAborted();
      this.running.set(key, { commands, log, since: Date.now() });
      await this.#host.tell({ kind: 'setup.started', commands, key, log, tree });
      try {
        const template = await buildTemplate(repo, slot, templates, order, signal);
        await this.#host.tell({ kind: 'setup.built', template, log });
        return template;
      } catch (error) {
        if (!signal.aborted) await this.#host.tell({ kind: 'setup.failed', key, error: error as Error });
        throw error;
      } finally {
        this.running.delete(key);
      }
    });
  }
}

/** Called at the first build of a daemon, when no other daemon makes templates any more. */
async function tidy(templates: string): Promise<void> {
  for (const folder of await leftOvers(templates)) await remove(folder);
}
