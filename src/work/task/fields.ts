import type { Fields, Refusal } from './field.ts';
import { readPlainFields } from './fields-plain.ts';
import { readYamlFields } from './fields-yaml.ts';

/** The top-level keys of a block mapping, by the fast reader where it can, by the YAML parser where it must. */
export function readFields(source: string): { ok: true; fields: Fields } | Refusal {
  const plain = readPlainFields(source);
  return plain ? { ok: true, fields: plain } : readYamlFields(source);
}
