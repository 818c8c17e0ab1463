import { FurrowError } from '../../../platform/error.ts';
import { readSince } from '../../../tell/report/since.ts';
import type { Context } from '../command.ts';
import { paintFor, stdout, write } from '../out.ts';
import { reportLines } from '../view/report.ts';

/** The facts come from the farm; the page and the text are made of them here. */
export async function report(context: Context): Promise<void> {
  const { args } = context;
  const text = args.text('since');
  const since = text === undefined ? {} : readSince(text, new Date());
  if (since === undefined) throw wrongSince(text!);
  const facts = await context.ask('report', since);
  if (context.json) return;
  if (args.flag('html')) {
    const { page } = await import('../../../tell/report/html/page.ts');
    write(stdout, page(facts));
    return;
  }
  context.print(...reportLines(facts, paintFor(stdout)));
}

const wrongSince = (text: string) =>
  new FurrowError('USAGE', `--since takes a duration (2h), a time (14:30), a date or the number of an event, not "${text}"`, {
    hint: 'furrow report --help',
  });
