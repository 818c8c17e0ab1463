import type { Trouble } from '../../event.ts';

const WORDS: readonly [RegExp, Trouble][] = [
  [/"code":\s*429|RESOURCE_EXHAUSTED|quota|rate.?limit|usage limit/i, 'limit'],
  [/"code":\s*40[13]|UNAUTHENTICATED|PERMISSION_DENIED|api.?key|authenti|credential/i, 'auth'],
  [/"code":\s*(503|529)|UNAVAILABLE|overloaded/i, 'overloaded'],
  [/token count.*exceeds|context.*(full|exceed|overflow)|too long/i, 'context'],
];

/** Classifies an error in the transcript; gemini writes down the provider's own text. */
export function troubleOf(said: string): Trouble {
  return WORDS.find(([pattern]) => pattern.test(said))?.[1] ?? 'error';
}
