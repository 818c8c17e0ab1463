import { exec, type Finished } from '../exec.ts';
import type { Repo } from './run.ts';

/**
 * Options of the only call that runs git as the user would: with their HOME, configuration, ssh agent, credential helpers and address
 * rewrites. A push is made in their name and needs all of that; nothing else of ours does. It asks nobody anything: there is no terminal,
 * and programs that would open a window are told not to.
 */
interface UserGitOptions {
  readonly timeoutMs: number;
  /**
   * Lets the user's hooks run, above all `pre-push`. Off by default: a hook may be a tracked file (`core.hooksPath` often names a tracked
   * folder), and then an agent's landed work would decide what the daemon runs.
   */
  readonly hooks?: boolean;
  readonly signal?: AbortSignal;
  /** Configuration passed by environment, which our logs do not show: an address may hold a password. */
  readonly config?: Readonly<Record<string, string>>;
  /** Texts that are removed from git's output wherever they occur. */
  readonly secrets?: readonly string[];
}

/** Variables that a transport may need. An allow-list: GIT_DIR, GIT_TRACE, NODE_OPTIONS and the like stay outside. */
const PASSED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GNUPGHOME', 'GPG_AGENT_INFO', 'KRB5CCNAME', 'KRB5_CONFIG'],
  ...['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'all_proxy', 'ALL_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['GH_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'GLAB_CONFIG_DIR'],
];

const FIXED = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Empty, not unset: otherwise git would use core.askPass and SSH_ASKPASS, which open windows.
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
};

const FLAGS = ['core.fsmonitor=false', 'protocol.ext.allow=never', 'core.pager=cat', 'gc.auto=0', 'maintenance.auto=false'];

/** Runs git in the user's name. A non-zero exit is an answer; secrets that we know of are removed from its output. */
export async function userGit(repo: Repo, args: readonly string[], options: UserGitOptions): Promise<Finished> {
  const done = await run(repo, args, options);
  const hide = (text: string) => withoutLogin(text, options.secrets);
  return { ...done, stdout: hide(done.stdout), stderr: hide(done.stderr) };
}

function run(repo: Repo, args: readonly string[], options: UserGitOptions): Promise<Finished> {
  const own = options.hooks ? [] : ['core.hooksPath=/dev/null'];
  const flags = [...FLAGS, ...own].flatMap((flag) => ['-c', flag]);
  return exec(['git', ...flags, ...args], {
    cwd: repo.root,
    env: { ...userEnvironment(process.env), ...configByEnvironment(options.config ?? {}) },
    timeoutMs: options.timeoutMs,
    ...(options.signal && { signal: options.signal }),
  });
}

/** The way to a remote. Its addresses must not leave this object: they may hold a password. */
export interface Remote {
  /** The address to ask for its branches: the one that a push goes to, which `remote.<name>.pushurl` may change. */
  readonly asked: string;
  readonly config: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Finds a remote by name. `none`: it does not exist. `several`: a push would go to several places, and no compare-and-swap covers that. */
export async function findRemote(repo: Repo, name: string): Promise<Remote | 'none' | 'several'> {
  if (name.startsWith('-')) return 'none';
  const addresses = async (...flags: string[]) => {
    const done = await run(repo, ['remote', 'get-url', ...flags, name], { timeoutMs: 10_000 });
    return done.code === 0 ? done.stdout.split('\n').filter(Boolean) : [];
  };
  const [fetched] = await addresses();
  const [pushed, ...more] = await addresses('--push', '--all');
  if (pushed === undefined) return 'none';
  if (more.length > 0) return 'several';
  const secrets = [...new Set([...secretsOf(pushed), ...secretsOf(fetched ?? '')])];
  const config = await sshConfig(repo);
  if (pushed === fetched) return { asked: name, config, secrets };
  return { asked: 'furrow-push', config: { ...config, 'remote.furrow-push.url': pushed }, secrets };
}

function userEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED) if (from[name] !== undefined) env[name] = from[name];
  if (env['GIT_SSH_COMMAND'] !== undefined) env['GIT_SSH_COMMAND'] = unasking(env['GIT_SSH_COMMAND']);
  return { ...env, ...FIXED };
}

/**
 * Makes an ssh command that never asks and leaves no master connection behind: a master would keep our pipe open as long as it lives. An
 * existing one is used. Programs other than OpenSSH have other options and stay as they are.
 */
function unasking(command: string): string {
  return /^(\S*\/)?ssh(\s|$)/.test(command) ? `${command} -oBatchMode=yes -oControlMaster=no` : command;
}

/** The ssh command by git's order of precedence: GIT_SSH_COMMAND, core.sshCommand, GIT_SSH, ssh. */
async function sshConfig(repo: Repo): Promise<Record<string, string>> {
  if (process.env['GIT_SSH_COMMAND'] !== undefined) return {};
  const set = (await run(repo, ['config', '--get', 'core.sshCommand'], { timeoutMs: 10_000 })).stdout.trim();
  if (!set && process.env['GIT_SSH'] !== undefined) return {};
  return { 'core.sshCommand': unasking(set || 'ssh') };
}

function configByEnvironment(config: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(config);
  if (pairs.length === 0) return {};
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  for (const [at, [key, value]] of pairs.entries())
    Object.assign(env, { [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: value });
  return env;
}

const USERINFO = /([a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi;
const IN_QUERY = /([?&][^=\s&'"]*(?:token|key|secret|passw|auth)[^=\s&'"]*=)[^\s&'"]+/gi;
const TOKENS = /\b(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-)[\w-]{16,}/g;
const HEADER = /(authorization:\s*).*/gi;

/** Removes from a text the user part of any address, tokens of known shapes, and the given secrets. */
export function withoutLogin(text: string, secrets: readonly string[] = []): string {
  const plain = secrets.filter(Boolean).reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return plain.replace(USERINFO, '$1').replace(IN_QUERY, '$1***').replace(TOKENS, '***').replace(HEADER, '$1***');
}

/** The secrets in an address: the password, as written and decoded, or a user name that is a token. */
function secretsOf(address: string): string[] {
  const [, user = '', password] = /^[a-z][a-z0-9+.-]*:\/\/([^\s/:@]*)(?::([^\s/]*))?@/i.exec(address) ?? [];
  const found = password ? [password] : user.length >= 16 ? [user] : [];
  return found.flatMap((secret) => [...new Set([secret, decoded(secret)])]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
