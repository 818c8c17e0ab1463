import { z } from 'zod';
import { fileSchema } from './schema.ts';
import { child, keysOf, unwrap } from './schema-walk.ts';

export interface ConfigKey {
  readonly key: string;
  readonly type: string;
  readonly default: string | undefined;
  readonly description: string;
}

/** Every key of furrow.yaml, in the order of the schema: `queue.batch`, `checks[].run`, `agents.<kind>.driver`. */
export function configKeys(): ConfigKey[] {
  return below(fileSchema, '');
}

/** By what the maps are keyed whose keys are the user's to choose. */
const BY_NAME: Readonly<Record<string, string>> = { agents: 'kind', phases: 'phase' };

function below(schema: z.core.$ZodType, prefix: string): ConfigKey[] {
  return (keysOf(schema) ?? []).flatMap((name) => {
    const inner = child(schema, name)!;
    const key = `${prefix}${name}`;
    const { schema: type, meta, fallback } = unwrap(inner);
    const own = { key, type: meta?.expected ?? '', default: shown(fallback), description: meta?.description ?? '' };
    if (keysOf(type)) return [own, ...below(type, `${key}.`)];
    const item = child(type, 0);
    return item && keysOf(item)
      ? [own, ...below(item, type instanceof z.ZodArray ? `${key}[].` : `${key}.<${BY_NAME[key] ?? 'name'}>.`)]
      : [own];
  });
}

/** As it would be written; a section or an empty list has nothing worth showing. */
function shown(fallback: unknown): string | undefined {
  return fallback === undefined || typeof fallback === 'object' ? undefined : String(fallback);
}
