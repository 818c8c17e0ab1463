import type { Out } from '../../../api/contract.ts';
import type { Paint } from '../out.ts';

type Output = NonNullable<Out<'queue'>['output']>;

/** The telling lines of a failed check, set off from what is around them. */
export function tellingBlock(lines: readonly string[], indent: string, paint: Paint): string[] {
  return lines.map((line) => `${indent}${paint.dim('│')} ${line}`.trimEnd());
}

/** The failed check, how it failed and its file; below them the telling lines. */
export function outputLines({ check, detail, path, lines }: Output, paint: Paint): string[] {
  return [`${paint.red(`${check} failed${detail ? ` (${detail})` : ''}`)}. Output: ${path}`, ...tellingBlock(lines, '  ', paint)];
}
