import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import { isLookedAt, onLook } from '../link/look.ts';

/** True while the element is on the screen, or nearly, and the tab is looked at. */
export function useInView(place: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  const looked = useSyncExternalStore(onLook, isLookedAt);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), { rootMargin: '100px' });
    watch.observe(element);
    return () => watch.disconnect();
  }, [place]);
  return near && looked;
}
