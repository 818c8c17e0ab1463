import { join } from 'node:path';
import type { Config } from '../../../config/schema.ts';
import { differenceOf } from '../../../config/trust/difference.ts';
import { type GitLook, readGitFolder } from '../../../config/trust/git-folder.ts';
import { EMPTY_FOLDER, type GitFolder } from '../../../config/trust/git-lines.ts';
import type { Line } from '../../../config/trust/line.ts';
import { linesOf, type TrustFacts } from '../../../config/trust/lines.ts';
import { agentSettingsAt, contentHash, hooksAt, hooksFolder } from '../../../config/trust/read.ts';
import { type ForeignStore, standingOf, type Trusted } from '../../../config/trust/standing.ts';
import {
  forgetRecord,
  makeStamp,
  readConsents,
  readRecord,
  type TrustRecord,
  writeConsents,
  writeRecord,
} from '../../../config/trust/store.ts';
import { append } from '../../../journal/event.ts';
import { statement } from '../../../journal/statement.ts';
import { type Db, writeMeta } from '../../../journal/store.ts';
import { tableVersion } from '../../../platform/engine/counted.ts';
import { FurrowError } from '../../../platform/error.ts';
import { fingerprint, refFiles } from '../../../platform/fingerprint.ts';
import { borrowedStores } from '../../../platform/git/alternates.ts';
import { limiter } from '../../../platform/limit.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { userFolder } from '../../../platform/user-folder.ts';
import type { Farm } from '../farm.ts';
import { templateOf } from '../prompt.ts';
import type { GiveOrder, TrustKeeper, TrustView } from './trust.ts';

interface TrustSource {
  /** The repository's name in the user's folder. */
  readonly key: string;
  readonly foreign: ForeignStore | undefined;
  readonly pending: boolean;
  readonly farm: () => Farm;
}

export async function openTrust(source: TrustSource): Promise<TrustKeeper> {
  return new Keeper(source, await readRecord(source.key), await readConsents(source.key));
}

class Keeper implements TrustKeeper {
  readonly #source: TrustSource;
  readonly #one = limiter(1);
  #foreign: ForeignStore | undefined;
  #record: TrustRecord | undefined;
  #facts: Omit<TrustFacts, 'config'> = { tasks: [], settings: [], hooks: [], prompt: undefined, git: EMPTY_FOLDER, borrowed: [] };
  #lines: readonly Line[] = [];
  #looked = '';
  /** Of the task table when its checks were last read. */
  #version = -1;
  #hooks = '';
  #git: GitLook | undefined;
  #gitKey = '';
  #committed: { readonly key: string; readonly settings: Awaited<ReturnType<typeof agentSettingsAt>> } | undefined;
  pending: boolean;
  config: Config | undefined;
  now: Trusted = { yes: false, why: 'the repository was not looked at yet', foreign: false };

  consents: ReadonlySet<string>;

  constructor(source: TrustSource, record: TrustRecord | undefined, consents: ReadonlySet<string>) {
    this.consents = consents;
    this.#source = source;
    this.#foreign = source.foreign;
    this.pending = source.pending;
    this.#record = record;
  }

  look(): Promise<void> {
    return this.#one(() => this.#look());
  }

  async view(): Promise<TrustView> {
    await this.look();
    const lines = this.#lines;
    const difference = differenceOf(this.#record?.lines ?? [], lines);
    return { now: this.now, record: this.#record, foreign: this.#foreign, lines, difference, hash: hashOf(lines) };
  }

  give({ seen, script = false }: GiveOrder = {}): Promise<void> {
    return this.#one(async () => {
      await this.#look();
      if (seen !== undefined && seen !== hashOf(this.#lines))
        throw new FurrowError('TRUST_CHANGED', 'what runs here changed while you were looking at it', { hint: 'furrow trust' });
      const refused = this.#lines.find(({ refuses }) => refuses);
      if (refused && !script) throw new FurrowError('TRUST_UNREAD', `${refused.name} ${refused.text}`, { hint: 'furrow trust --show' });
      if (!this.now.yes && !refused) await this.#store(this.#lines, script);
    });
  }

  async agree(line: Line): Promise<() => Promise<void>> {
    const before = this.#record?.lines.find(({ name }) => name === line.name);
    await this.#put(line.name, line);
    return () => this.#put(line.name, before);
  }

  #put(of: string, line: Line | undefined): Promise<void> {
    return this.#one(async () => {
      if (!this.#record) return;
      const lines = [...this.#record.lines.filter(({ name }) => name !== of), ...(line ? [line] : [])];
      this.#record = { ...this.#record, lines };
      await writeRecord(this.#source.key, this.#record).catch((error: Error) => this.#unstored(error));
      this.#decide();
    });
  }

  async consent(name: string): Promise<void> {
    this.consents = new Set([...this.consents, name]);
    await writeConsents(this.#source.key, this.consents).catch((error: Error) => this.#unstored(error));
  }

  #unstored(error: Error): void {
    this.#source.farm().log.warn({ error: error.message }, 'a yes could not be stored, and holds until this daemon ends');
  }

  revoke(): Promise<void> {
    return this.#one(async () => {
      await forgetRecord(this.#source.key);
      if (!this.#record) return;
      this.#record = undefined;
      await this.#tell('trust.revoked', 'you withdrew your trust: nothing that the repository defines is started');
      this.#decide();
    });
  }

  async #store(lines: readonly Line[], script: boolean): Promise<void> {
    const { db, repo } = this.#source.farm();
    const record = { repository: repo.root, at: new Date(this.#source.farm().clock.now()).toISOString(), lines };
    try {
      await writeRecord(this.#source.key, record);
      if (this.#foreign) await stamp(db, this.#source.key);
    } catch (error) {
      if (!script) throw unwritable(error as Error);
      this.#unstored(error as Error);
    }
    this.#record = record;
    this.#foreign = undefined;
    await this.#tell('trust.given', script ? 'FURROW_TRUST trusts the repository as it is now' : 'you trust what the repository runs');
    this.#decide();
  }

  async #tell(kind: 'trust.given' | 'trust.revoked', text: string): Promise<void> {
    const { db, clock } = this.#source.farm();
    await db.transaction().execute((tx) => append(tx, { kind, text }, clock.now()));
  }

  async #look(): Promise<void> {
    const farm = this.#source.farm();
    const { repo, target } = farm;
    const git = await this.#lookAtGit(farm);
    const refs = fingerprint(...refFiles(repo.gitDir, target));
    const prompt = farm.config.prompt ? join(repo.root, farm.config.prompt) : join(farm.places.dir, 'prompt.md');
    const borrowed = borrowedStores(repo.gitDir).map(({ path }) => path);
    const files = [fingerprint(join(repo.gitDir, 'HEAD'), prompt), this.#hooks, this.#gitKey, ...borrowed];
    const looked = [target, farm.inputs.now.version.id, refs, ...files].join('\n');
    const version = tableVersion(farm.db, 'task');
    if (looked === this.#looked && version === this.#version) return;
    const tasks = await checksOfTasks(farm.db);
    // A landing writes to its task fifteen times, and hardly ever changes its check.
    if (looked === this.#looked && JSON.stringify(tasks) === JSON.stringify(this.#facts.tasks)) {
      this.#version = version;
      return;
    }
    const commit = `refs/heads/${target}`;
    if (this.#committed?.key !== `${target} ${refs}`)
      this.#committed = { key: `${target} ${refs}`, settings: await agentSettingsAt(repo, commit) };
    this.#facts = {
      tasks,
      settings: this.#committed.settings,
      hooks: await hooksAt(repo, commit, this.#hooks, git.hooks),
      prompt: await promptOf(farm, commit),
      git,
      borrowed,
    };
    this.#looked = looked;
    this.#version = version;
    this.follow();
  }

  /** The git folder as it is now; read again only when something in it was written. */
  async #lookAtGit({ repo, places }: Farm): Promise<GitFolder> {
    const hooks = await hooksFolder(repo);
    if (hooks === this.#hooks && this.#git?.isCurrent()) return this.#git.folder;
    this.#hooks = hooks;
    this.#git = readGitFolder({ root: repo.root, gitDir: repo.gitDir, own: [places.home, places.dir], hooks });
    this.#gitKey = contentHash(JSON.stringify(this.#git.folder));
    return this.#git.folder;
  }

  follow(): void {
    this.#lines = linesOf({ config: this.#source.farm().config, ...this.#facts });
    this.#decide();
  }

  #decide(): void {
    this.now = standingOf(this.#record?.lines, this.#lines, this.#foreign);
    if (this.now.yes) this.config = this.#source.farm().config;
  }
}

const hashOf = (lines: readonly Line[]) => contentHash(JSON.stringify(lines));

/** From now on the store counts as made here. */
export async function stamp(db: Db, key: string): Promise<void> {
  await writeMeta(db, STAMP, await makeStamp(key));
}

export const STAMP = 'stamp';

const unwritable = (error: Error) =>
  new FurrowError('USER_FOLDER', `your trust cannot be stored in ${userFolder()}: ${error.message}`, {
    hint: `ls -ld ${quotedIfNeeded(userFolder())}`,
  });

/** Of tasks that may still be checked. */
const checksOfTasks = async (db: Db) => (await checks(db, {})).rows;

const checks = statement((db) =>
  db
    .selectFrom('task')
    .select(['ref', 'check'])
    .where('check', 'is not', null)
    .where('standing', '!=', 'landed')
    .orderBy('ref')
    .$narrowType<{ check: string }>()
    .compile(),
);

async function promptOf(farm: Farm, commit: string) {
  const text = await templateOf(farm, commit).catch(() => undefined);
  return text === undefined ? undefined : { path: farm.config.prompt ?? '.furrow/prompt.md', hash: contentHash(text) };
}
