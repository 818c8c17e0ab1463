import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { tellingBlock } from '../view/output.ts';

export async function why(context: Context): Promise<void> {
  const { subject, state, reasons } = await context.ask('why', { subject: context.args.need('SUBJECT') });
  const paint = paintFor(stdout);
  context.print(
    `${paint.bold(subject)} is ${state}`,
    ...reasons.flatMap((reason) => [
      `  ${reason.text}  ${paint.dim(reason.code)}`.trimEnd(),
      ...tellingBlock(reason.lines ?? [], '    ', paint),
    ]),
  );
}
