import type { Context } from '../command.ts';
import { paintFor, stderr, stdout, write } from '../out.ts';
import { columns, cut } from '../view/columns.ts';

export async function plan(context: Context): Promise<void> {
  const task = context.args.text('prompt');
  if (task !== undefined) {
    const { prompt } = await context.ask('prompt', { task });
    context.print(prompt.trimEnd());
    return;
  }
  const [phase, parallel] = [context.args.text('PHASE'), context.args.number('parallel')];
  const found = await context.ask('plan', { ...(phase !== undefined && { phase }), ...(parallel !== undefined && { parallel }) });
  if (context.json) return;
  const paint = paintFor(stdout);
  const table = (now: boolean) =>
    columns(found.order.filter((one) => one.now === now).map((one) => [`  ${one.id}`, cut(one.title, 60), one.agent, paint.dim(one.why)]));
  const [first, later] = [table(true), table(false)];
  context.print(paint.bold(`phase ${found.phase}`), ...(first.length > 0 ? ['would run now', ...first] : ['nothing would run now']));
  if (later.length > 0) context.print('then, as agents become free', ...later);
  if (found.waiting.length > 0) {
    const rows = found.waiting.map((one) => [
      `  ${one.id}`,
      cut(one.title, 60),
      paint.dim(one.reasons.map((reason) => reason.text).join('; ')),
    ]);
    context.print('not yet', ...columns(rows));
  }
  for (const problem of found.problems) write(stderr, `furrow: ${problem}\n`);
}
