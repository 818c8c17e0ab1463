import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The start of a statement; one inside another begins with the name of its own builder. */
const START = /\b(?:db|tx)\s*\.(selectFrom|insertInto|updateTable|deleteFrom)\(/g;

/** The lines of selects that ask for several rows and leave their order to the engine. */
function unordered(text: string): number[] {
  return [...text.matchAll(/\.execute\(\)/g)].flatMap(({ index }) => {
    const start = [...text.slice(0, index).matchAll(START)].at(-1);
    const isSelect = start?.[1] === 'selectFrom';
    return isSelect && !text.slice(start.index, index).includes('.orderBy(') ? [text.slice(0, start.index).split('\n').length] : [];
  });
}

it('a select of several rows says in which order it wants them', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.flatMap((file) => unordered(readFileSync(join(src, file), 'utf8')).map((line) => `${file}:${line}`))).toEqual([]);
});

it.each([
  ["await db.selectFrom('task').selectAll().execute()", [1]],
  ["db.insertInto('task').execute();\nconst rows = tx\n  .selectFrom('task')\n  .execute()", [2]],
  ["db.selectFrom('task').where('id', 'in', (q) => q.selectFrom('entry').select('id')).orderBy('ref').execute()", []],
  ["db.selectFrom('task').selectAll().executeTakeFirst()", []],
  ["db.selectFrom('task').orderBy('ref').execute(); db.updateTable('task').execute()", []],
])('it is looked for in: %s', (text, lines) => {
  expect(unordered(text)).toEqual(lines);
});
