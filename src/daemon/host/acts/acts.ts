import type { HostHalves } from '../../farm/acts/acts.ts';
import type { Host } from '../host.ts';
import { attemptEnd } from './attempt-end.ts';
import { attemptRelaunch } from './attempt-relaunch.ts';
import { attemptStart } from './attempt-start.ts';
import { boardWrite } from './board-write.ts';
import { checkRun } from './check-run.ts';
import { dispose } from './dispose.ts';
import { land } from './land.ts';
import { noticePost } from './notice-post.ts';
import { noticeTell } from './notice-tell.ts';
import { publish } from './publish.ts';
import { push } from './push.ts';
import { raceJudge } from './race-judge.ts';

/** The context of a host beside the arguments of an act, and the results it reports. */
export interface Hosting {
  /** Aborts the start of an agent's attempt. */
  startOf(agent: string): AbortSignal;
  /** Reads the remaining transcript of an attempt whose process has exited. */
  drain(attempt: number): Promise<void>;
  /** Cancels a check, by its `runningKey`. */
  checkOf(key: string): AbortSignal;
  /** A task file was not the one that was read: the board has to be read again. */
  boardChanged(): void;
  /** Aborts when the daemon ends, or a person stops the farm. */
  ending(): AbortSignal;
}

/** The host's half of every act. */
export const hostHalves = (farm: Host, hosting: Hosting): HostHalves => ({
  'attempt.start': attemptStart(farm, hosting.startOf),
  'attempt.end': attemptEnd(farm, hosting.drain),
  'attempt.relaunch': attemptRelaunch(farm),
  'board.write': boardWrite(farm, hosting.boardChanged),
  'check.run': checkRun(farm, hosting.checkOf),
  'landing.land': land(farm),
  'landing.publish': publish(farm),
  'landing.push': push(farm, hosting.ending),
  'notice.post': noticePost(farm, hosting.ending),
  'notice.tell': noticeTell(farm),
  'race.judge': raceJudge(farm, hosting.ending),
  'worktree.dispose': dispose(farm),
});
