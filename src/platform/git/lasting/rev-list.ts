import { contentsOf, NotThere } from './objects.ts';
import type { LastingGit } from './process.ts';
import { beyond, type Commit } from './walk.ts';

interface Range {
  readonly tips: readonly string[];
  readonly others: readonly string[];
}

/** A form of `rev-list` that is answered here, and the function that answers it: bytes as letters (latin1). */
interface Form extends Range {
  list(git: LastingGit, range: Range, signal: AbortSignal): Promise<string>;
}

const rangeOf = (words: readonly string[]): Range => ({
  tips: words.filter((word) => !word.startsWith('^')),
  others: words.filter((word) => word.startsWith('^')).map((word) => word.slice(1)),
});

/** The facts about work that the queue asks for (`repo/merge/commit-facts.ts`). */
const FIELDS =
  '--stdin --no-commit-header --format=%H%x00%P%x00%T%x00%ct%x00%an%x00%ae%x00%ad%x00%B%x00 --date=raw --encoding=UTF-8 --topo-order --reverse';

export function formOf(words: readonly string[], input: string | undefined): Form | undefined {
  const [first, ...rest] = words.at(-1) === '--' ? words.slice(0, -1) : words;
  if (first === '--count') return { ...rangeOf(rest), list: counted };
  if (words.join(' ').startsWith('--first-parent --reverse ')) return { ...rangeOf(rest.slice(1)), list: firstParents };
  const lines = input?.split('\n').filter((line) => line !== '' && line !== '--') ?? [];
  if (/^--parents (?:--ignore-missing )?--stdin$/.test(words.join(' '))) return { ...rangeOf(lines), list: withParents };
  if (words.join(' ') === FIELDS) return { ...rangeOf(lines), list: facts };
  return undefined;
}

const counted = async (git: LastingGit, { tips, others }: Range, signal: AbortSignal) =>
  `${(await beyond(git, tips, others, signal)).length}\n`;

/** In no order: the caller makes a graph of them. */
const withParents = async (git: LastingGit, { tips, others }: Range, signal: AbortSignal) =>
  (await beyond(git, tips, others, signal)).map(({ id, parents }) => `${[id, ...parents].join(' ')}\n`).join('');

/** Only first parents, oldest first. It stops at the first commit that does not count: none before it does. */
async function firstParents(git: LastingGit, { tips, others }: Range, signal: AbortSignal): Promise<string> {
  const all = new Map((await beyond(git, tips, others, signal)).map((commit) => [commit.id, commit]));
  const line: string[] = [];
  for (let next = all.get(tips[0] ?? ''); next; next = all.get(next.parents[0] ?? '')) line.unshift(`${next.id}\n`);
  if (tips.length !== 1) throw new NotThere('several lines');
  return line.join('');
}

/** Commits oldest first, if each but the first is the only child of the one before. For any other history git chooses the order. */
async function oneAfterTheOther(git: LastingGit, { tips, others }: Range, signal: AbortSignal): Promise<Commit[]> {
  const all = new Map((await beyond(git, tips, others, signal)).map((commit) => [commit.id, commit]));
  const line: Commit[] = [];
  for (let next = all.get(tips[0] ?? ''); next; next = all.get(next.parents[0] ?? '')) line.unshift(next);
  if (tips.length !== 1 || line.length !== all.size || line.some(({ parents }) => parents.length > 1)) throw new NotThere('no line');
  return line;
}

async function facts(git: LastingGit, range: Range, signal: AbortSignal): Promise<string> {
  const line = await oneAfterTheOther(git, range, signal);
  const ids = line.map(({ id }) => id);
  const raw = ids.length === 0 ? [] : await contentsOf(git, ids, signal);
  return raw.map(({ oid, bytes }) => `${record(oid, bytes.toString('latin1'))}\n`).join('');
}

const PERSON = /^author (.*?) ?<([^<>\n]*)> (\d+ [+-]\d{4})$/m;

/** One commit in the fields above. Git itself formats the rest, for example a commit in another encoding. */
function record(id: string, raw: string): string {
  const end = raw.indexOf('\n\n');
  const head = raw.slice(0, end + 1);
  const [, name, email, date] = PERSON.exec(head) ?? [];
  const [tree, at] = [/^tree (.*)$/m.exec(head)?.[1], /^committer .*> (\d+) [+-]\d+$/m.exec(head)?.[1]];
  if (end < 0 || name === undefined || !tree || !at || /^encoding /m.test(head) || raw.includes('\0')) throw new NotThere('another form');
  const parents = [...head.matchAll(/^parent (.*)$/gm)].map((found) => found[1]).join(' ');
  return [id, parents, tree, at, name, email, date, raw.slice(end + 2), ''].join('\0');
}
