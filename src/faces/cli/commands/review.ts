import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { short } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';
import { speakerIfAny } from './agent.ts';

export async function review(context: Context): Promise<void> {
  const { args } = context;
  const [task, kind, reason, overrules] = [args.need('TASK'), args.text('agent'), args.text('reason'), args.flag('overrule')];
  if (overrules !== (reason !== undefined))
    throw new FurrowError('USAGE', '--overrule and --reason belong together: say why it may land', {
      hint: `furrow review ${task} --overrule --reason TEXT`,
    });
  if (overrules && kind !== undefined)
    throw new FurrowError('USAGE', '--overrule asks no agent', { hint: `furrow review ${task} --overrule --reason TEXT` });
  const from = speakerIfAny();
  const who = from ? { from } : {};
  if (reason !== undefined) return overrule(context, { task, approve: true, reason, ...who });
  const asked = safe(await context.ask('review', { task, ...(kind !== undefined && { kind }), ...who }));
  const { round, already } = asked;
  const verb = already ? 'is being reviewed' : 'is to be reviewed';
  context.print(`${asked.task} ${verb} at ${short(asked.sha)} by an agent of kind ${asked.kind}, round ${round}; furrow why ${asked.task}`);
}

async function overrule(context: Context, words: { task: string; approve: true; reason: string }): Promise<void> {
  const { task, sha } = safe(await context.ask('overrule', words));
  context.print(`${task} may land at ${short(sha)} without the approval of a reviewer; it lands once its checks pass`);
}
