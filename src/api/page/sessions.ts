import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Meeting, proofWords } from '../../platform/page-proof.ts';
import type { Access } from './tokens.ts';

/** Given to a page that showed its token. With it the page finds the next daemon, too; it is never sent again. */
export interface Session {
  readonly id: string;
  readonly access: Access;
  readonly key: string;
}

/** A page that says which session it had: the answer to it, and the judgement of the answer to that. */
interface Resuming {
  readonly access: Access;
  readonly proves: { readonly nonce: string; readonly proof: string };
  isProvenBy(proof: unknown): boolean;
}

export interface Sessions {
  begin(access: Access): Session;
  /** `undefined`: this message is not that of a page that comes back. */
  resume(words: unknown, port: number): Resuming | undefined;
}

const RANDOM = /^[0-9a-f]{32}$/;
const random = () => randomBytes(16).toString('hex');
const sign = (key: string, words: string) => createHmac('sha256', key).update(words).digest('hex');

/**
 * The sessions of one door, all made from its secret, so that a daemon needs nothing but that to know the pages of the one before. The daemon proves
 * itself first: a page whose daemon ended may meet a stranger at its port, and tells it nothing.
 */
export function sessionsOf(secret: string): Sessions {
  const keyOf = (id: string, access: Access) => sign(secret, `${access} ${id}`);
  return {
    begin(access) {
      const id = random();
      return { id, access, key: keyOf(id, access) };
    },
    resume(words, port) {
      const { id, access, nonce } = (words ?? {}) as Readonly<Record<string, unknown>>;
      if (!isRandom(id) || !isRandom(nonce) || (access !== 'control' && access !== 'read')) return undefined;
      const key = keyOf(id, access);
      const at: Meeting = { port: String(port), daemon: random(), page: nonce };
      const wanted = sign(key, proofWords('page', at));
      return {
        access,
        proves: { nonce: at.daemon, proof: sign(key, proofWords('daemon', at)) },
        isProvenBy: (proof) => typeof proof === 'string' && proof.length === wanted.length && same(proof, wanted),
      };
    },
  };
}

const isRandom = (value: unknown): value is string => typeof value === 'string' && RANDOM.test(value);
const same = (a: string, b: string) => timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
