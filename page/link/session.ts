import { type Meeting, proofWords } from '../../src/platform/page-proof.ts';

/** Given by the daemon to a page that showed its token. It is kept in this page's memory alone, so a reload shows the token again. */
export interface Session {
  readonly id: string;
  readonly access: string;
  readonly key: string;
}

/** The daemon's proof that it knows the session. */
export interface Proves {
  readonly nonce: string;
  readonly proof: string;
}

interface Asking {
  /** The first words of a page that comes back. */
  readonly words: unknown;
  readonly session: Session;
  readonly nonce: string;
  /** The daemon has shown that it knows the session. */
  proven: boolean;
}

export function askDaemon(session: Session): Asking {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { id, access } = session;
  return { words: { resume: { id, access, nonce } }, session, nonce, proven: false };
}

/** The page's own proof, once the daemon's is right; `undefined`: this is not the daemon. */
export async function answerDaemon(asking: Asking, { nonce, proof }: Proves): Promise<string | undefined> {
  const at: Meeting = { port: location.port, daemon: nonce, page: asking.nonce };
  const key = await crypto.subtle.importKey('raw', bytes(asking.session.key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const sign = async (words: string) => hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(words))));
  if (proof !== (await sign(proofWords('daemon', at)))) return undefined;
  asking.proven = true;
  return sign(proofWords('page', at));
}

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (some: Uint8Array) => [...some].map((byte) => byte.toString(16).padStart(2, '0')).join('');
