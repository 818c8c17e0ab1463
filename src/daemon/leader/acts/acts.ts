import type { LeaderHalves } from '../../farm/acts/acts.ts';
import type { Farm } from '../../farm/farm.ts';
import type { LoopState } from '../state.ts';
import { attemptEnd } from './attempt-end.ts';
import { attemptRelaunch } from './attempt-relaunch.ts';
import { attemptStart } from './attempt-start.ts';
import { boardWrite } from './board-write.ts';
import { checkRun } from './check-run.ts';
import { dispose } from './dispose.ts';
import { land } from './land.ts';
import { notice } from './notice.ts';
import { publish } from './publish.ts';
import { push } from './push.ts';
import { raceJudge } from './race-judge.ts';

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
