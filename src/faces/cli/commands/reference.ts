import { RIGHTS } from '../../../api/rights.ts';
import { configKeys } from '../../../config/keys.ts';
import type { Context } from '../command.ts';
import { referenceText } from '../reference.ts';

export async function reference(context: Context): Promise<void> {
  context.print(referenceText(context.commands, configKeys(), RIGHTS).trimEnd());
}
