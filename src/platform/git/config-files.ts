import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { couldNotLook, FurrowError } from '../error.ts';
import { exec } from '../exec.ts';
import { unlessItWaits } from './blocking-files.ts';
import { parseConfig } from './config-text.ts';

/** One setting of git's configuration. `person`: from the user's or the system's files; the others came with the repository. */
export interface Setting {
  readonly scope: 'person' | 'repository' | 'worktree';
  /** The file that says so. */
  readonly file: string;
  /** Section and name are lower case, as git lists them. */
  readonly key: string;
  readonly value: string;
}

/** The most files that the repository's configuration may include, all together. */
const MOST_FILES = 32;
const MOST_BYTES = 1024 * 1024;
const READ_MS = 10_000;

/**
 * The settings of a configuration file of the repository and of the files that it includes, in git's order, read without git. Conditional
 * includes are left out: they depend on HEAD and not on a file. A file that cannot be read whole is an error, because a hidden setting must
 * not count as absent.
 */
export async function fileSettings(file: string, scope: 'repository' | 'worktree', seen: string[] = []): Promise<Setting[]> {
  if (!isReadable(file)) return [];
  if (seen.push(file) > MOST_FILES) throw unreadable(seen[0]!, `it includes more than ${MOST_FILES} files`);
  const text = await readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, String(error.code));
  });
  const list = parseConfig(text);
  if (!list) throw unreadable(file, 'git would not understand it either');
  const settings: Setting[] = [];
  for (const { key, value = 'true' } of list) {
    settings.push({ scope, file, key, value });
    if (key === 'include.path' && value !== '') settings.push(...(await fileSettings(includedBy(file, value), scope, seen)));
  }
  return settings;
}

/** A link that leads in a circle counts as a file that nobody can read. */
function stateIn(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (couldNotLook(error)) throw error;
    throw unreadable(file, String((error as NodeJS.ErrnoException).code));
  }
}

/** False: there is no such file. */
function isReadable(file: string): boolean {
  const found = stateIn(file);
  if (!found) return false;
  if (!found.isFile()) throw unreadable(file, 'it is no plain file');
  if (found.size > MOST_BYTES) throw unreadable(file, 'it is larger than 1 MB');
  return true;
}

const includedBy = (file: string, path: string) => {
  const named = expanded(path);
  return isAbsolute(named) ? named : join(dirname(file), named);
};

/** A path as git reads one in a configuration file: `~/` is the person's home. */
export const expanded = (path: string): string => path.replace(/^~(?=\/|$)/, personHome());

const personHome = (): string => process.env['HOME'] || homedir();

/**
 * The settings of the person's and the system's files. `asked` names the git folder, its git door and the repository's addresses, which the
 * conditional includes of those files are compared with.
 */
export async function personSettings(asked: Readonly<Record<string, string>>): Promise<Setting[]> {
  const names = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM'];
  const env = Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]!]])));
  const args = ['config', '--list', '-z', '--show-scope', '--show-origin'];
  const fields = (await listed(args, { ...env, ...asked, LC_ALL: 'C' }, 'your git configuration')).split('\0');
  const settings: Setting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', item = ''] = fields.slice(at, at + 3);
    const [key, value] = parsed(item);
    if (scope === 'global' || scope === 'system') settings.push({ scope: 'person', file: origin.replace(/^file:/, ''), key, value });
  }
  return settings;
}

/** The files that the person's own git reads, whether they are there or not. */
export function personFiles(): string[] {
  const named = process.env['GIT_CONFIG_GLOBAL'];
  const home = personHome();
  const own = named === undefined ? [join(home, '.gitconfig'), join(xdgFolder(), 'git', 'config')] : [named];
  return [...own, '/etc/gitconfig'];
}

export const xdgFolder = (): string => process.env['XDG_CONFIG_HOME'] || join(personHome(), '.config');

/** Runs `config --list`, which runs nothing else. A git that failed, was cut off or took too long is an error. */
async function listed(args: readonly string[], env: Readonly<Record<string, string>>, what: string): Promise<string> {
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  const options = { cwd: '/', env: { PATH: path, ...env }, timeoutMs: READ_MS, maxBytes: 16 * MOST_BYTES };
  // This git also sees the repository that the conditions are about.
  const done = await unlessItWaits(env['GIT_DIR'] ?? '', undefined, (signal) => exec(['git', ...args], { ...options, signal }));
  if (done.code === 0 && !done.truncated) return done.stdout;
  throw unreadable(what, done.timedOut ? 'git took too long' : done.stderr.trim().split('\n')[0] || 'git could not list it');
}

function parsed(item: string): [key: string, value: string] {
  const cut = item.indexOf('\n');
  return cut < 0 ? [item, 'true'] : [item.slice(0, cut), item.slice(cut + 1)];
}

const unreadable = (what: string, why: string) =>
  new FurrowError('GIT_CONFIG', `${what} cannot be read: ${why}`, { hint: 'git config --list --show-origin' });

/** A text that changes when one of the files changes. */
export const fingerprintOf = (files: readonly string[]): string => files.map(stateOf).join();

function stateOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : '-';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '?';
  }
}
