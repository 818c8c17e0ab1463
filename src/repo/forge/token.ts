import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { exec } from '../../platform/exec.ts';
import { readIfThere } from '../../platform/files.ts';
import { isOnPath } from '../../platform/on-path.ts';
import type { ForgeKind, ForgePlace } from './forge.ts';

/** A token, and where it is from: its text is never stored, shown or logged. */
export interface ForgeToken {
  readonly token: string;
  readonly from: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The person's token for a forge: from the environment, or from the tool of the forge. Each of these sources names the host that a token is for, and
 * that must be the one that is asked: a repository that names another `forge.api` gets no token.
 */
export async function findToken(place: ForgePlace, env: Env): Promise<ForgeToken | undefined> {
  const host = hostOf(place);
  return fromEnvironment(place.kind, host, env) ?? (await fromTool(place.kind, host, env));
}

/** The host that a token must be for. The interfaces of GitHub's own clouds are on hosts below theirs. */
function hostOf({ api, host, kind }: ForgePlace): string {
  const asked = new URL(api).host.toLowerCase();
  return kind === 'github' && asked === `api.${host}` && /^(?:github\.com|[\w-]+\.ghe\.com)$/.test(host) ? host : asked;
}

const bare = (text: string | undefined, usual: string) =>
  (text ?? usual)
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase();

function fromEnvironment(kind: ForgeKind, host: string, env: Env): ForgeToken | undefined {
  const names: Record<ForgeKind, readonly string[]> = {
    github: /^(?:github\.com|[\w-]+\.ghe\.com)$/.test(host)
      ? ['GH_TOKEN', 'GITHUB_TOKEN']
      : bare(env['GH_HOST'], '') === host
        ? ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']
        : [],
    gitlab: bare(env['GITLAB_HOST'], 'gitlab.com') === host ? ['GITLAB_TOKEN'] : [],
    gitea: bare(env['GITEA_SERVER_URL'], 'codeberg.org') === host ? ['GITEA_SERVER_TOKEN'] : [],
  };
  const name = names[kind].find((one) => env[one]);
  return name === undefined ? undefined : { token: env[name]!, from: name };
}

async function fromTool(kind: ForgeKind, host: string, env: Env): Promise<ForgeToken | undefined> {
  if (kind === 'gitea') return fromTea(host, env);
  const argv: [string, ...string[]] =
    kind === 'github' ? ['gh', 'auth', 'token', '--hostname', host] : ['glab', 'config', 'get', 'token', '--host', host];
  if (!isOnPath(argv[0], env['PATH'] ?? '')) return undefined;
  const given = Object.fromEntries(Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined));
  const done = await exec(argv, { env: given, timeoutMs: 10_000 });
  const token = done.stdout.trim();
  return done.code === 0 && /^\S{8,1000}$/.test(token) ? { token, from: argv[0] } : undefined;
}

/** tea has no command that prints a token; they are in its own file. */
async function fromTea(host: string, env: Env): Promise<ForgeToken | undefined> {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  const text = await readIfThere(join(folder, 'tea', 'config.yml')).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { logins = [] } = parse(text) as { logins?: { url?: string; token?: string }[] };
    const login = logins.find(({ url, token }) => token && bare(url, '') === host);
    return login?.token === undefined ? undefined : { token: login.token, from: 'tea' };
  } catch {
    return undefined;
  }
}
