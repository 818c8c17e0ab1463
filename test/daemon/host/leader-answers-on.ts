import type { Farm } from '../../../src/daemon/farm/farm.ts';
import type { LeaderAnswers } from '../../../src/daemon/farm/leader-answers.ts';
import { leaderAnswers } from '../../../src/daemon/leader/answers/answers.ts';
import type { Db } from '../../../src/journal/store.ts';

const SILENT = { info() {}, warn() {}, error() {}, debug() {} };

/** The leader's answers from a real store, for a host whose farm is as small as its test needs it. */
export const leaderAnswersOn = (db: Db, farm: Partial<Pick<Farm, 'clock' | 'config'>> = {}): LeaderAnswers =>
  leaderAnswers({ log: SILENT, ...farm, db } as unknown as Farm);
