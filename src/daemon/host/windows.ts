import type { Host } from './host.ts';

/** About the pace of ticks. */
const AGAIN_MS = 10_000;

/** The windows of agents, which they have from the start and not only with their first task. */
interface Windows {
  /** Opens those that are missing; agents that are not named need none. */
  keep(agents: readonly string[]): void;
  /** The server of the terminals died, and every window with it. */
  lost(): void;
}

export function windowsOf(farm: Pick<Host, 'terminals' | 'failing' | 'log'>): Windows {
  /** Agents whose window was opened, or is just being opened. */
  const open = new Set<string>();
  const begin = (agent: string) => {
    open.add(agent);
    const doing = { key: `window:${agent}`, what: `open the window of ${agent}`, next: 'furrow doctor', agent };
    farm.terminals.windowOf(agent).then(
      () => farm.failing.worked(doing.key),
      (error: Error) => {
        open.delete(agent);
        farm.log.warn({ agent, error: error.message }, 'its window could not be opened');
        return farm.failing.failed(doing, error, AGAIN_MS);
      },
    );
  };
  let wanted: ReadonlySet<string> = new Set();
  return {
    keep(agents) {
      const now = new Set(agents);
      for (const agent of new Set([...wanted, ...open])) {
        if (now.has(agent)) continue;
        open.delete(agent);
        void farm.failing.dropped(`window:${agent}`);
      }
      wanted = now;
      for (const agent of agents) if (!open.has(agent)) begin(agent);
    },
    lost: () => open.clear(),
  };
}
