import { base64Forms, encodingsOf } from './secrets/encodings.ts';
import { SECRET_SHAPES, secretsIn } from './secrets/shapes.ts';

/** Values that must not be shown: tokens that we made, and values of variables with secret-like names. Each with its encodings. */
const known = new Map<string, readonly string[]>();

/** From now on `redact` hides the values of the secret variables of this environment. */
export function keepSecrets(env: Readonly<Record<string, string | undefined>>): void {
  keepValues(secretsIn(env));
}

export function keepValues(values: readonly string[]): void {
  for (const value of values) if (!known.has(value)) known.set(value, encodingsOf(value));
}

/** A text without the known secrets in any encoding, and without what looks like a secret. */
export function redact(text: string): string {
  if (text.length < 8) return text;
  let plain = withoutWrapped(text);
  for (const forms of known.values()) for (const form of forms) if (plain.includes(form)) plain = plain.replaceAll(form, '…');
  for (const { shape } of SECRET_SHAPES) plain = plain.replace(shape, (found) => `${found.slice(0, 4)}…`);
  return plain;
}

/** Base64 that a tool has broken into lines. Matched only at the start of a word: trying each of 10,000 letters took seconds. */
const WRAPPED = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}\r?\n/;

function withoutWrapped(text: string): string {
  if (!WRAPPED.test(text)) return text;
  const joined = text.replace(/\s+/g, '');
  let plain = text;
  for (const value of known.keys())
    for (const form of base64Forms(value))
      if (joined.includes(form)) plain = plain.replace(new RegExp([...form].map(escaped).join('\\s*'), 'g'), '…');
  return plain;
}

const escaped = (one: string) => (one === '+' || one === '/' ? `\\${one}` : one);

/** Redacts every text in a value before it is encoded: in JSON, an escaped line end or quote would hide a secret from us. */
export function redactAll<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map(redactAll) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [redact(key), redactAll(one)])) as T;
}

/** JSON without secrets, neither inside its texts nor across them. */
export const redactedJson = (value: unknown): string => redact(JSON.stringify(redactAll(value)));

/** Does the same for a text that is JSON already; any other text goes through `redact`. */
export function redactJsonText(text: string): string {
  try {
    return redactedJson(JSON.parse(text));
  } catch {
    return redact(text);
  }
}

/** All known secrets in all their encodings. */
export const knownForms = (): readonly string[] => [...known.values()].flat();
