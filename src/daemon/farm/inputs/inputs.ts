import { setTimeout as sleep } from 'node:timers/promises';
import { type Decision, decide, type InputFacts, whyNot } from '../../../config/in-force.ts';
import { parseConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { append } from '../../../journal/event.ts';
import type { Db } from '../../../journal/store.ts';
import type { Clock } from '../../../platform/clock.ts';
import { FurrowError } from '../../../platform/error.ts';
import { fingerprint, refFiles } from '../../../platform/fingerprint.ts';
import { defaultTarget } from '../../../platform/git/repository.ts';
import type { Repo } from '../../../platform/git/run.ts';
import { limiter } from '../../../platform/limit.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { type CheckedOut, type Committed, FILE, hashOf, readCheckout, readCommitted } from './read.ts';
import { readTarget, type StoredTarget, storeTarget } from './target.ts';
import { changedKeys, readSeen, type Seen, storeVersion, type Version, versionInForce, writeSeen } from './versions.ts';

/** The target and the configuration that the farm works by, and their sources. */
export interface InForce {
  readonly config: Config;
  readonly target: StoredTarget;
  readonly version: Version;
  /** The reason why the file in the checkout is not in force. */
  readonly differs: string | undefined;
  /** The mistake in furrow.yaml that a person has to fix. */
  readonly wrong: string | undefined;
  readonly checkout: CheckedOut;
  /** The commit of the target with exactly the text in force. */
  readonly committedAs: string | null;
}

export interface Inputs {
  readonly now: InForce;
  /** Looks at furrow.yaml, in the checkout and on the target, and answers how long to wait for a file that was just saved. */
  look(): Promise<number>;
  /** Does the same and waits, for a command that is given right after the file was saved. */
  settled(patienceMs: number): Promise<void>;
}

interface Source {
  readonly db: Db;
  readonly repo: Repo;
  readonly clock: Clock;
  /** Something came into force. */
  readonly onChange: (now: InForce) => void;
}

/** The first start waits for a file that is just being saved; later the version in force holds meanwhile. */
const FIRST_MS = 3000;

/** Finds out what is in force, and refuses the first start of a farm with an invalid file. */
export async function openInputs(source: Source): Promise<Inputs> {
  const watch = new Watch(source);
  await watch.open();
  return watch;
}

class Watch implements Inputs {
  readonly #source: Source;
  readonly #one = limiter(1);
  #now: InForce | undefined;
  #seen: Seen | undefined;
  #looked = '';
  #waitMs = 0;
  #committed: { key: string; read: Committed } | undefined;
  /** The content of the file in the checkout, and the time since it is the same. */
  #same = { key: '', since: 0 };
  /** The open question about furrow.yaml; null: not known yet. */
  #told: string | undefined | null = null;
  #refused: unknown;

  constructor(source: Source) {
    this.#source = source;
  }

  get now(): InForce {
    return this.#now!;
  }

  async open(): Promise<void> {
    const { db, repo } = this.#source;
    this.#seen = await readSeen(db);
    const version = await versionInForce(db);
    const target = (await readTarget(db)) ?? { ...(await this.#default(repo)), since: 0 };
    for (const until = performance.now() + FIRST_MS; ; ) {
      const read = await this.#read(target.branch);
      const decision = decide(this.#facts(target.branch, version, read));
      if (decision.do === 'take') return this.#take(decision, target, version, read);
      if (version) return this.#keep(decision, target, version, read);
      if (decision.waitMs && performance.now() < until) await sleep(decision.waitMs);
      else if (decision.wrong) throw new FurrowError('CONFIG', decision.wrong, { hint: `edit ${FILE}, then: furrow config` });
      else return this.#take({ do: 'take', source: 'defaults', text: '' }, target, undefined, read);
    }
  }

  /** Without any branch to land on, only `target:` can name one. */
  #default(repo: Repo): Promise<Pick<StoredTarget, 'branch' | 'reason'>> {
    return defaultTarget(repo).catch((error: unknown) => {
      this.#refused = error;
      return { branch: '', reason: '' };
    });
  }

  look(): Promise<number> {
    return this.#one(async () => {
      const { target, version, checkout } = this.now;
      const looked = this.#print(target.branch);
      if (looked === this.#looked && this.#waitMs === 0 && !checkout.operation) return 0;
      const read = await this.#read(target.branch);
      const decision = decide(this.#facts(target.branch, version, read));
      if (decision.do === 'take') await this.#take(decision, target, version, read);
      else await this.#keep(decision, target, version, read);
      // The state before the reading: a change during it is looked at again.
      this.#looked = looked;
      return this.#waitMs;
    });
  }

  async settled(patienceMs: number): Promise<void> {
    for (const until = performance.now() + patienceMs; ; ) {
      const waitMs = await this.look();
      if (waitMs <= 0 || performance.now() + waitMs > until) return;
      await sleep(waitMs);
    }
  }

  #print(target: string): string {
    const { root, gitDir } = this.#source.repo;
    return `${target} ${fingerprint(`${root}/${FILE}`, `${gitDir}/HEAD`, ...refFiles(gitDir, target))}`;
  }

  async #read(target: string): Promise<{ committed: Committed; checkout: CheckedOut }> {
    const { repo } = this.#source;
    const key = `${target} ${fingerprint(...refFiles(repo.gitDir, target))}`;
    if (this.#committed?.key !== key) this.#committed = { key, read: await readCommitted(repo, target) };
    return { committed: this.#committed.read, checkout: await readCheckout(repo) };
  }

  #facts(
    target: string,
    version: Version | undefined,
    { committed, checkout }: { committed: Committed; checkout: CheckedOut },
  ): InputFacts {
    const seen = this.#seen?.target === target ? this.#seen : undefined;
    const key = `${hashOf(checkout.file)} ${checkout.branch} ${checkout.operation}`;
    const at = performance.now();
    if (this.#same.key !== key) this.#same = { key, since: at };
    return {
      target,
      inForce: version?.text,
      committed: {
        ...committed,
        // Another target has another file: that alone brings nothing into force, or two files that name each other's branch would alternate
        // for ever.
        changed: seen !== undefined && hashOf(committed.file) !== seen.committed,
        had: seen ? seen.committed !== null : committed.file.kind !== 'missing',
      },
      checkout: { ...checkout, changed: hashOf(checkout.file) !== this.#seen?.checkout, forMs: at - this.#same.since },
    };
  }

  async #take(
    taken: Extract<Decision, { do: 'take' }>,
    target: StoredTarget,
    before: Version | undefined,
    read: { committed: Committed; checkout: CheckedOut },
  ): Promise<void> {
    const { db, clock, repo } = this.#source;
    const config = parseConfig(taken.text, FILE);
    const now = clock.now();
    const branch = config.target ?? target.branch;
    if (!branch) throw this.#refused;
    const moves = branch !== target.branch || target.since === 0;
    const facts = this.#facts(target.branch, before, read);
    const there = branch === target.branch ? read.committed : await readCommitted(repo, branch);
    const counted = whyNot(facts) === undefined;
    // An edit that came together with a commit is looked at later: it comes into force after the commit.
    const edited = taken.source === 'target' && facts.checkout.changed && hashOf(read.checkout.file) !== hashOf(read.committed.file);
    const seen = {
      target: branch,
      committed: hashOf(there.file),
      checkout: counted && !(edited && this.#seen) ? hashOf(read.checkout.file) : (this.#seen?.checkout ?? null),
    };
    const reason = config.target === undefined ? target.reason : `\`target:\` in ${FILE} says so`;
    const commit = taken.source === 'target' ? read.committed.commit : null;
    const stored = await db.transaction().execute(async (tx) => {
      const version = await storeVersion(tx, { source: taken.source, commit, text: taken.text }, config, now);
      const keys = before ? changedKeys(parseConfig(before.text, FILE), config) : [];
      const data = { version: version.id, source: taken.source, commit, keys };
      await append(
        tx,
        { kind: 'config.changed', text: `${sourceText(version, target.branch)} is in force${changes(keys, before)}`, data },
        now,
      );
      await writeSeen(tx, seen);
      await closeQuestions(tx, 'config', FILE, 'mended', now);
      return { version, target: moves ? await storeTarget(tx, { branch, reason }, now) : target };
    });
    this.#seen = seen;
    this.#told = undefined;
    this.#waitMs = edited && before ? 1 : 0;
    this.#now = { config, ...stored, differs: undefined, wrong: undefined, checkout: read.checkout, committedAs: commit };
    this.#source.onChange(this.#now);
  }

  async #keep(
    kept: Extract<Decision, { do: 'keep' }>,
    target: StoredTarget,
    version: Version,
    read: { committed: Committed; checkout: CheckedOut },
  ): Promise<void> {
    const is = (file: CheckedOut['file']) => file.kind === 'valid' && hashOf(file) === version.hash;
    const before = this.#seen?.target === target.branch ? this.#seen : undefined;
    const seen = {
      target: target.branch,
      committed: before === undefined || is(read.committed.file) ? hashOf(read.committed.file) : before.committed,
      checkout: is(read.checkout.file) ? version.hash : (this.#seen?.checkout ?? null),
    };
    await this.#note(seen, kept.waitMs ? (this.#told ?? undefined) : kept.wrong);
    this.#waitMs = kept.waitMs ?? 0;
    const config = this.#now?.version.id === version.id ? this.#now.config : parseConfig(version.text, FILE);
    const committedAs = is(read.committed.file) ? read.committed.commit : null;
    this.#now = { config, target, version, differs: kept.differs, wrong: kept.wrong, checkout: read.checkout, committedAs };
  }

  /** Stores what was seen and asked, if it is new. */
  async #note(seen: Seen, wrong: string | undefined): Promise<void> {
    const same = JSON.stringify(seen) === JSON.stringify(this.#seen);
    if (same && wrong === this.#told) return;
    const { db, clock } = this.#source;
    await db.transaction().execute(async (tx) => {
      if (!same) await writeSeen(tx, seen);
      if (wrong) await raiseQuestion(tx, { kind: 'config', subject: FILE, reason: wrong.replaceAll('\n', '; ') }, clock.now());
      else await closeQuestions(tx, 'config', FILE, 'mended', clock.now());
    });
    this.#seen = seen;
    this.#told = wrong;
  }
}

/** Tells people where a version was read. */
export function sourceText({ source, commit }: Pick<Version, 'source' | 'commit'>, target: string): string {
  if (source === 'defaults') return 'no furrow.yaml: all defaults';
  return source === 'checkout' ? 'furrow.yaml of your checkout' : `furrow.yaml of ${target} at ${commit?.slice(0, 8)}`;
}

function changes(keys: readonly string[], before: Version | undefined): string {
  if (before === undefined) return '';
  return keys.length > 0 ? `: ${keys.join(', ')} changed` : '; no setting changed';
}
