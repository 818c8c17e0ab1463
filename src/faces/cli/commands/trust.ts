import { FurrowError } from '../../../platform/error.ts';
import { askTrust, canAsk } from '../ask-trust.ts';
import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { page } from '../pager.ts';
import { differenceLines, trustCounts, trustLines } from '../view/trust.ts';

/** Shows what the repository makes run, and takes a person's yes to it, or takes that back. */
export async function trust(context: Context): Promise<number> {
  const { args } = context;
  const said = ['show', 'revoke', 'yes'].filter((name) => args.flag(name));
  if (said.length > 1) throw new FurrowError('USAGE', `say --${said[0]} or --${said[1]}, not both`, { hint: 'furrow trust --show' });
  if (args.flag('revoke')) return revoke(context);
  if (args.flag('yes')) return agree(context);
  if (args.flag('show') || context.json) return show(context);
  const farm = await context.farm();
  const before = await farm.call('trust', {});
  if (before.trusted) {
    context.print(`you trust what furrow runs here; furrow trust --show prints it, furrow trust --revoke takes it back`);
    return 0;
  }
  if (!canAsk(false))
    throw new FurrowError('UNTRUSTED', `${before.why}; there is no terminal here to ask you`, {
      hint: 'furrow trust --show, then furrow trust --yes',
    });
  const yes = await askTrust(farm);
  context.print(yes ? TRUSTED : 'not trusted: furrow starts nothing that this repository defines');
  return yes ? 0 : 1;
}

const TRUSTED = 'trusted: furrow runs this from now on, until it changes';

/** The yes without a question, to exactly what is printed. */
async function agree(context: Context): Promise<number> {
  const farm = await context.farm();
  const view = await farm.call('trust', {});
  const refused = view.lines.find(({ refuses }) => refuses);
  if (refused) throw new FurrowError('UNTRUSTED', `${refused.name} ${refused.text}`, { hint: 'furrow trust --show' });
  const after = view.trusted ? view : await farm.call('giveTrust', { hash: view.hash });
  context.document(after);
  context.print(...trustLines(view, paintFor(stdout)), '', TRUSTED);
  return 0;
}

async function revoke(context: Context): Promise<number> {
  const answer = await (await context.farm()).call('revokeTrust', {});
  context.document(answer);
  context.print('you withdrew your trust: agents at work continue, and nothing else starts before furrow trust');
  return 0;
}

async function show(context: Context): Promise<number> {
  const view = await (await context.farm()).call('trust', {});
  context.document(view);
  const paint = paintFor(stdout);
  const changed = view.added.length + view.changed.length + view.gone.length > 0;
  const stands = view.trusted ? paint.green(`trusted since ${view.since}`) : paint.yellow(view.why ?? '');
  const more = view.since !== null && changed ? ['', paint.bold('changed since then'), ...differenceLines(view, paint)] : [];
  const lines = [`${view.repository}: ${stands}`, '', ...trustLines(view, paint), ...more, '', `${trustCounts(view)}.`];
  if (!context.json) page(`${lines.join('\n')}\n`);
  return 0;
}
