import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The one file that writes each table, below `src`: every change of a state is found there, and nowhere else. */
const STORES: Readonly<Record<string, string>> = {
  agent: 'agent/store.ts',
  attempt: 'attempt/store.ts',
  entry: 'entry/store.ts',
  heard: 'supervision/store.ts',
  landing: 'landing/store.ts',
  message: 'message/store.ts',
  provider_limit: 'provider/store.ts',
  question: 'question/store.ts',
  revert: 'slow-checks/reverts.ts',
  task: 'task/store.ts',
  usage: 'agent/usage.ts',
  work: 'work/store.ts',
};

const WRITE = /\b(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*['"`](\w+)/g;

/** Writes of a table outside its store, one sentence each. */
function strayWrites(file: string, text: string): string[] {
  return [...text.matchAll(WRITE)].flatMap(([, table]) => {
    const home = STORES[table!];
    return home === undefined || home === file ? [] : [`${file} writes the table ${table}; only ${home} may`];
  });
}

describe('each table', () => {
  it('is written by the store of its noun alone', () => {
    const src = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files.flatMap((file) => strayWrites(file, readFileSync(join(src, file), 'utf8')))).toEqual([]);
    for (const home of Object.values(STORES)) expect(files).toContain(home);
  });

  it.each([
    ["tx.updateTable('entry').set({ state })", ['daemon/a.ts writes the table entry; only entry/store.ts may']],
    ["tx\n  .insertInto(\n    'landing',\n  )", ['daemon/a.ts writes the table landing; only landing/store.ts may']],
    ["db.selectFrom('entry').selectAll()", []],
  ])('is looked for in: %s', (text, said) => {
    expect(strayWrites('daemon/a.ts', text)).toEqual(said);
  });
});
