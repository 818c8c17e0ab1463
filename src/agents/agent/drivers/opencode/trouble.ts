import type { Trouble } from '../../event.ts';
import { count, type Fields, fields, text } from '../json.ts';
import { troubleInWords } from '../trouble-in-words.ts';

const STATUS: Readonly<Record<number, Trouble>> = {
  401: 'auth',
  403: 'auth',
  402: 'limit',
  429: 'limit',
  503: 'overloaded',
  529: 'overloaded',
};
const NAMES: Readonly<Record<string, Trouble>> = { ProviderAuthError: 'auth', ContextOverflowError: 'context' };

export function troubleOf(error: Fields): { readonly why: Trouble; readonly text: string } {
  const name = text(error['name']);
  const data = fields(error['data']);
  const said = text(data['message']) || name;
  return { why: NAMES[name] ?? STATUS[count(data['statusCode'])] ?? troubleInWords(said), text: said };
}

export const isAbort = (error: Fields): boolean => error['name'] === 'MessageAbortedError';
