import { FurrowError } from '../platform/error.ts';
import { BUILD } from './build.ts';
import type { Caller } from './caller.ts';
import type { Greeted } from './contract.ts';
import { greet, type Proven } from './hello.ts';

/** Names the caller behind a process, or throws the sentence with which it is refused. */
export type Recognise = (proven: Proven) => Promise<Caller>;

/** A client that does not name its process within this time is an older one. */
const HELLO_MS = 10_000;

/** Finds out which process is at the other end of a connection. */
export interface Introduction {
  readonly caller: Promise<Caller>;
  /** Takes the client's word about itself; later ones are ignored. */
  hear(claim: unknown): void;
}

/** Greets a client and finds out who it is. */
export function introduce(path: string, recognise: Recognise, send: (greeted: Greeted) => void, gone: AbortSignal): Introduction {
  const greeting = greet(path);
  const { promise: caller, resolve, reject } = Promise.withResolvers<Caller>();
  // A client that hangs up without a request wants no answer.
  caller.catch(() => {});
  const late = setTimeout(() => reject(silent()), HELLO_MS);
  const end = () => {
    clearTimeout(late);
    greeting.end();
    reject(GONE);
  };
  gone.addEventListener('abort', end, { once: true });
  send({ hello: { nonce: greeting.nonce, build: BUILD } });
  let heard = false;
  return {
    caller,
    hear(claim) {
      if (heard) return;
      heard = true;
      clearTimeout(late);
      resolve(Promise.try(() => recognise(greeting.prove(claim))));
    },
  };
}

/** The connection ended before it was known who calls. Nobody is told: the client sees that it ended, and asks again. */
export const GONE = new FurrowError('TRY_AGAIN', 'the connection ended before the daemon knew who was calling');

const silent = () =>
  new FurrowError('OTHER_VERSION', 'this furrow did not name its process, so the daemon cannot tell who is calling', {
    hint: 'furrow --version: it must be that of the daemon (furrow daemon)',
  });
