import { moveProgram } from '../../../api/store-move.ts';
import type { Context } from '../command.ts';
import { isTerminal, stderr, write } from '../out.ts';
import { safe } from '../view/safe.ts';

/** Says where the store is. */
export async function storePlace(context: Context): Promise<number> {
  const where = await (await moveProgram()).where(context.place().root);
  context.document({ store: where });
  context.print(safe(`the store is ${where}`));
  return 0;
}

/** Moves the store, with no daemon at work. */
export async function moveStore(context: Context): Promise<number> {
  const drawn = isTerminal(stderr) && !context.json;
  let table = '';
  const { from, to, tables, aside } = await (await moveProgram()).move(context.place().root, {
    to: context.args.text('TO'),
    env: process.env,
    told(progress) {
      if (!drawn && progress.table === table) return;
      table = progress.table;
      write(stderr, drawn ? `\r\x1b[K${table}  ${progress.rows}` : `furrow: copying ${table}\n`);
    },
  });
  if (drawn) write(stderr, '\r\x1b[K');
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  context.document({ from, to, tables, aside });
  context.print(safe(`the store is ${to}: ${rows} rows in ${tables.length} tables, each the same as before`));
  for (const one of aside) context.print(safe(`kept aside: ${one}`));
  return 0;
}
