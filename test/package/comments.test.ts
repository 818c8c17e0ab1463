import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Doc comments that open with a question word, as `file: words`: they announce a fact instead of stating it. */
function questions(file: string, text: string): string[] {
  const found = text.matchAll(/\/\*\*(?:\s|\*)*((?:What|Who|Whose|Whom|Whether|How)\b[^\n]*)/g);
  return [...found].map(([, words]) => `${file}: ${words}`);
}

it('no doc comment opens with What, Who, Whether or How', () => {
  const files = ['src', 'page', 'bench', 'tools'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = files.filter((name) => /\.(tsx?|mjs)$/.test(name));
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.flatMap((name) => questions(name, readFileSync(`${ROOT}${name}`, 'utf8')))).toEqual([]);
});

it.each([
  ['/** What a task is. */', 1],
  ['/**\n * How it ends.\n */', 1],
  ['/** Whether it\n * runs. */', 1],
  ['/** The end of a task: how it went. */', 0],
  ['// What it does', 0],
  ['/** Whatever was there goes. */', 0],
])('%j has %i of them', (text, count) => expect(questions('a.ts', text)).toHaveLength(count));
