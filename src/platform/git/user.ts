import { realpathSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve as resolvePath, sep } from 'node:path';
import { expanded, fileSettings, fingerprintOf, personFiles, personSettings, type Setting, xdgFolder } from './config-files.ts';
import { asEnvironment, type Driver, driversOf, filterSettings } from './filter-config.ts';
import { openDoor } from './git-door.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Somebody who wrote a commit. */
export interface Authored extends Identity {
  /** The time as git writes it: `1700000000 +0200`. Missing: the time of the commit. */
  readonly date?: string;
}

/**
 * The part of the person's and the repository's git configuration that we use. Its paths are safe to use: the person chose them, or they
 * stay inside the repository.
 */
interface UserConfig {
  /** The git door: the folder that every git of ours uses as the shared git folder. */
  readonly door: string;
  readonly identity: Identity | undefined;
  /** For every git of ours: how this machine stores files. */
  readonly flags: readonly string[];
  /** For those that work on the repository's own index, refs and objects. */
  readonly repositoryFlags: readonly string[];
  /** More settings, as environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The filters that the user's own git runs, by name. */
  readonly filters: ReadonlyMap<string, Driver>;
  /** Where git-lfs keeps large files, if the user has it. `skip`: it leaves pointers on checkout. */
  readonly lfs: { readonly storage: string; readonly skip: boolean } | undefined;
  /** `core.hooksPath`, where the user's own git finds its hooks. */
  readonly hooksPath: string | undefined;
  /** The person's own file of what is ignored everywhere. */
  readonly excludesFile: string;
}

/** The two paths by which a repository is known. */
interface Place {
  readonly root: string;
  readonly gitDir: string;
}

/** Settings of files, valid while none of them has changed. */
interface Known<T> {
  readonly files: readonly string[];
  /** The state of the files before they were read. */
  readonly fingerprint: string;
  readonly value: T;
}

/** Keeps answers until one of their files changes; callers that ask at the same time share one answer. */
function keeper<T>(): (key: string, read: () => Promise<Known<T>>) => Promise<Known<T>> {
  const known = new Map<string, Promise<Known<T>>>();
  return async (key, read) => {
    const seen = known.get(key);
    const before = await seen?.catch(() => undefined);
    if (before && fingerprintOf(before.files) === before.fingerprint) return before;
    const fresh = known.get(key);
    const next = fresh === undefined || fresh === seen ? read() : fresh;
    known.set(key, next);
    return next;
  };
}

/** The repository's own settings, and the git door made from them. */
interface Local {
  readonly door: string;
  readonly settings: readonly Setting[];
}

const locals = keeper<Local>();
const persons = keeper<readonly Setting[]>();
const worktrees = keeper<readonly Setting[]>();
/** The last answer for each worktree, and its inputs. */
const answers = new Map<string, { of: readonly unknown[]; config: UserConfig }>();

/** The configuration for a worktree. `gitDir` is its own git folder, which may hold a `config.worktree`. */
export async function userConfig(repo: Place, gitDir = repo.gitDir): Promise<UserConfig> {
  const local = (await locals(repo.gitDir, () => readLocal(repo))).value;
  const remotes = local.settings.filter(({ key }) => /^remote\..+\.url$/s.test(key));
  const env = asEnvironment(remotes.map(({ key, value }) => [key, value]));
  const asked = JSON.stringify([repo.gitDir, local.door, env]);
  const person = (await persons(asked, () => readPerson({ GIT_DIR: repo.gitDir, GIT_COMMON_DIR: local.door, ...env }))).value;
  // Worktrees without such a file share one configuration.
  const own = hasOwn(local.settings) ? join(gitDir, 'config.worktree') : undefined;
  const more = own ? (await worktrees(own, () => readBehind([own], () => fileSettings(own, 'worktree')))).value : undefined;
  const name = `${repo.root}\0${own}`;
  const of = [local, person, more];
  const known = answers.get(name);
  if (known?.of.every((part, at) => part === of[at])) return known.config;
  const config = interpret([...person, ...local.settings, ...(more ?? [])], { ...repo, door: local.door });
  answers.set(name, { of, config });
  return config;
}

/** The repository's own configuration in full. Reading it here does not put any of it into effect. */
export async function repositorySettings(repo: Place): Promise<readonly Setting[]> {
  const main = await fileSettings(join(repo.gitDir, 'config'), 'repository');
  return [...main, ...(hasOwn(main) ? await fileSettings(join(repo.gitDir, 'config.worktree'), 'worktree') : [])];
}

/** The door's file counts as one of the files read, so a door that somebody removed is made again. */
async function readLocal({ gitDir }: Place): Promise<Known<Local>> {
  const config = join(gitDir, 'config');
  const { files, fingerprint, value: settings } = await readBehind([config], () => fileSettings(config, 'repository'));
  const door = await openDoor(gitDir, settings);
  const ours = join(door, 'config');
  return { files: [...files, ours], fingerprint: `${fingerprint},${fingerprintOf([ours])}`, value: { door, settings } };
}

const readPerson = (env: Readonly<Record<string, string>>) => readBehind(personFiles(), () => personSettings(env));

/**
 * Reads settings after taking the fingerprint of their files. Included files are known only after a reading, so it reads once more then.
 */
async function readBehind(files: readonly string[], read: () => Promise<Setting[]>, again = 2): Promise<Known<Setting[]>> {
  const fingerprint = fingerprintOf(files);
  const value = await read();
  const all = [...new Set([...files, ...value.map(({ file }) => file)])];
  return all.length > files.length && again > 0 ? readBehind(all, read, again - 1) : { files, fingerprint, value };
}

const hasOwn = (settings: readonly Setting[]) => isTrue(lastOf(settings, 'extensions.worktreeconfig'));

const lastOf = (settings: readonly Setting[], key: string) => settings.findLast((setting) => setting.key === key)?.value;

const BOOL = /^(?:true|false|yes|no|on|off|1|0|)$/i;
const isTrue = (value: string | undefined) => value !== undefined && /^(?:true|yes|on|1)$/i.test(value);

/** Keys that change bytes and names, with the values that we accept. Every git of ours gets them, whoever set them. */
const MACHINE: Readonly<Record<string, RegExp>> = {
  'core.autocrlf': /^(?:input|true|false|yes|no|on|off|1|0|)$/i,
  'core.eol': /^(?:lf|crlf|native)$/i,
  'core.ignorecase': BOOL,
  'core.precomposeunicode': BOOL,
  'core.symlinks': BOOL,
};

/** Keys that change `status`, reflogs, or who may read new files. We ignore every other key of the repository. */
const REPOSITORY: Readonly<Record<string, RegExp>> = {
  'core.filemode': BOOL,
  'core.trustctime': BOOL,
  'core.checkstat': /^(?:default|minimal)$/i,
  'core.logallrefupdates': /^(?:always|true|false|yes|no|on|off|1|0|)$/i,
  'core.sharedrepository': /^(?:umask|group|all|world|everybody|true|false|yes|no|on|off|[0-7]{1,4})$/i,
  'core.sparsecheckout': BOOL,
  'core.sparsecheckoutcone': BOOL,
};

/** Combines settings, the person's first and the worktree's last: of one key the last counts, as for git. */
export function interpret(settings: readonly Setting[], place: Place & { readonly door: string }): UserConfig {
  const values = new Map<string, string>();
  for (const one of settings) if (!PATHS[one.key] || PATHS[one.key]!(one, place)) values.set(one.key, one.value);
  // Without the user's ignore file we would commit, or report as uncommitted, files that the agent's own git ignores.
  const excludesFile = resolvePath(place.root, expanded(values.get('core.excludesfile') ?? join(xdgFolder(), 'git', 'ignore')));
  const taken = (keys: Readonly<Record<string, RegExp>>) =>
    Object.entries(keys).flatMap(([key, known]) => {
      const value = settings.findLast((one) => one.key === key && known.test(one.value))?.value;
      return value === undefined ? [] : [`${key}=${value}`];
    });
  const filters = driversOf(settings);
  const storage = storageIn(place.gitDir, values.get('lfs.storage'));
  const safe = values.get('lfs.storage')?.startsWith('/') || staysIn(storage, place.gitDir);
  const lfs = (safe && filters.get('lfs')?.lfs) || undefined;
  const [name, email] = [values.get('user.name'), values.get('user.email')];
  return {
    door: place.door,
    identity: name && email ? { name, email } : undefined,
    flags: [`core.excludesFile=${excludesFile}`, ...taken(MACHINE)],
    repositoryFlags: taken(REPOSITORY),
    env: asEnvironment(filterSettings(lfs, storage)),
    filters,
    lfs: lfs && { storage, skip: lfs.skip },
    hooksPath: values.get('core.hookspath'),
    excludesFile,
  };
}

/** Keys whose value is a path, and when such a setting counts: always from the person, and from the repository if it stays inside. */
const PATHS: Readonly<Record<string, (setting: Setting, place: Place) => boolean>> = {
  'core.excludesfile': (one, { root, gitDir }) => one.scope === 'person' || staysIn(resolvePath(root, one.value), gitDir),
  'lfs.storage': (one, { gitDir }) => one.scope === 'person' || staysIn(storageIn(gitDir, one.value), gitDir),
  // A relative path is a folder of every worktree.
  'core.hookspath': (one, { root, gitDir }) =>
    one.scope === 'person' || [gitDir, root].some((folder) => staysIn(resolvePath(root, one.value), folder)),
};

const storageIn = (gitDir: string, named: string | undefined) => (named?.startsWith('/') ? normalize(named) : join(gitDir, named ?? 'lfs'));

/** True when a path, with its links followed as far as it exists, is below a folder. */
function staysIn(path: string, folder: string): boolean {
  return `${resolved(path)}${sep}`.startsWith(`${resolved(folder)}${sep}`);
}

function resolved(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(resolved(dirname(path)), basename(path));
  }
}
