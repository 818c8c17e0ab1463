import { wantOfDescriptors } from '../platform/descriptors.ts';
import { FurrowError } from '../platform/error.ts';
import { type CallName, calls, type Reply, type Request } from './contract.ts';
import { GONE } from './introduction.ts';
import type { CallContext, Service } from './service.ts';

/** Makes one call, by whichever way it came, and answers its reply; `undefined` when the caller has gone. */
export async function respond(
  { handlers, onBug }: Pick<Service, 'handlers' | 'onBug'>,
  { id, call, args }: Request,
  contextOf: () => Promise<CallContext> | CallContext,
): Promise<Reply | undefined> {
  try {
    const parsed = understand(call, args);
    const handle = handlers[call] as (args: unknown, context: CallContext) => Promise<unknown>;
    return { id, result: await handle(parsed, await contextOf()) };
  } catch (error) {
    if (error === GONE) return undefined;
    const expected = error instanceof FurrowError ? error : spent(error);
    if (!expected) onBug(error);
    const known =
      expected ?? new FurrowError('BUG', `furrow has a bug: ${(error as Error).message}`, { hint: 'see .furrow/logs/daemon.log' });
    return { id, error: { code: known.code, message: known.message, hint: known.hint } };
  }
}

/** The answer when no descriptor is free: whatever was begun is tried again by itself, once one is. */
const spent = (error: unknown) =>
  wantOfDescriptors(error, `the daemon (pid ${process.pid})`, {
    hint: `the same command in a moment; or, where more are allowed: kill ${process.pid}, then the same command; agents stay at work`,
  });

/** The arguments of a call as the contract wants them. */
export function understand(call: CallName, args: unknown): unknown {
  if (!Object.hasOwn(calls, call)) throw new FurrowError('USAGE', `there is no call named ${String(call)}`);
  const parsed = calls[call].in.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new FurrowError('USAGE', `${call}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'wrong arguments'}`);
}
