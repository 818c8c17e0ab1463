import type { Authored } from '../../platform/git/user.ts';
import type { WorkCommit } from './commit-facts.ts';
import { oneLine } from './one-line.ts';
import { plain } from './pack.ts';

const DATE = /^\d{1,14} [+-]\d{4}$/;

const emailOf = ({ email }: Authored) => plain(email).toLowerCase();
const personOf = (author: Authored) => `${author.name}\0${emailOf(author)}`;

/** An author that git accepts: it strips some characters from a name and fails on an empty one. */
function usable(author: Authored): Authored | undefined {
  if (!plain(author.name)) return undefined;
  const { date = '', ...who } = author;
  return DATE.test(date) ? author : who;
}

/** The author of most of some commits (the later one on a tie), with the date of their last. */
export function mainAuthor(commits: readonly WorkCommit[]): Authored | undefined {
  const people = new Map<string, { count: number; last: number }>();
  for (const [last, { author }] of commits.entries()) {
    if (usable(author)) people.set(personOf(author), { count: (people.get(personOf(author))?.count ?? 0) + 1, last });
  }
  const [first] = [...people.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return first && usable(commits[first.last]!.author);
}

/** A `Co-authored-by` for everybody who wrote some of the commits and is not named yet. */
export function coAuthors(commits: readonly WorkCommit[], main: Authored, trailers: readonly string[]): string[] {
  const named = trailers.filter((one) => /^co-authored-by\s*:/i.test(one)).map((one) => one.toLowerCase());
  const seen = new Set([emailOf(main)]);
  return commits.flatMap(({ author }) => {
    const email = emailOf(author);
    if (!usable(author) || seen.has(email) || named.some((one) => one.includes(`<${email}>`))) return [];
    seen.add(email);
    return [`Co-authored-by: ${oneLine(plain(author.name), 200)} <${oneLine(plain(author.email), 200)}>`];
  });
}
