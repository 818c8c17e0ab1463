import { explainEntry } from '../../queue/explain.ts';
import type { QueueSnapshot } from '../../queue/snapshot.ts';
import { ended } from '../../queue/state.ts';

/** In one line each, why the open entries are where they are. */
export function explainOpen(snapshot: QueueSnapshot): Map<number, string> {
  const open = snapshot.entries.filter((entry) => !ended(entry.state));
  return new Map(
    open.map((entry) => [
      entry.id,
      explainEntry(snapshot, entry.id)
        .map((reason) => reason.text)
        .join('; '),
    ]),
  );
}
