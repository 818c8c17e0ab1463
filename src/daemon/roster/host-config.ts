import type { Config } from '../../config/schema.ts';

/**
 * The part of the configuration that a check depends on. The rest stays here: addresses of webhooks, and the values of agents' variables. The
 * names of those decide only how set-up is split.
 */
export function configForChecks({ isolation, limits, fence, checks, queue, worktree }: Config): Record<string, unknown> {
  const { setup, setup_files, copy, env } = worktree;
  return {
    ...(isolation !== undefined && { isolation }),
    ...{ limits, fence, checks },
    queue: { caches: queue.caches, share_caches: queue.share_caches },
    worktree: { setup, setup_files, copy, env: Object.fromEntries(Object.keys(env).map((name) => [name, ''])) },
  };
}

/** The same for agents, with the values of their variables, and what of a change is protected. Their own settings come with each start. */
export function configForAgents(config: Config): Record<string, unknown> {
  const { worktree, protect } = config;
  const { worktree: shown, ...checks } = configForChecks(config) as { worktree: object };
  return { ...checks, protect, worktree: { ...shown, env: worktree.env, ports: worktree.ports } };
}
