import type { Act } from '../../journal/act.ts';
import type { Pushed } from '../../repo/merge/push.ts';
import type { EndArgs, Ended } from './attempt-end/arguments.ts';
import type { RelaunchArgs, Relaunched } from './attempt-relaunch/arguments.ts';
import type { StartArgs, Started } from './attempt-start/arguments.ts';
import type { BoardWriteArgs, Written } from './board-write/arguments.ts';
import type { CheckArgs, Checked } from './check-run/arguments.ts';
import type { DisposeArgs, Disposed } from './dispose/arguments.ts';
import type { LandArgs, Landed } from './land/arguments.ts';
import type { NoticeArgs, Noticed } from './notice/arguments.ts';
import type { PublishArgs, Published } from './publish/arguments.ts';
import type { PushArgs } from './push/arguments.ts';
import type { JudgeArgs, Judged } from './race-judge/arguments.ts';

/** Every act of the farm, by kind: its arguments, and its result. Leader and host meet here. */
export interface Acts {
  'attempt.start': { args: StartArgs; result: Started };
  'attempt.end': { args: EndArgs; result: Ended };
  'attempt.relaunch': { args: RelaunchArgs; result: Relaunched };
  'board.write': { args: BoardWriteArgs; result: Written };
  'check.run': { args: CheckArgs; result: Checked };
  'landing.land': { args: LandArgs; result: Landed };
  'landing.publish': { args: PublishArgs; result: Published };
  'landing.push': { args: PushArgs; result: Pushed };
  'notice.post': { args: NoticeArgs; result: Noticed };
  'notice.tell': { args: NoticeArgs; result: Noticed };
  'race.judge': { args: JudgeArgs; result: Judged };
  'worktree.dispose': { args: DisposeArgs; result: Disposed };
}

export type ActKind = keyof Acts;
export type ArgsOf<K extends ActKind> = Acts[K]['args'];
export type ResultOf<K extends ActKind> = Acts[K]['result'];

type Whole<K extends ActKind> = Act<ArgsOf<K>, ResultOf<K>>;

/** The host's half of an act: it asks the world and changes it. */
export type HostHalf<K extends ActKind> = Pick<Whole<K>, 'probe' | 'run' | 'begun'>;

export type HostHalves = { readonly [K in ActKind]: HostHalf<K> };
