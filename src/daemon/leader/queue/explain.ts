import { explainEntry } from '../../../queue/explain.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { ended } from '../../../work/entry/state.ts';

interface Explained {
  /** The code of the first reason. */
  readonly code: string | null;
  /** All of them, in one line. */
  readonly text: string;
}

/** The reasons why the open entries are where they are. */
export function explainOpen(snapshot: QueueSnapshot): Map<number, Explained> {
  const open = snapshot.entries.filter((entry) => !ended(entry.state));
  return new Map(
    open.map((entry) => {
      const reasons = explainEntry(snapshot, entry.id);
      return [entry.id, { code: reasons[0]?.code ?? null, text: reasons.map((reason) => reason.text).join('; ') }];
    }),
  );
}
