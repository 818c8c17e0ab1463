/** The place of a plot inside its picture. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Maps values to places on an axis. A range without an extent has everything at its start. */
export function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  const extent = to - from;
  return (value) => round(extent <= 0 ? start : start + ((value - from) / extent) * (end - start));
}

/** A tenth of a pixel is enough, and keeps the page small. */
const round = (value: number) => Math.round(value * 10) / 10;

/** Round values from 0 up to the greatest or a little beyond it, about as many as asked for. */
export function ticks(most: number, about: number): number[] {
  if (most <= 0) return [0];
  const rough = most / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough)!;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 91].map((n) => n * DAY),
];

/** Times on the clock between two others, at most so many, with the words for them. */
export function timeTicks(from: number, to: number, most: number): { at: number; says: string }[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? STEPS.at(-1)!;
  const found: { at: number; says: string }[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push({ at, says: clockAt(at, step) });
  return found;
}

function clockAt(at: number, step: number): string {
  const iso = new Date(at).toISOString();
  if (step >= DAY) return iso.slice(5, 10);
  return step >= MINUTE ? iso.slice(11, 16) : iso.slice(11, 19);
}
