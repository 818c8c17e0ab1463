import type { Client } from '../../api/client.ts';
import { readLine } from './keys.ts';
import { isTerminal, paintFor, stderr, write } from './out.ts';
import { showScreens } from './screens.ts';
import { trustEnd, trustScreen } from './view/trust.ts';

/** True when a person is at the terminal to read and to answer. */
export const canAsk = (json: boolean): boolean => !json && !process.env['FURROW_RUN'] && isTerminal(0) && isTerminal(stderr);

/** Shows what would run, and asks. A yes is for exactly what was shown, and is stored; false: they said no. */
export async function askTrust(farm: Client): Promise<boolean> {
  const view = await farm.call('trust', {});
  if (view.trusted) return true;
  const paint = paintFor(stderr);
  const end = trustEnd(view);
  const unseen = await showScreens(trustScreen(view, paint), end);
  const left = unseen === 0 ? [] : [paint.yellow(`You have not seen ${unseen} of the lines.`)];
  write(stderr, `${['', ...end, ...left, ''].join('\n')}\n`);
  if (view.lines.some(({ refuses }) => refuses)) return false;
  if (!/^y(es)?$/i.test((await readLine('trust it? [y/N] ')).trim())) return false;
  await farm.call('giveTrust', { hash: view.hash });
  return true;
}
