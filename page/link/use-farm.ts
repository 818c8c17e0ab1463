import { createContext, use, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { CallName, FarmEvent, In, Out } from '../../src/api/contract.ts';
import type { View } from '../../src/tell/face/view.ts';
import type { PageFarm, Seen } from './farm.ts';
import type { Hello, Link } from './link.ts';

export const FarmContext = createContext<PageFarm | undefined>(undefined);

function useFarm(): PageFarm {
  const farm = use(FarmContext);
  if (!farm) throw new Error('there is no farm around this component');
  return farm;
}

/** A part of what the page knows. The component is drawn again only when that part is another object. */
export function useSeen<T>(select: (seen: Seen) => T): T {
  const farm = useFarm();
  return useSyncExternalStore(farm.subscribe, () => select(farm.seen()));
}

/** A part of the view, such as `({ tasks }) => tasks`. Views are drawn only once there is one. */
export const useView = <T>(select: (view: View) => T): T => useSeen(({ view }) => select(view!));

/** The events that the page knows, the newest last. */
export const useEvents = (): readonly FarmEvent[] => useSeen(({ events }) => events);

export const useHello = (): Hello | undefined => useSeen(({ hello }) => hello);

/** True when the token may change something. Without it no button that does is shown. */
export const useControl = (): boolean => useSeen(({ hello }) => hello?.control ?? false);

export function useLink(): Link {
  const { link } = useFarm();
  if (!link) throw new Error('there is no connection');
  return link;
}

export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly busy: boolean;
  again(): void;
}

/**
 * The answer of a call that only reads. It is asked again when `args` or `when` is another one, and after a lost connection; the
 * answer before stays meanwhile. `undefined` instead of arguments: nothing is asked.
 */
export function useCall<N extends CallName>(name: N, args: In<N> | undefined, when: unknown = ''): Asked<Out<N>> {
  const link = useLink();
  const open = useSeen(({ standing }) => standing === 'open');
  const [answer, setAnswer] = useState<{ data?: Out<N>; error?: Error; of?: string }>({});
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);
  const words = args === undefined ? undefined : JSON.stringify(args);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const newest = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `when` and `round` say that it is time to ask again.
  useEffect(() => {
    if (words === undefined || !open) return;
    const turn = ++newest.current;
    const mine = (set: () => void) => {
      if (turn !== newest.current) return;
      set();
      setBusy(false);
    };
    setBusy(true);
    link.call(name, JSON.parse(words) as In<N>).then(
      (data) => mine(() => setAnswer({ data, of: words })),
      (error: Error) => mine(() => setAnswer((old) => ({ ...old, error }))),
    );
  }, [link, name, words, open, when, round]);
  const current = answer.of === words || answer.of === undefined;
  return { data: current ? answer.data : undefined, error: answer.error, busy, again };
}
