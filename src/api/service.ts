import type { z } from 'zod';
import type { Caller } from './caller.ts';
import type { CallName, calls, Out } from './contract.ts';
import type { Recognise } from './introduction.ts';

export interface CallContext {
  readonly caller: Caller;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
  readonly item: (value: unknown) => void;
  /** Resolves when the client has read most of what was sent. Whoever sends much waits for it, and sends less then. */
  readonly drained?: () => Promise<void>;
  /** The caller trusts the repository as it is now. */
  readonly trust?: boolean;
  /** Of a call by an agent on another machine: where it came from, and its number there, by which it is made once. */
  readonly word?: { readonly host: string; readonly life: string; readonly seq: number };
}

export type Handlers = {
  readonly [N in CallName]: (args: z.output<(typeof calls)[N]['in']>, context: CallContext) => Promise<Out<N>>;
};

/** The service at a socket. */
export interface Service {
  readonly handlers: Handlers;
  readonly recognise: Recognise;
  readonly onBug: (error: unknown) => void;
}
