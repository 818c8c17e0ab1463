import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { isTerminal, stderr, stdout, write } from '../out.ts';
import { openFolder } from '../terminal.ts';
import { safe } from '../view/safe.ts';

/** Only the path, so that `cd "$(furrow path 4)"` works. */
export async function path(context: Context): Promise<number> {
  if (context.args.flag('open')) return open(context);
  const found = await (await context.farm()).call('path', { subject: context.args.need('SUBJECT') });
  context.document(found);
  context.print(found.path);
  return 0;
}

export async function open(context: Context): Promise<number> {
  const command = context.args.text('with') ?? (process.env['VISUAL'] || process.env['EDITOR']);
  if (!command) {
    throw new FurrowError('NO_EDITOR', 'neither VISUAL nor EDITOR is set', {
      hint: `furrow open ${context.args.need('SUBJECT')} --with code`,
    });
  }
  const farm = await context.farm();
  const { path: folder, branch } = await farm.call('path', { subject: context.args.need('SUBJECT') });
  // The editor may be open for hours; the daemon need not hold a line for it.
  farm.close();
  write(isTerminal(stdout) ? stdout : stderr, `${safe(folder)}${branch ? ` on ${safe(branch)}` : ''}\n`);
  return openFolder(command, folder);
}
