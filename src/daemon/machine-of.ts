import type { Machine } from './calls/machine.ts';
import { hangingChecks } from './host/checks/hanging.ts';
import type { Host } from './host/host.ts';
import { mendOwnIndexes, mendOwnReflogs } from './host/mend-files.ts';
import { mendRefs } from './host/mend-refs.ts';
import type { RadarWatch } from './host/radar.ts';
import { setUpWorktree } from './host/worktree-setup.ts';

/** This machine for clients' calls, made of the host. */
export const machineOf = (host: Host, radar: Pick<RadarWatch, 'ask'>): Machine => ({
  killMethod: host.killMethod,
  limitWays: host.limitWays,
  terminals: host.terminals,
  screens: host.screens,
  setups: host.setups,
  checksInSetup: host.checksInSetup,
  hangingChecks: () => hangingChecks(host),
  conflicts: (rows) => radar.ask(rows),
  takeOver: (agent) => host.ownGits.look(agent),
  setUp: (by, worktree, env, signal) => setUpWorktree(host, { name: by, worktree, person: true }, env, signal),
  async mend() {
    await mendOwnIndexes(host);
    await mendRefs(host);
    await mendOwnReflogs(host);
  },
});
