import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** The part of a picture that is seen: its corner in the units of the picture, and the pixels of one unit. */
export interface GraphWindow {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const [SMALLEST, LARGEST] = [0.02, 2];
const STEP = 1.3;
/** A press that moves less is a click. */
const STILL = 4;

/** A window on a picture that is dragged, zoomed and fitted. */
export function useGraphWindow(place: RefObject<HTMLElement | null>, picture: Size, first: (seen: Size) => GraphWindow) {
  const [seen, setSeen] = useState<Size>({ width: 0, height: 0 });
  const [set, setWindow] = useState<GraphWindow>();
  const window = set ?? first(seen);
  const newest = useRef({ window, seen });
  newest.current = { window, seen };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setSeen({ width: element.clientWidth, height: element.clientHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, [place]);
  const pan = useCallback(
    (dx: number, dy: number) => {
      const { window: old, seen: size } = newest.current;
      const { x, y, scale } = old;
      // The middle of the window stays on the picture: in empty space nobody knows where it went.
      const [halfX, halfY] = [size.width / scale / 2, size.height / scale / 2];
      setWindow({
        x: within(x + dx / scale, -halfX, picture.width - halfX),
        y: within(y + dy / scale, -halfY, picture.height - halfY),
        scale,
      });
    },
    [picture],
  );
  /** Around a point of the element, which stays where it is; the middle without one. */
  const zoom = useCallback((by: number, at?: { readonly x: number; readonly y: number }) => {
    const { window: old, seen: size } = newest.current;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, old.scale * by));
    const [px, py] = [at?.x ?? size.width / 2, at?.y ?? size.height / 2];
    setWindow({ x: old.x + px / old.scale - px / scale, y: old.y + py / old.scale - py / scale, scale });
  }, []);
  const fit = useCallback(() => setWindow(fitted(picture, newest.current.seen)), [picture]);
  useWheel(place, pan, zoom);
  return {
    seen,
    window,
    fit,
    pan,
    zoomIn: useCallback(() => zoom(STEP), [zoom]),
    zoomOut: useCallback(() => zoom(1 / STEP), [zoom]),
    drag: useDrag(pan),
  };
}

const within = (n: number, least: number, most: number) => Math.min(most, Math.max(least, n));

/** All of the picture, in the middle, and not larger than it is. */
export function fitted({ width, height }: Size, seen: Size): GraphWindow {
  const scale = Math.min(1, Math.max(SMALLEST, Math.min(seen.width / Math.max(1, width), seen.height / Math.max(1, height))));
  return { x: (width - seen.width / scale) / 2, y: (height - seen.height / scale) / 2, scale };
}

/** The wheel moves the picture; with Ctrl, Alt or a pinch it zooms. */
function useWheel(
  place: RefObject<HTMLElement | null>,
  pan: (dx: number, dy: number) => void,
  zoom: (by: number, at: { x: number; y: number }) => void,
): void {
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      if (event.ctrlKey || event.altKey || event.metaKey)
        zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - left, y: event.clientY - top });
      else pan(event.deltaX, event.deltaY);
    };
    // React listens without the right to keep the page from scrolling.
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [place, pan, zoom]);
}

function useDrag(pan: (dx: number, dy: number) => void) {
  const last = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);
  const moved = useRef(false);
  return {
    onPointerDown(event: PointerEvent) {
      moved.current = false;
      if (event.button === 0) last.current = { x: event.clientX, y: event.clientY, moved: false };
    },
    onPointerMove(event: PointerEvent) {
      const from = last.current;
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!from.moved && Math.hypot(dx, dy) < STILL) return;
      if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId);
      moved.current = true;
      last.current = { x: event.clientX, y: event.clientY, moved: true };
      pan(-dx, -dy);
    },
    onPointerUp() {
      last.current = undefined;
    },
    onPointerCancel() {
      last.current = undefined;
    },
    // The end of a drag over a task does not open it.
    onClickCapture(event: { preventDefault(): void; stopPropagation(): void }) {
      if (!moved.current) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
