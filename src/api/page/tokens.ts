import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `control` may make every call of a person, `read` those that change nothing. */
export type Access = 'control' | 'read';

export interface Tokens {
  readonly control: string;
  readonly read: string;
  /** The access that a token gives; `undefined`: none. */
  accessOf(given: unknown): Access | undefined;
  /** A code for one use within a minute, in place of a token: the arguments of the program that opens a browser are seen by others. */
  code(access: Access): string;
  /** The token behind a code, once. */
  redeem(code: string): string | undefined;
}

const CODE_MS = 60_000;

/** New tokens, known to this process alone. They hold until the page's door is closed. */
export function makeTokens(now: () => number = Date.now): Tokens {
  const [control, read] = [secret(), secret()];
  const known: readonly (readonly [Buffer, Access])[] = [
    [hashOf(control), 'control'],
    [hashOf(read), 'read'],
  ];
  const codes = new Map<string, { readonly token: string; readonly until: number }>();
  return {
    control,
    read,
    accessOf(given) {
      if (typeof given !== 'string') return undefined;
      // Hashes have one length, and both are compared, so the time tells nothing.
      const hash = hashOf(given);
      const found = known.filter(([wanted]) => timingSafeEqual(hash, wanted));
      return found[0]?.[1];
    },
    code(access) {
      for (const [old, { until }] of codes) if (until < now()) codes.delete(old);
      const code = secret();
      codes.set(code, { token: access === 'control' ? control : read, until: now() + CODE_MS });
      return code;
    },
    redeem(code) {
      const found = codes.get(code);
      codes.delete(code);
      return found && found.until >= now() ? found.token : undefined;
    },
  };
}

const secret = () => randomBytes(32).toString('hex');
const hashOf = (text: string) => createHash('sha256').update(text).digest();
