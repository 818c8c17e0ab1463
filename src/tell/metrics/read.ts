import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../journal/store.ts';
import { levelOf } from '../../work/question/attention-order.ts';
import { added, type Counts, seriesOf } from './counts.ts';
import { familyNamed } from './families.ts';

/** Counts the rows of a table. */
type Tally = (db: Db | Tx) => Promise<Counts>;

type Row = Readonly<Record<string, number | string | null>>;

const counted = (rows: readonly Row[], name: string, ...by: string[]): Counts =>
  added(
    ...rows.map(
      (row) =>
        new Map([
          [
            seriesOf(
              name,
              by.map((key) => String(row[key])),
            ),
            Number(row['n'] ?? 0),
          ],
        ]),
    ),
  );

/** Columns with how many are at or below each bound of a histogram, their number and their sum in ms. */
function spread(name: string, ms: RawBuilder<unknown>): RawBuilder<unknown> {
  const bounds = familyNamed(name).bounds ?? [];
  const upTo = bounds.map((le, n) => sql`sum(case when ${ms} <= ${le * 1000} then 1 else 0 end) as ${sql.ref(`b${n}`)}`);
  return sql`${sql.join([...upTo, sql`count(*) as n`, sql`sum(${ms}) as ms`])}`;
}

function spreads(rows: readonly Row[], name: string, by: (row: Row) => string[]): Counts {
  const bounds = familyNamed(name).bounds ?? [];
  return added(
    ...rows.map((row) => {
      const parts = [
        ...bounds.map((le, n) => [le, row[`b${n}`]] as const),
        ['count', row['n']] as const,
        ['sum', Number(row['ms'] ?? 0) / 1000] as const,
      ];
      return new Map(parts.map(([part, value]) => [seriesOf(name, by(row), part), Number(value ?? 0)]));
    }),
  );
}

async function rowsOf(db: Db | Tx, query: RawBuilder<unknown>): Promise<Row[]> {
  return (await (query as RawBuilder<Row>).execute(db)).rows;
}

export const entryCounts: Tally = async (db) => {
  const ends = await rowsOf(db, sql`select state, count(*) as n from entry where ended is not null group by state order by state`);
  const name = 'furrow_entry_seconds';
  const times = await rowsOf(
    db,
    sql`select ${spread(name, sql`(ended - at)`)} from entry where state = 'landed' and ended is not null having count(*) > 0`,
  );
  return added(
    counted(ends, 'furrow_entries_total', 'state'),
    spreads(times, name, () => []),
  );
};

export const checkCounts: Tally = async (db) => {
  const runs = await rowsOf(db, sql`select name, outcome, count(*) as n from check_run group by name, outcome order by name, outcome`);
  const name = 'furrow_check_seconds';
  const times = await rowsOf(
    db,
    sql`select name, ${spread(name, sql`ms`)} from check_run where outcome <> 'error' group by name order by name`,
  );
  // Without an index on the content, the trees that passed are looked up once and not for each red.
  const flakes = await rowsOf(
    db,
    sql`select name, count(*) as n from check_run where outcome = 'fail' and coalesce(about, tree) || ' ' || "check" in
      (select coalesce(about, tree) || ' ' || "check" from check_run where outcome = 'pass') group by name order by name`,
  );
  return added(
    counted(runs, 'furrow_check_runs_total', 'name', 'outcome'),
    spreads(times, name, (row) => [String(row['name'])]),
    counted(flakes, 'furrow_check_flakes_total', 'name'),
  );
};

export const questionCounts: Tally = async (db) => {
  const asked = await rowsOf(db, sql`select kind, count(*) as n from question group by kind order by kind`);
  const name = 'furrow_question_seconds';
  const times = await rowsOf(
    db,
    sql`select kind, ${spread(name, sql`(closed - since)`)} from question where closed is not null group by kind order by kind`,
  );
  const level = (row: Row) => levelOf(String(row['kind']));
  return added(
    counted(
      asked.map((row) => ({ ...row, level: level(row) })),
      'furrow_questions_total',
      'level',
    ),
    spreads(times, name, (row) => [level(row)]),
  );
};

export const messageCounts: Tally = async (db) =>
  counted(await rowsOf(db, sql`select kind, count(*) as n from message group by kind order by kind`), 'furrow_messages_total', 'kind');

/** Rows of these tables are never deleted. */
export const lastingCounts: Tally = async (db) => {
  const attempts = await rowsOf(
    db,
    sql`select kind, outcome, count(*) as n from attempt where outcome is not null group by kind, outcome order by kind, outcome`,
  );
  const used = await rowsOf(
    db,
    sql`select attempt.kind, sum(usage.micros) as micros, sum(usage.input) as input, sum(usage.output) as output,
      sum(usage.cache_read + usage.cache_write) as cached from usage join attempt on attempt.id = usage.attempt group by attempt.kind order by attempt.kind`,
  );
  const landings = await rowsOf(db, sql`select count(*) as n from landing`);
  const events = await rowsOf(db, sql`select coalesce(max(seq), 0) as n from event`);
  const tokens = ['input', 'output', 'cached'].map((direction) =>
    counted(
      used.map((row) => ({ ...row, direction, n: row[direction] ?? 0 })),
      'furrow_tokens_total',
      'kind',
      'direction',
    ),
  );
  return added(
    counted(attempts, 'furrow_attempts_total', 'kind', 'outcome'),
    counted(
      used.map((row) => ({ ...row, n: Number(row['micros'] ?? 0) / 1e6 })),
      'furrow_cost_usd_total',
      'kind',
    ),
    ...tokens,
    counted(landings, 'furrow_landings_total'),
    counted(events, 'furrow_events_total'),
  );
};

/** Rows that the store has now; they may become fewer again. */
export const presentCounts: Tally = async (db) => {
  const receipts = await rowsOf(db, sql`select state, count(*) as n from message group by state order by state`);
  // The newest run that could answer decides; its id is the highest.
  const verdicts = await rowsOf(
    db,
    sql`select name, outcome, count(*) as n from check_run where id in
      (select max(id) from check_run where outcome <> 'error' group by coalesce(about, tree), "check") group by name, outcome order by name, outcome`,
  );
  return added(
    counted(
      receipts.map((row) => ({ ...row, receipt: RECEIPTS[String(row['state'])] ?? 'queued' })),
      'furrow_messages',
      'receipt',
    ),
    counted(
      verdicts.map((row) => ({ ...row, verdict: row['outcome'] === 'pass' ? 'green' : 'red' })),
      'furrow_verdicts',
      'name',
      'verdict',
    ),
  );
};

const RECEIPTS: Readonly<Record<string, string>> = { pending: 'queued', handed: 'delivered', delivered: 'seen', dead: 'dead' };
