import type { Grounds, LeaderHalves } from '../leader/act-half.ts';
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

/** The leader's half of every act. */
export const leaderHalves = (farm: Grounds): LeaderHalves => ({
  'attempt.start': attemptStart(farm),
  'attempt.end': attemptEnd(farm),
  'attempt.relaunch': attemptRelaunch(farm),
  'board.write': boardWrite,
  'check.run': checkRun(farm),
  'landing.land': land(farm),
  'landing.publish': publish(farm),
  'landing.push': push(farm),
  'notice.post': notice,
  'notice.tell': notice,
  'race.judge': raceJudge(farm),
  'worktree.dispose': dispose,
});
