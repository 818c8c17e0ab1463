import { readOutput } from './read.ts';
import { tellingLines } from './telling.ts';

/** A failed run of a check, as it is stored with what it stopped. Its lines stay when the file is gone. */
export interface FailedOutput {
  readonly check: string;
  /** `exit 1`, `timed out after 10m`. */
  readonly detail: string | null;
  /** The file with all of its output. */
  readonly path: string;
  readonly lines: readonly string[];
}

const LINES = 8;

export async function failedOutput(run: { name: string; detail: string | null; log: string }): Promise<FailedOutput> {
  return { check: run.name, detail: run.detail, path: run.log, lines: tellingLines(await readOutput(run.log), { lines: LINES }) };
}

/** The same in one line, after the name of what failed: how, the most telling line, and the file. */
export function inOneLine({ detail, lines, path }: FailedOutput): string {
  const [line] = tellingLines(lines.join('\n'), { lines: 1, columns: 120 });
  return `${detail ? ` (${detail})` : ''}${line === undefined ? '' : `: ${line.trim().replace(/[.:;]+$/, '')}`}. Output: ${path}`;
}
