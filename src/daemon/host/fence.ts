import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Brought, HomeNeeds } from '../../agents/agent/driver.ts';
import { doorFolder, netSocket, socketPath } from '../../api/place.ts';
import type { AgentKind, Config } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { privateFolder } from '../../platform/files.ts';
import { type Linked, linkedAt } from '../../platform/git/admin.ts';
import { userFolder } from '../../platform/user-folder.ts';
import { agentMounts } from '../../repo/fence/agent.ts';
import { fenceArguments, type Mount } from '../../repo/fence/bwrap.ts';
import { gitEnvironment, type Network, openFence } from '../../repo/fence/open.ts';
import { filesNamedIn, isIn, shown } from '../../repo/fence/visible-paths.ts';
import { proxyEnvironment } from '../../repo/fence/way-to-hosts.ts';
import type { Where } from '../../repo/merge/slot.ts';
import { portsHere } from '../../repo/network/rules.ts';
import { attemptFiles } from '../farm/process-names.ts';
import { temporaryOf } from './agents/temporary.ts';
import { agentRules } from './doors/network.ts';
import type { AgentHost, CheckHost, Host } from './host.ts';
import { ownGitFor } from './own-git.ts';

type Env = Readonly<Record<string, string>>;

/** All command lines of the configuration, which the person has trusted. */
const commandLines = ({ checks, queue, worktree, race }: Config) => [
  ...[...checks, ...queue.after, ...queue.regenerate].map(({ run }) => run),
  ...worktree.setup,
  ...(race.judge === null ? [] : [race.judge]),
];

/** Files that command lines name by their whole path. A folder is more often made and filled than read: inside it is the command's own. */
const namedFiles = (lines: readonly string[]) => filesNamedIn(lines, homedir());

/** Files of the checkout that a command line names by their whole path: they are seen, and nothing else of it. */
async function namedInCheckout({ repo, places }: CheckHost, paths: readonly string[]): Promise<Mount[]> {
  const closed = [repo.gitDir, places.dir, places.home, userFolder()];
  const mounts = shown(paths.filter((path) => path.startsWith('/')));
  return mounts.filter(({ from }) => from !== repo.root && isIn(from, [repo.root]) && !isIn(from, closed));
}

async function linkedOf(farm: CheckHost, path: string): Promise<Linked> {
  const linked = await linkedAt(farm.repo, path);
  if (linked?.whole) return linked;
  throw new FurrowError('NO_FENCE', `${path} is no worktree of this repository`, { hint: 'furrow doctor' });
}

/** The configuration of an agent that has one of its own, in a folder that it may write. */
export const ownHome = ({ places }: Pick<Host, 'places'>, agent: string, account?: string) =>
  join(places.dir, 'homes', agent, account === undefined ? 'own' : `own-${folderOf(account)}`);

/** The same where there is no fence. */
export const openHome = ({ places }: Pick<Host, 'places'>, agent: string, account?: string) =>
  join(places.dir, 'homes', agent, ...(account === undefined ? [] : [folderOf(account)]));

/** The name of the folder for an account: one account must not see what another left. */
const folderOf = (account: string) => createHash('sha256').update(account).digest('hex').slice(0, 16);

/** One start of an agent. */
interface AgentStart {
  readonly attempt: number;
  readonly agent: string;
  readonly launch: number;
  readonly worktree: string;
  /** Its own configuration. */
  readonly own: string;
  readonly env: Env;
  readonly kind: AgentKind;
  readonly needs: HomeNeeds;
  /** Of the person's own configuration. */
  readonly brought: Brought['mounts'];
  /** The program of the agent. */
  readonly program: string | undefined;
  /** Files that the driver wrote for it, which it may read. */
  readonly given: readonly string[];
  readonly strict: boolean;
  /** The port at which it listens in a network of its own. */
  readonly reached?: Network['reached'];
}

/** argv in front of an agent: it sees its worktree, its own parts of the repository, its home, and its door. */
export async function agentFence(farm: AgentHost, start: AgentStart): Promise<string[]> {
  const { repo, places, config } = farm;
  const files = attemptFiles(places, start.agent, start.attempt, start.launch);
  const home = await privateFolder(join(places.dir, 'homes', start.agent));
  const own = await privateFolder(start.own);
  for (const path of start.needs.write ?? []) if (path.endsWith('/')) await mkdir(path, { recursive: true, mode: 0o700 });
  for (const { from } of start.needs.mounts ?? []) await privateFolder(from);
  const named = namedFiles([start.kind.run ?? '']);
  const door = await privateFolder(doorFolder(repo.root, start.attempt));
  const { prompt, folder } = files;
  const beside = { bin: places.bin, prompt, folder, given: start.given, own, temporary: temporaryOf(farm, start.attempt), door };
  const mounts: Mount[] = [
    ...(await namedInCheckout(farm, named)),
    ...agentMounts(beside),
    ...(start.needs.mounts ?? []),
    ...start.brought,
  ];
  const linked = await linkedOf(farm, start.worktree);
  const network = {
    socket: netSocket(repo.root, start.attempt),
    ports: portsHere(agentRules(farm, start.kind)),
    ...(start.reached && { reached: start.reached }),
  };
  const fence = await openFence({
    repo,
    linked,
    own: await ownGitFor(farm, start.attempt, start.agent, linked),
    ...(start.strict && { strict: { network } }),
    ours: ownFolders(farm),
    mounts,
    env: start.env,
    kept: join(home, 'kept'),
    programs: [start.program, 'git', 'node'].filter((name) => name !== undefined),
    read: [...(start.needs.read ?? []), ...named, ...config.fence.read],
    write: [...(start.needs.write ?? []), ...config.fence.write],
    passed: start.kind.pass_env,
  });
  return fenceArguments(fence);
}

/** argv in front of a command of the repository in a worktree or slot: it writes there, in caches of its own, and nowhere else. */
export async function commandFence(farm: CheckHost, path: string, env: Env, { cwd, write }: Where = { cwd: path }): Promise<string[]> {
  const { repo, config } = farm;
  const kept = await privateFolder(join(farm.places.dir, 'caches'));
  const named = namedFiles(commandLines(config));
  const strict = farm.isolation.level === 'strict' ? { ...(await commandNetwork(farm)) } : undefined;
  const door: Mount[] = strict?.network ? [{ from: dirname(strict.network.socket) }] : [];
  const beside: Mount[] = write === undefined ? [] : [{ from: write, write: true }];
  const fence = await openFence({
    repo,
    linked: await linkedOf(farm, path),
    ...(strict && { strict }),
    ours: ownFolders(farm),
    mounts: [...(await namedInCheckout(farm, named)), ...door, ...beside],
    env,
    kept,
    programs: ['git', 'node'],
    read: [...named, ...config.fence.read],
    write: config.fence.write,
    passed: [],
    cwd,
  });
  return fenceArguments(fence);
}

/** The hosts that checks and set-up may call; none: no way out is opened at all. */
async function commandNetwork({ config, doors }: CheckHost): Promise<{ network?: Network }> {
  const { network } = config.fence;
  return network.length === 0 ? {} : { network: { socket: await doors.forCommands(), ports: portsHere(network) } };
}

/** The environment of what runs in a fence: temporary files in its own folder, git without keys, and the way to allowed hosts. */
export function fencedEnvironment(env: Env, temporary: string | undefined, hosts: boolean): Record<string, string> {
  const { TMPDIR: _outside, ...rest } = env;
  return { ...rest, ...(temporary !== undefined && { TMPDIR: temporary }), ...gitEnvironment(env), ...(hosts && proxyEnvironment()) };
}

/** True when checks and set-up have a way to allowed hosts, and no other. */
export const callsHosts = ({ isolation, config }: Pick<Host, 'isolation' | 'config'>): boolean =>
  isolation.level === 'strict' && config.fence.network.length > 0;

/** Folders of furrow's that nobody inside a fence sees: the checkout with its store and logs, all worktrees and slots, sockets, consents. */
const ownFolders = ({ repo, places }: CheckHost) => [repo.root, places.home, dirname(socketPath(repo.root)), userFolder()];
