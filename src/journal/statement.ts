import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Schema } from './schema.ts';

/** The store, or a transaction in it. */
type Db = Kysely<Schema>;

/** Stands for a value while the statement is built. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const slots: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/**
 * A statement whose text does not depend on its values is built and compiled once for each engine: that took more than half of the time of
 * a short one, of which a landed task needs about 200. `build` must hand the values on as they are, and not look at them.
 */
export function statement<Values extends object, Row>(build: (db: Db, values: Values) => CompiledQuery<Row>) {
  const all = new WeakMap<object, CompiledQuery<Row>>();
  return (db: Db, values: Values): Promise<QueryResult<Row>> => {
    const engine = db.getExecutor().adapter.constructor;
    let made = all.get(engine);
    if (!made) {
      made = build(db, slots as Values);
      all.set(engine, made);
    }
    const { sql, query, queryId } = made;
    const parameters = made.parameters.map((one) => (one instanceof Slot ? (values as Record<string, unknown>)[one.name] : one));
    return db.executeQuery<Row>({ sql, query, queryId, parameters });
  };
}
