import type { Client, ClientConfig, QueryResult } from 'pg';
import type { PostgresPlace } from './place.ts';
import { decoded } from './text.ts';

/** A lost packet is noticed by this; a statement of ours takes milliseconds. */
const ANSWER_MS = 30_000;
const CONNECT_MS = 5000;
/** A daemon that is stopped or cut off within a transaction holds others up for so long. */
const IDLE_IN_TRANSACTION_MS = 3000;

/** int8 and numeric: counts, sums and times in milliseconds. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);
/** text, varchar and name. */
const TEXTS: ReadonlySet<number> = new Set([25, 1043, 19]);

type Parse = (text: string) => unknown;

/** One connection to the database. `answerMs`: the patience with one answer. `onLost` is called when it ends without being asked to. */
export async function openSession(place: PostgresPlace, onLost: () => void, answerMs = ANSWER_MS): Promise<Client> {
  const { default: pg } = await import('pg');
  const types: ClientConfig['types'] = {
    getTypeParser(oid: number, format?: string): Parse {
      if (NUMBERS.has(oid)) return Number;
      return TEXTS.has(oid) ? decoded : (pg.types.getTypeParser(oid, format as 'text') as Parse);
    },
  };
  const client = new pg.Client({
    connectionString: place.url,
    types,
    application_name: 'furrow',
    // The command of the server's process shows the options of no session; they hold no secret.
    options: `-c search_path=${place.schema} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS} -c timezone=UTC -c client_min_messages=warning`,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    keepAlive: true,
  });
  client.on('error', onLost);
  client.on('end', onLost);
  try {
    await client.connect();
    return client;
  } catch (error) {
    drop(client);
    throw error;
  }
}

/** Ends a connection that may not answer any more: a word of farewell could wait for ever. */
export function drop(client: Client): void {
  client.removeAllListeners('end');
  const { stream } = (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection ?? {};
  stream?.destroy();
  void client.end().catch(() => {});
}

/** Several statements in one message. */
export const several = async (client: Client, text: string): Promise<QueryResult[]> =>
  (await client.query(text)) as unknown as QueryResult[];
