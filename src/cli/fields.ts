import { readFileSync } from 'node:fs';
import type { Words } from './words.ts';

export interface Fields {
  body?: string;
  depends_on?: string[];
  priority?: string;
  agent?: string;
  paths?: string[];
  tags?: string[];
  due?: string;
  class?: string;
  check?: string;
  land?: 'auto' | 'approve';
}

/** The options of `add` and `edit` that were given, under the names of the call. */
export function fieldsFrom(words: Words): Fields {
  const body = words.text('body');
  const given = {
    // Descriptor 0 read at once: a body is short, and whoever pipes it has it ready.
    body: body === '-' ? readFileSync(0, 'utf8') : body,
    depends_on: words.list('depends-on'),
    priority: words.text('priority'),
    agent: words.text('agent'),
    paths: words.list('paths'),
    tags: words.list('tags'),
    due: words.text('due'),
    class: words.text('class'),
    check: words.text('check'),
    land: words.text('land'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
