/** Misbehaviour of a terminal program that others have met, to be had on demand. */
export interface Faults {
  /** So many Enters at first do nothing, and later each n-th. */
  readonly swallowFirst: number;
  readonly swallowEvery: number;
  /** Each n-th word of a taken prompt is not sent. */
  readonly dropEvery: number;
  readonly startMs: number;
  /** An Enter that comes within this time of other input is a line break of the text. */
  readonly burstMs: number;
}

const NONE: Faults = { swallowFirst: 0, swallowEvery: 0, dropEvery: 0, startMs: 0, burstMs: 0 };

/** `swallowFirst=2 dropEvery=7` */
export function readFaults(text: string | undefined): Faults {
  const given = (text ?? '').split(/\s+/).filter(Boolean).map(pair);
  return { ...NONE, ...Object.fromEntries(given) };
}

function pair(word: string): [string, number] {
  const [name = '', value = ''] = word.split('=');
  if (!(name in NONE) || !/^\d+$/.test(value)) throw new Error(`not a fault of a scripted agent: ${word}`);
  return [name, Number(value)];
}

/** Whether the n-th of something is hit, counted from 1. */
export const hits = (n: number, every: number) => every > 0 && n % every === 0;
