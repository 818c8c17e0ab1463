/** Exit codes are part of the contract; this table is the only place that turns an error's code into one. */
const EXIT: Record<string, number> = {
  USAGE: 2,
  DAEMON_UNREACHABLE: 69,
  STORE_AWAY: 69,
  TRY_AGAIN: 75,
  HELD: 75,
  LED_ELSEWHERE: 75,
  NO_DESCRIPTORS: 75,
  MISSING: 78,
};

/**
 * Something the operator can act on: a code, one sentence, and the next command to type.
 * Anything else that escapes is a bug and shows its stack.
 */
export class FurrowError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'FurrowError';
    this.code = code;
    this.hint = options.hint;
  }
}

export function exitCode(error: FurrowError): number {
  return EXIT[error.code] ?? 1;
}

/** True when a thrown value is a node system error with this code (ENOENT, EEXIST, …). */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

const SPENT = ['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'];

/** True when the machine could not look: no descriptor or memory left, or a failing disk. It does not prove that the file is missing. */
export const couldNotLook = (error: unknown): boolean => SPENT.some((code) => isErrno(error, code));
