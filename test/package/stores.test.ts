import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../src/journal/schema.ts';

/** The one file that writes each table, below `src`: every change of a state is found there, and nowhere else. */
const STORES: Readonly<Record<keyof Schema, string>> = {
  agent: 'agents/agent/store.ts',
  attempt: 'work/attempt/store.ts',
  check_run: 'queue/check-run/store.ts',
  config_version: 'daemon/farm/inputs/versions.ts',
  entrant: 'queue/race/store.ts',
  entry: 'work/entry/store.ts',
  errand: 'work/errand/store.ts',
  event: 'journal/event.ts',
  host: 'hosts/store.ts',
  heard: 'agents/supervision/store.ts',
  intent: 'journal/act.ts',
  invite: 'hosts/store.ts',
  job: 'agents/job/store.ts',
  landing: 'queue/landing/store.ts',
  lease: 'agents/lease/store.ts',
  message: 'agents/message/store.ts',
  meta: 'journal/store.ts',
  notice: 'tell/notice/store.ts',
  provider_limit: 'agents/supervision/provider/store.ts',
  question: 'work/question/store.ts',
  race: 'queue/race/store.ts',
  review: 'queue/review/store.ts',
  revert: 'queue/slow-checks/reverts.ts',
  task: 'work/task/store.ts',
  usage: 'agents/agent/usage.ts',
  word: 'hosts/store.ts',
  work: 'work/store.ts',
};

const BUILT = /\b(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*['"`](\w+)/g;
const RAW = /sql(?:<[^`]*>)?`\s*(?:insert into|update|delete from|replace into)\s+"?(\w+)/gi;

/** Writes of a table outside its store, one sentence each. */
function strayWrites(file: string, text: string): string[] {
  return [...text.matchAll(BUILT), ...text.matchAll(RAW)].flatMap(([, table]) => {
    const home = STORES[table as keyof Schema];
    return home === undefined || home === file ? [] : [`${file} writes the table ${table}; only ${home} may`];
  });
}

const adds = (text: string, table: string) => text.includes(`Into('${table}')`) || text.includes(`insert into "${table}"`);

describe('each table', () => {
  it('is written by the store of its noun alone', () => {
    const src = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));
    expect([...texts].flatMap(([file, text]) => strayWrites(file, text))).toEqual([]);
    for (const [table, home] of Object.entries(STORES))
      expect(adds(texts.get(home) ?? '', table), `${home} adds rows to ${table}`).toBe(true);
  });

  it.each([
    ["tx.updateTable('entry').set({ state })", ['daemon/calls/a.ts writes the table entry; only work/entry/store.ts may']],
    ["tx\n  .insertInto(\n    'landing',\n  )", ['daemon/calls/a.ts writes the table landing; only queue/landing/store.ts may']],
    ['sql`delete from question where id = 1`', ['daemon/calls/a.ts writes the table question; only work/question/store.ts may']],
    ['sql<{ id: number }>`update "work" set state = 1`', ['daemon/calls/a.ts writes the table work; only work/store.ts may']],
    ["db.selectFrom('entry').selectAll()", []],
  ])('is looked for in: %s', (text, said) => {
    expect(strayWrites('daemon/calls/a.ts', text)).toEqual(said);
  });
});

describe('a host', () => {
  const daemon = fileURLToPath(new URL('../../src/daemon', import.meta.url));
  const asks = (file: string) => /(?<![.\w])db\b(?!-)|\.db\b(?!-)/.test(readFileSync(join(daemon, file), 'utf8'));
  const files = readdirSync(daemon, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('knows no store: the leader tells it what it has to know, and stores what it reports', () => {
    const own = files.filter((file) => file.startsWith('host/') || /^acts\/.*host\.ts$/.test(file));
    expect(own.length).toBeGreaterThan(60);
    expect(own.filter(asks)).toEqual([]);
  });
});
