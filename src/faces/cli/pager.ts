import { isTerminal, stdout, write } from './out.ts';
import { screensOf } from './screens.ts';
import { runPager } from './terminal.ts';

/** The pager that git would use: GIT_PAGER, PAGER, else less. `undefined`: none is wanted. */
export function pagerFor(env: NodeJS.ProcessEnv): string | undefined {
  const pager = env['GIT_PAGER'] ?? env['PAGER'] ?? 'less';
  return pager === '' || pager === 'cat' ? undefined : pager;
}

/** Shows text until the person has seen enough: in their pager, however short it is. False: they have none. */
export function pageAlways(text: string): boolean {
  const pager = pagerFor(process.env);
  return pager !== undefined && runPager(pager, text, 'RX');
}

/** Prints text: for a person through the pager when it is longer than the screen, for a pipe as it is. */
export function page(text: string): void {
  const pager = isTerminal(stdout) && isTerminal(0) ? pagerFor(process.env) : undefined;
  const isLong = screensOf(text.split('\n'), { rows: process.stdout.rows || 24, columns: process.stdout.columns || 80 }).length > 1;
  if (pager === undefined || !isLong || !runPager(pager, text)) write(stdout, text);
}
