import type { Trouble } from '../../event.ts';
import { count, type Fields, fields, text } from '../json.ts';

/** By the words of the provider: while opencode tries again it passes on nothing else. */
const WORDS: readonly [RegExp, Trouble][] = [
  [/overloaded|capacity|\b(503|529)\b/i, 'overloaded'],
  [/rate.?limit|usage.?limit|quota|too many requests|credit|billing|\b429\b/i, 'limit'],
  [/api.?key|unauthori[sz]ed|authenti|credential|forbidden|log ?in|token (is )?(expired|invalid)|\b40[13]\b/i, 'auth'],
  [/too long|context (length|window|limit)|maximum.*tokens/i, 'context'],
];

const STATUS: Readonly<Record<number, Trouble>> = {
  401: 'auth',
  403: 'auth',
  402: 'limit',
  429: 'limit',
  503: 'overloaded',
  529: 'overloaded',
};
const NAMES: Readonly<Record<string, Trouble>> = { ProviderAuthError: 'auth', ContextOverflowError: 'context' };

export function troubleInWords(message: string): Trouble {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'error';
}

export function troubleOf(error: Fields): { readonly why: Trouble; readonly text: string } {
  const name = text(error['name']);
  const data = fields(error['data']);
  const said = text(data['message']) || name;
  return { why: NAMES[name] ?? STATUS[count(data['statusCode'])] ?? troubleInWords(said), text: said };
}

export const isAbort = (error: Fields): boolean => error['name'] === 'MessageAbortedError';
