import { FurrowError } from '../../platform/error.ts';
import { closeQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Farm } from '../farm/farm.ts';
import type { LoopState } from './state.ts';

const SUBJECT = 'repository';

/** Runs before the daemon resumes what a killed one left. The board is read later; the trust then covers its checks too. */
export async function trustAtStart({ trust }: Farm): Promise<void> {
  await trust.look();
  if (trust.pending) await trust.give({ script: true });
}

/** Looks at what the repository makes run; while that is not trusted, a person is asked. */
export async function observeTrust(farm: Farm, state: LoopState): Promise<void> {
  const { trust } = farm;
  await trustAtStart(farm);
  trust.pending = false;
  const why = trust.now.yes ? null : trust.now.why;
  if (state.trustAsked === why) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (why) await raiseQuestion(tx, { kind: 'trust', subject: SUBJECT, reason: `${why}; furrow trust shows it and asks` }, now);
    else await closeQuestions(tx, 'trust', SUBJECT, 'you trust it now', now);
  });
  state.trustAsked = why;
}

/** The last gate before anything of the repository starts, in the transaction that would store it. */
export function assertTrusted({ trust: { now } }: Pick<Farm, 'trust'>): void {
  if (!now.yes) throw new FurrowError('STALE', now.why);
}
