import type { Out } from '../../../api/contract.ts';
import { anyState } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { nextCommand } from '../view/next-command.ts';
import { tellingBlock } from '../view/output.ts';

export async function why(context: Context): Promise<void> {
  const found = await context.ask('why', { subject: context.args.need('SUBJECT') });
  context.print(...whyLines(found, paintFor(stdout)));
}

export function whyLines(found: Out<'why'>, paint: Paint): string[] {
  const { subject, state, reasons } = found;
  const next = nextCommand(found);
  return [
    `${paint.bold(subject)}: ${anyState(state).word}`,
    ...reasons.flatMap((reason) => [
      `  ${reason.text}  ${paint.dim(reason.code)}`.trimEnd(),
      ...tellingBlock(reason.lines ?? [], '    ', paint),
    ]),
    ...(next === undefined ? [] : [`next: ${next}`]),
  ];
}
