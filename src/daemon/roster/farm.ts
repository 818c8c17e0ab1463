import type { Farm } from '../farm/farm.ts';
import type { Reporting } from '../farm/report.ts';

/** A farm as its roster needs it; the commands that run, and where each stands, are shown with those of this machine. */
export interface RosterFarm
  extends Pick<
      Farm,
      | 'id'
      | 'db'
      | 'clock'
      | 'log'
      | 'version'
      | 'repo'
      | 'git'
      | 'places'
      | 'epoch'
      | 'wake'
      | 'config'
      | 'trust'
      | 'target'
      | 'board'
      | 'isolation'
    >,
    Reporting {
  readonly commandsRunning: Map<string, number>;
  readonly checksInSetup: Set<string>;
}
