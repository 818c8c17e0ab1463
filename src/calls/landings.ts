import type { Selectable } from 'kysely';
import type { LandingRow } from '../journal/rows/landing.ts';
import type { Db } from '../journal/store.ts';

type Landing = Selectable<LandingRow>;

/** The landings that an entry was part of, the newest first: several when a person moved the target away from under the first. */
export async function landingsWith(db: Db, entry: number): Promise<Landing[]> {
  const rows = await db.selectFrom('landing').selectAll().where('entries', 'like', `%${entry}%`).orderBy('id', 'desc').execute();
  return rows.filter((row) => (JSON.parse(row.entries) as number[]).includes(entry));
}

/** By the commit of each landing: the checks that were not run for it, because nothing in their paths had changed. */
export async function notRunFor(db: Db, landings: readonly Pick<Landing, 'at'>[]): Promise<Map<string, readonly string[]>> {
  if (landings.length === 0) return new Map();
  // A landing and what is told of it are one transaction, of one time.
  const times = landings.map(({ at }) => at);
  const events = await db.selectFrom('event').select('data').where('kind', '=', 'landing.landed').where('at', 'in', times).execute();
  return new Map(
    events.map(({ data }) => {
      const { commit, unchanged = [] } = JSON.parse(data) as { commit: string; unchanged?: readonly string[] };
      return [commit, unchanged];
    }),
  );
}
