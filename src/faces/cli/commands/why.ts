import type { Out } from '../../../api/contract.ts';
import { anyState } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { tellingBlock } from '../view/output.ts';

export async function why(context: Context): Promise<void> {
  const found = await context.ask('why', { subject: context.args.need('SUBJECT') });
  context.print(...whyLines(found, paintFor(stdout)));
}

export function whyLines({ subject, state, reasons }: Out<'why'>, paint: Paint): string[] {
  return [
    `${paint.bold(subject)}: ${anyState(state).word}`,
    ...reasons.flatMap((reason) => [
      `  ${reason.text}  ${paint.dim(reason.code)}`.trimEnd(),
      ...tellingBlock(reason.lines ?? [], '    ', paint),
    ]),
  ];
}
