import type { In } from '../../api/contract.ts';

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const DURATION = /^(?:\d{1,6}[dhms])+$/;

/** Reads `--since`: the number of an event, a duration back from now (`2h`, `1d12h`), a time of today (`14:30`) or a date. */
export function readSince(text: string, now: Date): In<'report'> | undefined {
  if (/^\d{1,15}$/.test(text)) return { seq: Number(text) };
  if (DURATION.test(text)) return { at: new Date(now.getTime() - durationOf(text)).toISOString() };
  const at = timeOf(text, now);
  return at && !Number.isNaN(at.getTime()) ? { at: at.toISOString() } : undefined;
}

const durationOf = (text: string) => [...text.matchAll(/(\d+)([dhms])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0);

function timeOf(text: string, now: Date): Date | undefined {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (clock) return new Date(now.getFullYear(), now.getMonth(), now.getDate(), Number(clock[1]), Number(clock[2]));
  // A date alone begins where the person is, as its clock does.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00`);
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text) ? new Date(text.replace(' ', 'T')) : undefined;
}
