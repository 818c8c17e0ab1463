import { type KeyboardEvent, type MouseEvent, useCallback, useMemo, useRef, useState } from 'react';
import type { PatchLine } from '../../src/tell/face/patch.ts';
import type { Anchor } from '../../src/tell/face/review-place.ts';
import { type FileReview, lineKey } from './file-review.ts';

/** Lines of one side, from the one that was begun with to the one that was come to. */
interface Picked {
  readonly side: Anchor['side'];
  readonly from: number;
  readonly to: number;
}

/** Picks the lines for a comment: by a press, a pull over several numbers, Shift with a press or with the arrow keys. */
export interface Picking {
  readonly down: (event: MouseEvent) => void;
  readonly over: (event: MouseEvent) => void;
  readonly walk: (event: KeyboardEvent) => void;
  /** The number of a line was pressed without a mouse. */
  readonly press: (key: string) => void;
}

export const NOTHING: ReadonlySet<string> = new Set();

/**
 * `picked`: the `lineKey` of each line. `shown`: the lines of the file in sight; what is hidden between them is not picked.
 */
export function usePicking(
  shown: readonly PatchLine[],
  review: FileReview | undefined,
): { readonly picked: ReadonlySet<string>; readonly picking: Picking } {
  const [picked, setPicked] = useState<Picked>();
  const now = useRef<Picked>(undefined);
  const last = useRef<Picked>(undefined);
  const pick = useCallback(
    (to: Picked | undefined) => {
      now.current = to && within(shown, to);
      setPicked(now.current);
    },
    [shown],
  );
  const begin = useCallback(
    (shift: boolean) => {
      const { side, from, to } = now.current!;
      // The field that the press before this one opened becomes that of all the lines.
      const before = shift && last.current ? review?.at.get(lineKey(side, last.current.from)) : undefined;
      for (const { draft } of before ?? []) if (draft.text === '') review?.write.remove(draft.id);
      review?.begin(side, { first: Math.min(from, to), last: Math.max(from, to) }, shown);
      last.current = now.current;
      pick(undefined);
    },
    [shown, review, pick],
  );
  const picking = useMemo(
    (): Picking => ({
      down(event) {
        const at = numberAt(event.target, '[data-line]');
        if (!at || event.button !== 0 || !review) return;
        const from = event.shiftKey && last.current?.side === at.side ? last.current.from : at.n;
        pick({ side: at.side, from, to: at.n });
        const { shiftKey } = event;
        addEventListener('mouseup', () => begin(shiftKey), { once: true });
      },
      over(event) {
        const { current } = now;
        if (!current || event.buttons !== 1) return;
        const row = (event.target as Element).closest('tr');
        const at = row && numberAt(row.querySelector(`[data-line^="${current.side}"]`), '[data-line]');
        if (at && at.n !== current.to) pick({ ...current, to: at.n });
      },
      walk(event) {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const button = (event.target as Element).closest<HTMLElement>('[data-line]');
        const at = numberAt(button, '[data-line]');
        if (by === undefined || !button || !at) return;
        event.preventDefault();
        const { current } = now;
        const place = event.shiftKey ? button.closest('.patch-file') : document;
        const all = [...place!.querySelectorAll<HTMLElement>(event.shiftKey ? `[data-line^="${at.side}"]` : '.patch-file [data-line]')];
        const next = all[all.indexOf(button) + by];
        if (!event.shiftKey) pick(undefined);
        else if (next) pick({ side: at.side, from: current?.from ?? at.n, to: numberAt(next, '[data-line]')!.n });
        next?.focus();
      },
      press(key) {
        const { side, n } = parsed(key);
        if (!now.current || now.current.side !== side || now.current.to !== n) pick({ side, from: n, to: n });
        begin(false);
      },
    }),
    [pick, begin, review],
  );
  const keys = useMemo(() => (picked ? new Set(numbersOf(picked).map((n) => lineKey(picked.side, n))) : NOTHING), [picked]);
  return { picked: keys, picking };
}

function numberAt(target: EventTarget | null, selector: string): { readonly side: Anchor['side']; readonly n: number } | undefined {
  const key = (target as Element | null)?.closest<HTMLElement>(selector)?.dataset['line'];
  return key === undefined ? undefined : parsed(key);
}

/** The other way round than `lineKey`. */
const parsed = (key: string) => ({ side: key.startsWith('old') ? ('old' as const) : ('new' as const), n: Number(key.slice(3)) });

const numbersOf = ({ from, to }: Picked): readonly number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, by) => Math.min(from, to) + by);

/** As far as there is a line in sight after the other. */
function within(shown: readonly PatchLine[], { side, from, to }: Picked): Picked {
  const there = new Set(shown.map((line) => line[side]));
  const by = Math.sign(to - from);
  let end = from;
  while (end !== to && there.has(end + by)) end += by;
  return { side, from, to: end };
}
