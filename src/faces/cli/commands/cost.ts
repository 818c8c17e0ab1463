import type { Out } from '../../../api/contract.ts';
import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { columns, cut } from '../view/columns.ts';

type Cost = Out<'cost'>['total'];

export async function cost(context: Context): Promise<void> {
  const found = await context.ask('cost', {});
  if (context.json) return;
  if (found.total.tokens === 0) {
    context.print('nothing was spent yet');
    return;
  }
  const paint = paintFor(stdout);
  const head = (name: string) => [name, 'usd', 'tokens', 'in', 'out', 'cached', ''].map(paint.dim);
  const tasks = found.tasks.map((one) => [
    `${one.id} ${cut(one.title, 44)}`,
    ...figures(one),
    paint.dim(`${one.landed ? 'landed' : 'not landed'}, ${one.attempts.length} ${one.attempts.length === 1 ? 'attempt' : 'attempts'}`),
  ]);
  const agents = found.agents.map((one) => [one.name, ...figures(one), paint.dim(one.kind)]);
  context.print(...columns([head('task'), ...tasks]), '', ...columns([head('agent'), ...agents]), '');
  const landed = found.tasks.filter((one) => one.landed);
  const each = landed.length > 0 ? `, ${usd({ ...found.total, usd: sum(landed) / landed.length })} a landed task` : '';
  context.print(`${paint.bold(usd(found.total))}, ${found.total.tokens} tokens in all; this run ${usd(found.run)}${each}`);
  if (found.total.partial) context.print(paint.dim('some agents report only tokens; set `price:` for their kind in furrow.yaml'));
}

const sum = (of: readonly Cost[]) => of.reduce((total, one) => total + one.usd, 0);
const figures = (one: Cost) => [usd(one), String(one.tokens), String(one.input), String(one.output), String(one.cached)];
/** Small tasks cost fractions of a cent. */
const usd = (one: Cost) => `${one.partial && one.usd === 0 ? '?' : `$${one.usd.toFixed(one.usd < 0.1 ? 4 : 2)}`}`;
