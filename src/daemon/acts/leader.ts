import type { Farm } from '../farm/farm.ts';
import type { LoopState } from '../leader/state.ts';
import { attemptEnd } from './attempt-end/leader.ts';
import { attemptRelaunch } from './attempt-relaunch/leader.ts';
import { attemptStart } from './attempt-start/leader.ts';
import { boardWrite } from './board-write/leader.ts';
import { checkRun } from './check-run/leader.ts';
import { dispose } from './dispose/leader.ts';
import { land } from './land/leader.ts';
import { notice } from './notice/leader.ts';
import { publish } from './publish/leader.ts';
import { push } from './push/leader.ts';
import { raceJudge } from './race-judge/leader.ts';
import type { LeaderHalves } from './table.ts';

/** The leader's half of every act. */
export const leaderHalves = (farm: Farm, state: LoopState, forget: (attempt: number) => void): LeaderHalves => ({
  'attempt.start': attemptStart(farm),
  'attempt.end': attemptEnd(farm),
  'attempt.relaunch': attemptRelaunch(farm, forget),
  'board.write': boardWrite(farm),
  'check.run': checkRun(farm),
  'landing.land': land(farm, state.queue),
  'landing.publish': publish(farm, state),
  'landing.push': push(farm, state),
  'notice.post': notice,
  'notice.tell': notice,
  'race.judge': raceJudge(farm),
  'worktree.dispose': dispose(),
});
