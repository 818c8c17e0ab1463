import type { Pushed } from '../../repo/merge/push.ts';
import type { EndArgs, Ended, EndFacts } from './attempt-end/arguments.ts';
import type { RelaunchArgs, Relaunched, RelaunchFacts } from './attempt-relaunch/arguments.ts';
import type { StartArgs, Started, StartFacts } from './attempt-start/arguments.ts';
import type { BoardFacts, BoardWriteArgs, Written } from './board-write/arguments.ts';
import type { CheckArgs, Checked } from './check-run/arguments.ts';
import type { DisposeArgs, Disposed, DisposeFacts } from './dispose/arguments.ts';
import type { LandArgs, Landed, LandFacts } from './land/arguments.ts';
import type { NoticeArgs, Noticed } from './notice/arguments.ts';
import type { PublishArgs, Published, PublishFacts } from './publish/arguments.ts';
import type { PushArgs } from './push/arguments.ts';
import type { JudgeArgs, Judged } from './race-judge/arguments.ts';

/** Every act of the farm, by kind: its arguments, its result, and the facts of the store that its host needs. Leader and host meet here. */
interface Acts {
  'attempt.start': { args: StartArgs; result: Started; facts: StartFacts };
  'attempt.end': { args: EndArgs; result: Ended; facts: EndFacts };
  'attempt.relaunch': { args: RelaunchArgs; result: Relaunched; facts: RelaunchFacts };
  'board.write': { args: BoardWriteArgs; result: Written; facts: BoardFacts };
  'check.run': { args: CheckArgs; result: Checked };
  'landing.land': { args: LandArgs; result: Landed; facts: LandFacts };
  'landing.publish': { args: PublishArgs; result: Published; facts: PublishFacts };
  'landing.push': { args: PushArgs; result: Pushed };
  'notice.post': { args: NoticeArgs; result: Noticed };
  'notice.tell': { args: NoticeArgs; result: Noticed };
  'race.judge': { args: JudgeArgs; result: Judged };
  'worktree.dispose': { args: DisposeArgs; result: Disposed; facts: DisposeFacts };
}

export type ActKind = keyof Acts;
export type ArgsOf<K extends ActKind> = Acts[K]['args'];
export type ResultOf<K extends ActKind> = Acts[K]['result'];
/** Read by the leader whenever the host begins, and not stored: they are as of that moment. `undefined` for an act that needs none. */
export type FactsOf<K extends ActKind> = Acts[K] extends { facts: infer Facts } ? Facts : undefined;

/** The host's half of an act: it asks the world and changes it. See `Act` for what each of them promises. */
export interface HostHalf<K extends ActKind> {
  probe(args: ArgsOf<K>, facts: FactsOf<K>): Promise<ResultOf<K> | undefined>;
  run(args: ArgsOf<K>, facts: FactsOf<K>): Promise<ResultOf<K>>;
  begun?(args: ArgsOf<K>): Promise<boolean>;
}

export type HostHalves = { readonly [K in ActKind]: HostHalf<K> };
