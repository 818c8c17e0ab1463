import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Runs a statement to its end before it returns. */
export type RunNow = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>;

/**
 * Kysely over one connection whose statements return at once. Kysely's own driver takes the connection for each statement and gives it back,
 * eight promises in turn; here only a transaction takes it, and a statement waits only while somebody else's transaction is open.
 */
export function overOneConnection<Tables>(run: RunNow, close: () => void): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => run(sql, parameters) as QueryResult<R>,
    streamQuery: () => {
      throw new Error('rows are read whole');
    },
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: async () => void run('begin', []),
    commitTransaction: async () => void run('commit', []),
    rollbackTransaction: async () => void run('rollback', []),
    destroy: async () => close(),
  };
  const dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new Executor(run, new Turns(connection)) });
}

/** One transaction at a time, in the order in which they were asked for. */
class Turns implements ConnectionProvider {
  readonly #connection: DatabaseConnection;
  #taken: Promise<void> | undefined;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  get taken(): Promise<void> | undefined {
    return this.#taken;
  }

  async provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    while (this.#taken) await this.#taken;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = promise;
    try {
      return await consumer(this.#connection);
    } finally {
      this.#taken = undefined;
      resolve();
    }
  }
}

class Executor extends DefaultQueryExecutor {
  readonly #run: RunNow;
  /** Undefined in a transaction: it has the connection. */
  readonly #turns: Turns | undefined;

  constructor(run: RunNow, turns: Turns, within = false) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), turns);
    this.#run = run;
    this.#turns = within ? undefined : turns;
  }

  override async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    while (this.#turns?.taken) await this.#turns.taken;
    return this.#run(sql, parameters) as QueryResult<R>;
  }

  /** Kysely asks this of a transaction for each of its statements, too. */
  override withConnectionProvider(): DefaultQueryExecutor {
    return this.#turns ? new Executor(this.#run, this.#turns, true) : this;
  }
}
