import { homedir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../exec.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** What of the user's own configuration counts for us: who they are, and what changes bytes or `status`. */
export interface UserConfig {
  readonly identity: Identity | undefined;
  readonly flags: readonly string[];
}

/** The standard lines that `git lfs install` writes, and no others, may run as a filter. */
const LFS = /^git-lfs (clean -- %f|smudge (--skip )?-- %f|filter-process( --skip)?)$/;

/** Whether a `filter.<driver>.<key>` setting is git-lfs as its installer writes it. */
export function isLfs(key: string, value: string): boolean {
  return key.startsWith('filter.lfs.') && LFS.test(value);
}

const known = new Map<string, Promise<UserConfig>>();

/** Read once a repository and process: a change of the user's configuration counts from the next start. */
export function userConfig(root: string): Promise<UserConfig> {
  const seen = known.get(root) ?? read(root);
  known.set(root, seen);
  return seen;
}

/** The only git of ours that sees global and system configuration; `config --list` runs nothing. */
async function read(root: string): Promise<UserConfig> {
  const names = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM'];
  const env = Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const done = await exec(['git', 'config', '--list', '-z'], { cwd: root, env: { ...env, LC_ALL: 'C' }, timeoutMs: 10_000 }).catch(
    () => undefined,
  );
  return parseUserConfig(done?.code === 0 ? done.stdout : '', env['HOME'] ?? homedir(), env['XDG_CONFIG_HOME']);
}

export function parseUserConfig(list: string, home: string, xdg: string | undefined): UserConfig {
  const values = new Map<string, string>();
  for (const item of list.split('\0').filter(Boolean)) {
    const cut = item.indexOf('\n');
    if (cut > 0) values.set(item.slice(0, cut), item.slice(cut + 1));
  }
  const excludes = values.get('core.excludesfile') ?? join(xdg || join(home, '.config'), 'git', 'ignore');
  // Without the user's ignore file we would commit, or call unclean, what the agent's own git does not even see.
  const flags = [`core.excludesFile=${excludes.replace(/^~(?=\/)/, home)}`];
  for (const key of ['core.autocrlf', 'core.eol']) if (values.has(key)) flags.push(`${key}=${values.get(key)}`);
  for (const [key, value] of values) if (isLfs(key, value)) flags.push(`${key}=${value}`);
  const [name, email] = [values.get('user.name'), values.get('user.email')];
  return { identity: name && email ? { name, email } : undefined, flags };
}
