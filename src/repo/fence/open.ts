import type { Linked } from '../../platform/git/admin.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Fence, Mount } from './bwrap.ts';
import { filterFile } from './filter.ts';
import { gitMounts, settingsFiles } from './git-folder.ts';
import { LEADING_OUT } from './home-paths.ts';
import { type OwnGit, ownGitMounts } from './own-git.ts';
import { ownProgram } from './programs.ts';
import { lookAround, type Wishes } from './surroundings.ts';
import { real } from './visible-paths.ts';
import { networkEntry, type Reached } from './way-to-hosts.ts';

/** A command in a worktree of furrow's, and everything that it may see. */
interface FenceOrder extends Wishes {
  readonly repo: Repo;
  readonly linked: Linked;
  /** Its own repository in place of ours; without one it cannot commit, and nothing in the git folder can be written. */
  readonly own?: OwnGit;
  /** `strict`: it has a network of its own, and may call only these hosts; without them, nobody. */
  readonly strict?: { readonly network?: Network };
  /** furrow's own folders. */
  readonly ours: readonly string[];
  /** Its mounts beside its worktree. A later mount covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** Variables that the user passes on by name, wherever they lead. */
  readonly passed: readonly string[];
  readonly cwd?: string;
}

/** The socket through which allowed hosts can be called, and the allowed ports of this machine. */
export interface Network {
  readonly socket: string;
  readonly ports: readonly number[];
  /** A port inside that is called from outside, and its socket. */
  readonly reached?: Reached;
}

/** Looks at the machine and makes the folders that must exist. The result is for the start that follows at once. */
export async function openFence(order: FenceOrder): Promise<Fence> {
  const ours = (await Promise.all(order.ours.map(real))).filter((path) => path !== undefined);
  const around = await lookAround(order);
  const folders = [...around.hidden, ...ours];
  const { strict } = order;
  const filter = await filterFile(order.kept);
  return {
    ...around,
    opened: [...around.opened, ...(await settingsFiles(order.repo, around.hidden, order.env))],
    ours,
    mounts: [...(await ownProgram(folders)), ...(await gitOf(order)), ...order.mounts],
    unset: LEADING_OUT.filter((name) => !order.passed.includes(name)),
    network: strict ? 'none' : 'host',
    ...(filter && { filter }),
    ...(strict?.network && { entry: networkEntry(strict.network) }),
    cwd: order.cwd ?? order.linked.path ?? '/',
  };
}

const gitOf = ({ repo, linked, own, env }: FenceOrder): Promise<Mount[]> =>
  own ? ownGitMounts(repo, linked, own, env) : gitMounts(repo, linked, env);

/**
 * Variables for git inside. The keys for signatures are outside; only the user's own git tidies the repository; fetched objects are written
 * loose, because nobody inside may write packs.
 */
export function gitEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const settings = ['commit.gpgSign=false', 'tag.gpgSign=false', 'gc.auto=0', 'maintenance.auto=false', 'fetch.unpackLimit=100000'].map(
    (line) => line.split('='),
  );
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  const pairs = settings.flatMap(([key = '', value = ''], n) => [
    [`GIT_CONFIG_KEY_${first + n}`, key],
    [`GIT_CONFIG_VALUE_${first + n}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}
