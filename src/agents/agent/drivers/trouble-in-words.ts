import type { Trouble } from '../event.ts';

const WORDS: readonly [RegExp, Trouble][] = [
  [/overloaded|capacity|\b(503|529)\b/i, 'overloaded'],
  [/rate.?limit|usage.?limit|quota|too many requests|credit|billing|\b429\b/i, 'limit'],
  [/api.?key|unauthori[sz]ed|authenti|credential|forbidden|log ?in|token (is )?(expired|invalid)|\b40[13]\b/i, 'auth'],
  [/too long|context (length|window|limit)|maximum.*tokens/i, 'context'],
];

/** The trouble with a model, by the words of its provider, where an agent passes on nothing else. */
export function troubleInWords(message: string): Trouble {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'error';
}
