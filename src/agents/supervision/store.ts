import { type Selectable, sql } from 'kysely';
import { isAmong } from '../../journal/elements.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { HeardRow } from '../../journal/rows/supervision.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { redactedJson } from '../../platform/redact.ts';
import { emptySupervision, type Interventions, NO_INTERVENTIONS, type Supervision, type TurnEnd } from './record.ts';
import type { Signals } from './signals.ts';
import { type SupervisionStep, step } from './state.ts';

/** The column `care` holds the interventions, and the end of the process beside them. */
type StoredInterventions = Interventions & { readonly endedAt?: number | null; readonly halted?: boolean };

/** The conversation has a column of its own; it is not in the JSON of the signals. */
function readSupervision(row: Selectable<HeardRow>): Supervision {
  const { session: _, ...signals } = JSON.parse(row.signals) as Signals;
  const { endedAt = null, halted = false, ...done } = JSON.parse(row.care) as Partial<StoredInterventions>;
  return {
    signals: row.session === null ? signals : { ...signals, session: row.session },
    turn: row.turn ? (JSON.parse(row.turn) as TurnEnd) : null,
    ended: endedAt === null ? null : { at: endedAt, halted },
    interventions: { ...NO_INTERVENTIONS, ...done },
  };
}

function rowOf({ signals, turn, ended, interventions }: Supervision, now: number): Omit<Selectable<HeardRow>, 'attempt'> {
  const { session = null, ...heard } = signals;
  const care: StoredInterventions = { ...interventions, endedAt: ended?.at ?? null, halted: ended?.halted ?? false };
  return { session, signals: redactedJson(heard), turn: turn && redactedJson(turn), care: JSON.stringify(care), at: now };
}

export async function supervisionOf(db: Db | Tx, attempt: number): Promise<Supervision | undefined> {
  const [row] = (await ofAttempt(db, { attempt })).rows;
  return row && readSupervision(row);
}

const ofAttempt = statement((db, { attempt }: { attempt: number }) =>
  db.selectFrom('heard').selectAll().where('attempt', '=', attempt).compile(),
);

const heard = keptRows<Selectable<HeardRow>>('heard');
const ofAttempts = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('heard')
    .selectAll()
    .where(isAmong(db, 'attempt', list, 'bigint'))
    .orderBy('attempt')
    .compile(),
);

/** The records of these attempts, by attempt. One that cannot be read is left out: it must not hide the others. */
export async function supervisionsOf(
  db: Db | Tx,
  attempts: readonly number[],
  unreadable: (attempt: number, error: Error) => void,
): Promise<Map<number, Supervision>> {
  const found = new Map<number, Supervision>();
  if (attempts.length === 0) return found;
  const list = JSON.stringify(attempts);
  for (const row of await heard(db, async () => (await ofAttempts(db, { list })).rows, list)) {
    try {
      found.set(row.attempt, readSupervision(row));
    } catch (error) {
      unreadable(row.attempt, error as Error);
    }
  }
  return found;
}

/** The agent was started and has not said anything, unless it was faster than we are: until it does, it is starting, not at work. */
export async function beginSupervision(tx: Tx, attempt: number, clock: Clock): Promise<void> {
  await tx
    .insertInto('heard')
    .values({ attempt, ...rowOf(emptySupervision(clock.awake()), clock.now()) })
    .onConflict((c) => c.column('attempt').doNothing())
    .execute();
}

/** Moves the stored record by one step, and answers it as it is then. `undefined`: there is none, or the step does not apply. */
export async function advanceSupervision(tx: Tx, attempt: number, event: SupervisionStep, now: number): Promise<Supervision | undefined> {
  const record = await supervisionOf(tx, attempt);
  const next = record && step(record, event);
  if (next) await writeSupervision(tx, attempt, next, now);
  return next;
}

/** Stores a record that the daemon holds in memory: it changes with every tool, and is not read again for that. */
export async function writeSupervision(tx: Tx, attempt: number, record: Supervision, now: number): Promise<void> {
  const row = rowOf(record, now);
  await tx
    .insertInto('heard')
    .values({ attempt, ...row })
    .onConflict((c) => c.column('attempt').doUpdateSet(row))
    .execute();
}

/** Deletes up to `most` records of attempts that have ended. Answers how many it deleted. */
export async function pruneSupervision(db: Db, most: number): Promise<number> {
  const gone = await sql`delete from heard where attempt in (
    select heard.attempt from heard join attempt on attempt.id = heard.attempt where attempt.state = 'ended' order by heard.attempt limit ${most})`.execute(
    db,
  );
  return Number(gone.numAffectedRows ?? 0);
}
