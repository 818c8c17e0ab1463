import type { Context } from '../command.ts';
import { isTerminal, stdout } from '../out.ts';
import { openBrowser } from '../terminal.ts';

/** Prints the address of the page, and opens it where there is somebody to look at it. */
export async function web(context: Context): Promise<void> {
  if (context.args.flag('stop')) return stop(context);
  const farm = await context.farm();
  const { opener, ...page } = await farm.call('web', { readOnly: context.args.flag('read-only') });
  context.document(page);
  context.print(page.url);
  if (!context.args.flag('no-open') && !context.json) openPage(opener);
}

async function stop(context: Context): Promise<void> {
  const { closed } = await context.ask('closeWeb', {});
  context.print(closed ? 'the page is closed' : 'the page was not open');
}

/** Opens the page in a browser, where there is somebody to look at it. */
export function openPage(opener: string): void {
  if (isTerminal(stdout) && hasDisplay()) openBrowser(opener);
}

const hasDisplay = () => process.platform === 'darwin' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
