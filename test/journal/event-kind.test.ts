import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { append } from '../../src/journal/event.ts';
import { EVENT_KINDS } from '../../src/journal/event-kind.ts';
import type { Db, Tx } from '../../src/journal/store.ts';

it('a misspelt kind of event does not compile, written out or put together', () => {
  // Never called: the compiler is what is tested. Each line that it lets pass makes `npm run check` fail.
  const misspelt = (tx: Tx, db: Db, state: 'checkign') => [
    // @ts-expect-error the kind is `entry.submitted`
    append(tx, { kind: 'entry.submited', text: '' }, 0),
    // @ts-expect-error no entry is `checkign`
    append(tx, { kind: `entry.${state}`, text: '' }, 0),
    // @ts-expect-error a question about the log is held to the same list
    db.selectFrom('event').where('kind', '=', 'work.setled'),
  ];
  expect(misspelt).toBeTypeOf('function');
});

it('every kind of event has a sentence, and something in src that tells of it', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('event-kind.ts'),
  );
  const text = files.map((file) => readFileSync(join(src, file), 'utf8')).join('\n');
  const composed = /^(entry|farm|message)\./;
  for (const [kind, sentence] of Object.entries(EVENT_KINDS)) {
    expect(sentence, kind).toMatch(/^[A-Z].*\.$/);
    if (!composed.test(kind)) expect(text.includes(`'${kind}'`), `nothing tells of ${kind}`).toBe(true);
  }
});
