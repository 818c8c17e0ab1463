import { type Kysely, sql } from 'kysely';

interface Settings {
  readonly version: string;
  readonly fsync: string;
  readonly commit: string;
  readonly standbys: string;
  readonly followers: number;
}

export interface Durability {
  readonly level: 'ok' | 'warn' | 'bad';
  readonly what: string;
  readonly hint: string | null;
}

/** The writes that the database may lose although it has said that they are stored. */
// biome-ignore lint/suspicious/noExplicitAny: of any tables
export async function durabilityOf(db: Kysely<any>): Promise<Durability[]> {
  const { rows } = await sql<Settings>`select current_setting('server_version') as version, current_setting('fsync') as fsync,
    current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as standbys,
    (select count(*) from pg_stat_replication) as followers`.execute(db);
  return judge(rows[0]!);
}

export function judge({ version, fsync, commit, standbys, followers }: Settings): Durability[] {
  const found: Durability[] = [];
  if (fsync === 'off') found.push(bad('its fsync is off: a power cut may lose or break it', "alter system set fsync = 'on'"));
  if (commit === 'off')
    found.push(bad('its synchronous_commit is off: a crash loses what it said was stored', "alter system set synchronous_commit = 'on'"));
  if (followers > 0 && standbys === '')
    found.push(
      warn(
        `${followers} ${followers === 1 ? 'copy follows' : 'copies follow'} it asynchronously: when one takes over, the last commits are lost, and the farm stops with a question`,
        "alter system set synchronous_standby_names = 'ANY 1 (*)', then select pg_reload_conf()",
      ),
    );
  if (standbys !== '' && commit === 'local')
    found.push(warn('its synchronous_commit is local: it does not wait for its copies', "alter system set synchronous_commit = 'on'"));
  if (found.length > 0) return found;
  const copies = standbys === '' ? 'no copy of it follows: back it up' : 'it waits for a copy before it says that something is stored';
  return [{ level: 'ok', what: `the store is on PostgreSQL ${version}; ${copies}`, hint: null }];
}

const bad = (what: string, hint: string): Durability => ({ level: 'bad', what: `the store is on PostgreSQL, and ${what}`, hint });
const warn = (what: string, hint: string): Durability => ({ level: 'warn', what: `the store is on PostgreSQL, and ${what}`, hint });
