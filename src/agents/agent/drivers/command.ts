import { FurrowError } from '../../../platform/error.ts';
import type { Driver } from '../driver.ts';

/** Any command line: exit 0 is done, 75 is blocked, anything else a failed attempt. */
export const command: Driver = {
  name: 'command',
  provider: null,
  commits: 'auto',
  mode: 'headless',
  ends: () => 'exit',
  takesModel: true,
  takesEffort: true,
  speaks: () => false,
  async launch({ settings }) {
    if (!settings.run) throw new FurrowError('CONFIG', 'an agent with `driver: command` needs a `run` line', { hint: 'furrow config' });
    const { run, model, effort } = settings;
    return { command: run, env: { ...(model && { FURROW_MODEL: model }), ...(effort && { FURROW_EFFORT: effort }) }, files: [] };
  },
};
