import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { commandNetSocket } from '../api/place.ts';
import { parseConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { repositoryAt } from '../daemon/farm/repository.ts';
import { openNetwork } from '../daemon/host/doors/network.ts';
import type { CheckHost } from '../daemon/host/host.ts';
import { setupsOf } from '../daemon/host/setup.ts';
import type { CheckOrder } from '../hosts/link/frames.ts';
import { clockOn } from '../platform/clock.ts';
import { FurrowError } from '../platform/error.ts';
import { privateFolder } from '../platform/files.ts';
import { withRepo } from '../platform/git/mutex.ts';
import { initRepo } from '../platform/git/repository.ts';
import { git, type Repo } from '../platform/git/run.ts';
import { type Identity, userConfig } from '../platform/git/user.ts';
import { levelNamed, openLog } from '../platform/log.ts';
import { makePlaces, placesOf } from '../platform/places.ts';
import { findKillMethod } from '../platform/process/jail.ts';
import { findLimitWays } from '../platform/process/limits.ts';
import { knownSupport } from '../repo/fence/known-support.ts';
import { isolationOf } from '../repo/fence/level.ts';
import type { ProxyServer } from '../repo/network/proxy.ts';
import { type Membership, titleOf } from './membership.ts';

/** The place on this machine where the checks of a farm run: a repository of its own, its slots beside it. */
export interface Bench {
  readonly farm: CheckHost & { config: Config };
  /** Works by what an order says from now on: it is the newest that the person of the farm trusts. */
  follow(order: Pick<CheckOrder, 'config' | 'target'>): Promise<Config>;
  /** Lets agents commit in the name of the person of the farm, where git on this machine knows nobody. */
  commitAs(identity: Identity): Promise<void>;
  /** The configuration that an order is to be done by. */
  configOf(sent: CheckOrder['config']): Config;
  close(): Promise<void>;
}

/** No part of the path begins with a dot: test runners pass over such folders. */
export const rootOf = (member: Membership): string => join(process.env['HOME'] || homedir(), 'furrow', 'hosts', titleOf(member), 'repo');

export async function openRepo(root: string): Promise<Repo> {
  await mkdir(dirname(root), { recursive: true, mode: 0o700 });
  const repo = { root, gitDir: join(root, '.git') };
  await initRepo(repo);
  await makePlaces(placesOf(root));
  return repo;
}

export async function openBench(member: Membership, repo: Repo): Promise<Bench> {
  const places = placesOf(repo.root);
  const log = openLog(1, levelNamed(process.env['FURROW_LOG']), { path: join(places.logs, 'host.log'), most: LOG_BYTES });
  let network: Promise<ProxyServer> | undefined;
  const farm: { -readonly [K in keyof CheckHost]: CheckHost[K] } = {
    id: member.id,
    repo,
    git: repositoryAt(repo),
    places,
    config: parseConfig('', 'furrow.yaml'),
    target: '',
    isolation: { level: 'none', why: null, refused: null },
    killMethod: await findKillMethod(),
    limitWays: findLimitWays(),
    setups: setupsOf(repo, places, () => farm),
    clock: clockOn({ base: 0 }),
    log,
    // Events of set-up are of no use to the leader: the log of the check has the output.
    async report(report) {
      log.debug({ report }, 'not told');
      return true;
    },
    wake() {},
    commandsRunning: new Map(),
    checksInSetup: new Set(),
    trust: { config: undefined },
    // The head and its history are in the repository here.
    leader: { checks: { hasLanded: async () => false } },
    doors: {
      async forCommands() {
        const socket = commandNetSocket(repo.root);
        await privateFolder(dirname(socket));
        network ??= openNetwork(() => ({ ...farm, hooks: { port: 0 } }), socket, { agent: null, rules: () => farm.config.fence.network });
        await network;
        return socket;
      },
    },
  };
  return {
    farm,
    async follow({ config, target }) {
      farm.config = withOrder(config as unknown as Sent);
      farm.target = target;
      const level = farm.config.isolation ?? process.env['FURROW_ISOLATION'];
      const support = level === 'none' ? TRYING : await knownSupport(level === 'strict');
      farm.isolation = isolationOf(farm.config.isolation, process.env['FURROW_ISOLATION'], support);
      if (farm.isolation.refused) throw new FurrowError('NO_FENCE', farm.isolation.refused.why, { hint: farm.isolation.refused.next });
      return farm.config;
    },
    // One start after the other: git locks the file.
    commitAs: ({ name, email }) =>
      withRepo(repo, async () => {
        if ((await userConfig(repo)).identity !== undefined) return;
        const file = join(repo.gitDir, 'config');
        await git(repo, ['config', '--file', file, 'user.name', name]);
        await git(repo, ['config', '--file', file, 'user.email', email]);
      }),
    configOf: (sent) => withOrder(sent as unknown as Sent),
    async close() {
      await (await network)?.close();
    },
  };
}

const LOG_BYTES = 4 * 1024 * 1024;
const TRYING = { works: false, why: 'it was not tried', next: 'isolation: guard' } as const;

/** The part of the configuration that a leader sends. */
type Sent = Pick<Config, 'isolation' | 'limits' | 'fence' | 'checks'> & {
  readonly queue: Partial<Config['queue']>;
  readonly worktree: Partial<Config['worktree']>;
};

function withOrder({ queue, worktree, ...sent }: Sent): Config {
  const usual = parseConfig('', 'furrow.yaml');
  return { ...usual, ...sent, queue: { ...usual.queue, ...queue }, worktree: { ...usual.worktree, ...worktree } };
}
