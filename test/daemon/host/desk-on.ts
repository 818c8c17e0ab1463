import type { Farm } from '../../../src/daemon/farm/farm.ts';
import type { LeaderDesk } from '../../../src/daemon/farm/leader-desk.ts';
import { leaderDesk } from '../../../src/daemon/leader/desk/desk.ts';
import type { Db } from '../../../src/journal/store.ts';

const SILENT = { info() {}, warn() {}, error() {}, debug() {} };

/** The leader's answers from a real store, for a host whose farm is as small as its test needs it. */
export const deskOn = (db: Db, farm: Partial<Pick<Farm, 'clock' | 'config'>> = {}): LeaderDesk =>
  leaderDesk({ log: SILENT, ...farm, db } as unknown as Farm);
