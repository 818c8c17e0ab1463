import { FurrowError } from '../../error.ts';

/** An error of PostgreSQL or of the network, as far as it matters to us. */
const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

/** Of the network, of a server that starts or ends, that is only a copy, or that has ended our session. */
const AWAY =
  /^(E(CONN(REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|NETUNREACH|HOSTUNREACH|HOSTDOWN)|ENOENT|EACCES|08...|57P0[1-5]|25006|25P03|53300)$/;
const SAID =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered|The server does not support|Client was closed)/;

/** The database did not answer, or not as a primary; the next try may find it. */
export const isAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || SAID.test((error as Error).message) || (error as { code?: string }).code === 'STORE_AWAY';

/** It answered, and does not let us in: tried again, it says the same. */
const REFUSED = /^(28...|3D000|42501|0A000|55000)$/;

/** The same error as one that a person can act on, if it is one. `name`: host and database, without a password. */
export function explained(error: unknown, name: string): unknown {
  if (error instanceof FurrowError) return error;
  const { message } = error as Error;
  if (isAway(error)) return away(name, message || codeOf(error), error);
  if (!REFUSED.test(codeOf(error))) return error;
  return new FurrowError('STORE_REFUSED', `the store's database ${name} refuses: ${message}`, {
    hint: 'see its user, password and rights; then the same command again',
    cause: error,
  });
}

export const away = (name: string, why: string, cause?: unknown): FurrowError =>
  new FurrowError('STORE_AWAY', `the store's database ${name} does not answer: ${why}`, {
    hint: 'start it, or correct FURROW_STORE; a daemon that runs asks again by itself, and nothing is lost',
    cause,
  });

/** Another daemon leads this farm now: nothing that this one still does counts. */
export const replaced = (name: string): FurrowError =>
  new FurrowError('STORE_REPLACED', `another daemon leads this farm now, at ${name}`, { hint: 'furrow status there' });

/** The database has lost what it had committed: an older copy was put in its place. */
export const wentBack = (name: string): FurrowError =>
  new FurrowError('STORE_WENT_BACK', `the store at ${name} went back in time: what it had committed is gone`, { hint: 'furrow doctor' });
