import { fields, text } from '../drivers/json.ts';
import { troubleInWords } from '../drivers/trouble-in-words.ts';
import type { Trouble } from '../event.ts';
import { AUTH_REQUIRED, type Refused } from './wire.ts';

export interface Failure {
  readonly why: Trouble;
  readonly text: string;
  /** When it may be asked again, where the provider says so. */
  readonly until?: number;
}

/** Reads the error that an agent answered to a prompt: its code says little, and the words are the provider's. */
export function failureIn({ code, message, data }: Refused, now: number): Failure {
  const details = text(data['details']) || text(data['message']) || text(fields(data['error'])['message']);
  const words = details !== '' && !message.includes(details) ? `${message}: ${details}` : message;
  const why = code === AUTH_REQUIRED ? 'auth' : troubleInWords(words);
  const wait = why === 'limit' ? waitIn(words) : undefined;
  return { why, text: words, ...(wait !== undefined && { until: now + wait }) };
}

const WAIT = /(?:try again|retry|wait|resets?)\D{0,30}?(\d+(?:\.\d+)?)\s*(ms|s|m|h)(?:ec|in|our|illi)?/i;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `Please try again in 26.3s`: the milliseconds to wait. */
function waitIn(words: string): number | undefined {
  const [, number, unit = ''] = WAIT.exec(words) ?? [];
  return number === undefined ? undefined : Math.ceil(Number(number) * UNITS[unit.toLowerCase()]!);
}
