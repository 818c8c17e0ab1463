import { type RefObject, useEffect, useState } from 'react';

/** The width of an element in pixels, so that a drawing has letters of one size however wide it is. */
export function useWidth(place: RefObject<HTMLElement | null>, first = 640): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [place]);
  return width;
}
