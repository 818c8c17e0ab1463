import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../exec.ts';
import { asEnvironment, type Driver, driversOf, filterSettings } from './filter-config.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Somebody who wrote a commit. */
export interface Authored extends Identity {
  /** When, as git writes it: `1700000000 +0200`. Missing: when it is committed. */
  readonly date?: string;
}

/** The part of the user's git configuration that counts for us: their name, and keys that change bytes or `status`. */
export interface UserConfig {
  readonly identity: Identity | undefined;
  readonly flags: readonly string[];
  /** More of it, as environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The filters that the user's own git runs, by name. */
  readonly filters: ReadonlyMap<string, Driver>;
  /** Where git-lfs keeps large files, if the user has it. `skip`: it leaves pointers on checkout. */
  readonly lfs: { readonly storage: string; readonly skip: boolean } | undefined;
  /** `core.hooksPath`, where the user's own git finds its hooks. */
  readonly hooksPath: string | undefined;
}

/** One setting as `git config --list --show-scope --show-origin` tells it. */
interface Setting {
  readonly scope: string;
  readonly file: string | undefined;
  readonly key: string;
  readonly value: string;
}

interface Known {
  readonly files: readonly string[];
  /** The state of the files before they were read. */
  readonly mark: string;
  readonly config: UserConfig;
}

const known = new Map<string, Promise<Known>>();

/**
 * Read again when one of its files has changed: an agent can write `.git/config`, and what it puts there must not run. `gitDir`
 * is a linked worktree's own, which may hold a `config.worktree`.
 */
export async function userConfig(repo: { root: string; gitDir: string }, gitDir = repo.gitDir): Promise<UserConfig> {
  const key = `${repo.root}\0${gitDir}`;
  const seen = known.get(key);
  const before = await seen?.catch(() => undefined);
  if (before && markOf(before.files) === before.mark) return before.config;
  const fresh = known.get(key);
  const next = fresh === undefined || fresh === seen ? read(repo, gitDir) : fresh;
  known.set(key, next);
  return (await next).config;
}

const markOf = (files: readonly string[]) =>
  files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : '-';
    })
    .join();

/** The only git of ours that sees global and system configuration; `config --list` runs nothing. */
async function read(repo: { root: string; gitDir: string }, gitDir: string): Promise<Known> {
  const names = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM'];
  const env = Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const home = env['HOME'] ?? homedir();
  const xdg = env['XDG_CONFIG_HOME'] || join(home, '.config');
  const own = [join(repo.gitDir, 'config'), join(repo.gitDir, 'config.worktree'), join(gitDir, 'config.worktree')];
  const usual = [...new Set([...own, join(home, '.gitconfig'), join(xdg, 'git', 'config'), '/etc/gitconfig'])];
  const place: Record<string, string> = gitDir === repo.gitDir ? {} : { GIT_DIR: gitDir, GIT_COMMON_DIR: repo.gitDir };
  const list = async () => {
    const args = ['config', '--list', '-z', '--show-scope', '--show-origin'] as const;
    const done = await exec(['git', ...args], { cwd: repo.root, env: { ...env, ...place, LC_ALL: 'C' }, timeoutMs: 10_000 }).catch(
      () => undefined,
    );
    return parseSettings(done?.code === 0 ? done.stdout : '', repo.root);
  };
  const first = markOf(usual);
  let settings = await list();
  const files = [...new Set([...usual, ...settings.flatMap((setting) => setting.file ?? [])])];
  // Included files are known only now: they are read once more behind their mark.
  const mark = files.length > usual.length ? markOf(files) : first;
  if (files.length > usual.length) settings = await list();
  return { files, mark, config: interpret(settings, { home, xdg, gitDir: repo.gitDir }) };
}

function parseSettings(list: string, root: string): Setting[] {
  const fields = list.split('\0');
  const settings: Setting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', item = ''] = fields.slice(at, at + 3);
    const cut = item.indexOf('\n');
    const file = origin.startsWith('file:') ? join(origin.startsWith('file:/') ? '/' : root, origin.slice('file:'.length)) : undefined;
    settings.push({ scope, file, key: cut < 0 ? item : item.slice(0, cut), value: cut < 0 ? 'true' : item.slice(cut + 1) });
  }
  return settings;
}

/** Keys that change bytes, names or `status`; our git does not read the files that set them, or not in every place. */
const PASSED = ['core.autocrlf', 'core.eol', 'core.ignorecase', 'core.precomposeunicode', 'core.symlinks'];

export function interpret(
  settings: readonly Pick<Setting, 'scope' | 'key' | 'value'>[],
  place: { home: string; xdg: string; gitDir: string },
): UserConfig {
  const values = new Map(settings.map(({ key, value }) => [key, value]));
  const excludes = values.get('core.excludesfile') ?? join(place.xdg, 'git', 'ignore');
  // Without the user's ignore file we would commit, or call unclean, what the agent's own git does not even see.
  const flags = [`core.excludesFile=${excludes.replace(/^~(?=\/)/, place.home)}`];
  for (const key of PASSED) if (values.has(key)) flags.push(`${key}=${values.get(key)}`);
  const filters = driversOf(settings);
  const storage = join(values.get('lfs.storage')?.startsWith('/') ? '/' : place.gitDir, values.get('lfs.storage') ?? 'lfs');
  const env = asEnvironment(filterSettings(settings, filters, storage));
  const lfs = filters.get('lfs')?.lfs || undefined;
  const [name, email] = [values.get('user.name'), values.get('user.email')];
  return {
    identity: name && email ? { name, email } : undefined,
    flags,
    env,
    filters,
    lfs: lfs && { storage, skip: lfs.skip },
    hooksPath: values.get('core.hookspath'),
  };
}
