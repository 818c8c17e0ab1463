import type { TurnEnd } from '../../agents/supervision/record.ts';
import { protectedPaths } from '../farm/protect.ts';
import { briefFromBoard } from '../host/brief.ts';
import type { Host } from '../host/host.ts';
import { attemptEnd } from './attempt-end/host.ts';
import { attemptRelaunch } from './attempt-relaunch/host.ts';
import { attemptStart } from './attempt-start/host.ts';
import { boardWrite } from './board-write/host.ts';
import { checkRun } from './check-run/host.ts';
import { dispose } from './dispose/host.ts';
import { land } from './land/host.ts';
import { noticePost, noticeTell } from './notice/host.ts';
import { publish } from './publish/host.ts';
import { push } from './push/host.ts';
import { raceJudge } from './race-judge/host.ts';
import type { HostHalves } from './table.ts';

/** The context of a host beside the arguments of an act, and the results it reports. */
interface Hosting {
  /** Aborts the start of an agent's attempt. */
  startOf(agent: string): AbortSignal;
  /** Reads the remaining transcript of an attempt whose process has exited, and answers how its last turn ended; `undefined`: nobody listens to it. */
  drain(attempt: number): Promise<TurnEnd | null | undefined>;
  /** Cancels a check, by its `runningKey`. */
  checkOf(key: string): AbortSignal;
  /** A task file was not the one that was read: the board has to be read again. */
  boardChanged(): void;
  /** Aborts when the daemon ends, or a person stops the farm. */
  ending(): AbortSignal;
}

/** The host's half of every act. */
export const hostHalves = (farm: Host, hosting: Hosting): HostHalves => ({
  'attempt.start': attemptStart(farm, { signalFor: hosting.startOf, brief: briefFromBoard(farm) }),
  'attempt.end': attemptEnd(farm, { drain: hosting.drain, protectedIn: (paths) => protectedPaths(farm, paths) }),
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
