import { isWaiting } from '../../platform/git/blocking-files.ts';
import { isAboutObjects } from '../../platform/git/broken-refs.ts';
import { freeBlocks } from '../../repo/worktree/ports.ts';
import { type HostRows, type HostSide, type Observation, type Trouble, troubleOf } from '../farm/host-side.ts';
import type { Agents } from './agents/agents.ts';
import type { HangingWatch } from './checks/hanging.ts';
import type { Host } from './host.ts';
import { goneHolders } from './lease-holders.ts';
import { lookAtAttempts } from './look-at-attempts.ts';
import type { RadarWatch } from './radar.ts';
import { NOTHING_TO_SWEEP, type Swept, sweptOf } from './sweep.ts';
import { windowsOf } from './windows.ts';

/** The parts of a host that its look drives. */
interface Driven {
  readonly agents: Pick<Agents, 'follow'>;
  readonly radar: Pick<RadarWatch, 'follow'>;
  readonly hanging: Pick<HangingWatch, 'look'>;
}

/** This machine as the leader's tick sees it. */
export interface HostLook extends HostSide {
  /** The processes and branches of the last look. */
  swept(): Swept;
  /** The server of the terminals died: what ran in it may live on without one. */
  serverLost(): void;
}

export function hostLook(farm: Host, { agents, radar, hanging }: Driven): HostLook {
  const windows = windowsOf(farm);
  /** The terminals must be looked at: a server died, or the daemon has just started. */
  let panesDirty = true;
  let swept = NOTHING_TO_SWEEP;

  /** Attempts whose terminal is gone. Asked only when a server died; until those that were just starting have come up, again. */
  const orphans = async ({ attempts }: HostRows): Promise<ReadonlySet<number>> => {
    if (!panesDirty) return new Set();
    // A server that does not answer is no server that is gone: then this is asked again.
    const pids = new Set(((await farm.terminals.panes()) ?? []).map((pane) => pane.pid));
    panesDirty = attempts.some((attempt) => attempt.state === 'starting');
    const running = attempts.filter((attempt) => attempt.state === 'running');
    return new Set(running.filter((attempt) => !pids.has(attempt.pid ?? 0)).map((attempt) => attempt.id));
  };

  return {
    async look(rows): Promise<Observation> {
      swept = sweptOf(rows);
      const troubles: Trouble[] = [];
      const failed = (error: unknown) => {
        troubles.push(troubleOf(error as Error));
        farm.doubts.objects ||= isAboutObjects(error as Error) || isWaiting(error as Error);
      };
      const lost = await orphans(rows).catch((error: Error) => {
        failed(error);
        return new Set<number>();
      });
      const attempts = lookAtAttempts(rows.attempts, farm.places, lost);
      const followed = await agents.follow(rows, attempts, failed).catch((error: unknown) => {
        failed(error);
        return { goesOn: [], relaunches: [] };
      });
      return { attempts, goneHolders: [...goneHolders(farm, rows.leases)], ...followed, troubles };
    },
    swept: () => swept,
    keepWindows: windows.keep,
    async sendHome(agent) {
      await freeBlocks(farm.id, [agent]).catch((error: Error) => farm.log.warn({ error: error.message }, 'ports could not be given back'));
      await farm.terminals.close(agent);
    },
    followConflicts: (rows) => radar.follow(rows),
    followChecks: () => hanging.look(),
    serverLost() {
      panesDirty = true;
      windows.lost();
    },
  };
}
