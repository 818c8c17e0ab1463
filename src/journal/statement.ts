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

/**
 * Does the same for a statement that changes columns, once for each set of columns that is given. One that is `undefined` stays as it is. The
 * values to find the rows by have names of their own.
 */
export function change<Columns extends object, Key extends object, Row = unknown>(
  build: (db: Db, columns: Columns, key: Key) => CompiledQuery<Row>,
) {
  const made = new Map<string, ReturnType<typeof statement<Record<string, unknown>, Row>>>();
  return (db: Db, columns: Columns, key: Key): Promise<QueryResult<Row>> => {
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    const names = given.map(([name]) => name);
    const known = made.get(names.join());
    const run =
      known ??
      statement<Record<string, unknown>, Row>((on, slot) =>
        build(on, Object.fromEntries(names.map((name) => [name, slot[`set ${name}`]])) as Columns, slot as Key),
      );
    if (!known) made.set(names.join(), run);
    return run(db, { ...key, ...Object.fromEntries(given.map(([name, value]) => [`set ${name}`, value])) });
  };
}
