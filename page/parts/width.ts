import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of an element in pixels, so that a drawing has letters of one size however wide it is. It is known before the first picture. */
export function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    setWidth(innerWidth(element));
    const watch = new ResizeObserver(() => setWidth(innerWidth(element)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [place]);
  return width;
}

function innerWidth(element: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return Math.max(0, Math.floor(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)));
}
