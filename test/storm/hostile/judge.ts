import type { Said } from '../../support/farm.ts';

/** Bytes that a terminal acts on, or that turn the reading order round. Tab and newline are text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** The exit codes of the contract. */
const CODES = [0, 1, 2, 69, 75, 78];

/** Holds every answer to its promises: a known exit code, no stack, nothing that a terminal would act on. */
export class Judge {
  readonly violations: string[] = [];
  heard = 0;

  hear(what: string, said: Said, codes: readonly number[] = CODES): void {
    this.heard++;
    if (!codes.includes(said.code ?? -1)) this.violations.push(`${what}: exit ${said.code}: ${said.stderr.slice(0, 300)}`);
    if (/^\s+at .*:\d+:\d+\)?$/m.test(said.stderr)) this.violations.push(`${what}: a stack trace: ${said.stderr.slice(0, 300)}`);
    const bytes = UNSAFE.exec(said.stdout) ?? UNSAFE.exec(said.stderr);
    if (bytes) this.violations.push(`${what}: prints ${JSON.stringify(bytes[0])} to the terminal`);
  }
}
