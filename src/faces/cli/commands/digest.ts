import type { Context } from '../command.ts';

/** The size of a digest, in tokens, when the command names none. */
const USUAL = 2000;

export async function digest(context: Context): Promise<void> {
  const [since, tokens] = [context.args.number('since'), context.args.number('tokens') ?? USUAL];
  const { sections } = await context.ask('digest', { tokens, ...(since !== undefined && { since }) });
  context.print(...sections.flatMap((section) => section.lines));
}
