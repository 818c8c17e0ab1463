import { z } from 'zod';
import type { FieldMeta } from './fields.ts';

type Schema = z.core.$ZodType;

/** Removes the wrappers (optional, default) of a field: its schema, its description, and its default if it has one. */
export function unwrap(schema: Schema): { schema: Schema; meta: FieldMeta | undefined; fallback: unknown } {
  let inner = schema;
  let fallback: unknown;
  for (;;) {
    if (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
      fallback ??= inner.def.defaultValue;
      inner = inner.def.innerType;
    } else if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) {
      inner = inner.def.innerType;
    } else if (inner instanceof z.ZodPipe && inner.def.in instanceof z.ZodTransform) {
      // A map with a short form, which is made a map first.
      inner = inner.def.out;
    } else {
      const meta = z.globalRegistry.get(schema) ?? z.globalRegistry.get(inner);
      return { schema: inner, meta: meta as FieldMeta | undefined, fallback };
    }
  }
}

/** The schema of one key or list item of a schema. */
export function child(schema: Schema | undefined, key: PropertyKey): Schema | undefined {
  const inner = schema && unwrap(schema).schema;
  if (inner instanceof z.ZodObject) return Object.hasOwn(inner.shape, key) ? inner.shape[String(key)] : undefined;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodArray) return inner.element;
  return undefined;
}

/** The keys that a map of this schema may have; `undefined` where they are the user's to choose, and for what is no map. */
export function keysOf(schema: Schema | undefined): string[] | undefined {
  const inner = schema && unwrap(schema).schema;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : undefined;
}
