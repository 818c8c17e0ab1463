import { FurrowError } from '../../platform/error.ts';
import type { Driver } from '../driver.ts';

/** Any command line: exit 0 is done, 75 is blocked, anything else a failed attempt. */
export const command: Driver = {
  name: 'command',
  commits: 'auto',
  commandLine({ settings }) {
    if (!settings.run) throw new FurrowError('CONFIG', 'an agent with `driver: command` needs a `run` line', { hint: 'furrow config' });
    return settings.run;
  },
};
