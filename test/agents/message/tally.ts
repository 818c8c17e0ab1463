import type { Db, Tx } from '../../../src/journal/store.ts';

/** Sent = delivered + dead + pending, at any time; `held` and `handed` count as pending. */
export async function tally(db: Db | Tx): Promise<{ sent: number; delivered: number; dead: number; pending: number }> {
  const counted = await db
    .selectFrom('message')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .groupBy('state')
    .orderBy('state')
    .execute();
  const of = (...states: string[]) => counted.filter((row) => states.includes(row.state)).reduce((sum, row) => sum + Number(row.count), 0);
  const [delivered, dead, pending] = [of('delivered'), of('dead'), of('held', 'pending', 'handed')];
  return { sent: delivered + dead + pending, delivered, dead, pending };
}
