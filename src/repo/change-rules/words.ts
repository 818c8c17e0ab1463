import { setImmediate as nextTick } from 'node:timers/promises';
import type { LandingCommit } from './commits.ts';
import type { ContentIssue } from './content-issue.ts';
import { keysIn, masked } from './keys.ts';

/** A text that lands beside the files, and how a sentence names it. */
interface Words {
  readonly of: string;
  readonly text: string;
}

const NAMED = 10;
/** The most that are reported; nobody reads more. */
const MOST = 20;

export const wordsOfCommits = (commits: readonly LandingCommit[]): Words[] =>
  commits.map(({ sha, text }) => ({ of: `commit ${sha.slice(0, NAMED)}`, text }));

/** Finds keys in the text about a change: messages, names of people, titles, the name of a branch. */
export async function keysInWords(all: readonly Words[]): Promise<ContentIssue[]> {
  const found: ContentIssue[] = [];
  for (const { of, text } of all) {
    const keys = await keysIn(text, nextTick);
    found.push(...keys.map(({ name, value }) => ({ is: 'words' as const, of, name, shown: masked(value) })));
    if (found.length >= MOST) break;
  }
  return found.slice(0, MOST);
}

/** A name without the keys in it, because a finding is stored and shown. */
export async function withoutKeys(name: string): Promise<{ shown: string; keys: readonly { name: string; shown: string }[] }> {
  const keys = await keysIn(name, nextTick);
  const shown = keys.reduce((text, { value }) => text.replaceAll(value, masked(value)), name);
  return { shown, keys: keys.map((key) => ({ name: key.name, shown: masked(key.value) })) };
}
