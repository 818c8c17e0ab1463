import type { ScreenReading } from '../../driver.ts';

const STATUS = /^-- (idle|working|waiting|limited)(?:: (.*))? --$/;

/** The line of state, and below it the input line: what it holds, its later lines set in by two. */
export function readScreen(text: string): ScreenReading {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => STATUS.test(line));
  const [, state, detail] = STATUS.exec(lines[at] ?? '') ?? [];
  const input = lines.slice(at + 1);
  if (!state || !/^>( |$)/.test(input[0] ?? '')) return { state: 'unknown', draft: undefined };
  const draft = input.map((line) => line.slice(2)).join('\n');
  return { state: state as ScreenReading['state'], ...(detail && { detail: detail.replace(/:.*/, '') }), draft };
}

export function readTitle(title: string): Pick<ScreenReading, 'state'> | undefined {
  const state = /^scripted .* ?(idle|working|waiting|limited)$/.exec(title)?.[1];
  return state ? { state: state as ScreenReading['state'] } : undefined;
}
