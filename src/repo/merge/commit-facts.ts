import { type Repo, tryGit } from '../../platform/git/run.ts';
import type { Authored } from '../../platform/git/user.ts';

/** A commit of submitted work, as its author wrote it. */
export interface WorkCommit {
  readonly id: string;
  readonly author: Authored;
  /** The whole message, in UTF-8. */
  readonly message: string;
}

/** Facts about a submitted commit and the work that ends with it. */
export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  /** The time it was made, in milliseconds. */
  readonly at: number;
  /** True if the work has merges of its own: only then can it have more than one base. */
  readonly merges: boolean;
  /** The commits that the base does not have, oldest first, without merges. */
  readonly commits: readonly WorkCommit[];
}

// No field can hold a NUL, so each record has a fixed number of fields; git puts a newline between records.
const FIELDS = ['%H', '%P', '%T', '%ct', '%an', '%ae', '%ad', '%B'];
export const FORMAT = [`--format=${FIELDS.join('%x00')}%x00`, '--date=raw', '--encoding=UTF-8', '--topo-order', '--reverse'];

interface Listed {
  /** Parents have a lower number than their children. */
  readonly place: number;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly at: number;
  readonly commit: WorkCommit;
}

/** Facts about the commits that `base` does not have, with one git. A missing commit has none. */
export async function factsOf(repo: Repo, base: string, shas: readonly string[]): Promise<Map<string, CommitFacts>> {
  const input = `^${base}\n${shas.map((sha) => `${sha}\n`).join('')}`;
  const done = await tryGit(repo, ['rev-list', '--stdin', '--no-commit-header', ...FORMAT], { input, encoding: 'latin1' });
  if (done.code === 0) return collect(done.stdout, shas);
  if (shas.length === 1) return new Map();
  const found = new Map<string, CommitFacts>();
  for (const sha of shas) for (const facts of (await factsOf(repo, base, [sha])).values()) found.set(sha, facts);
  return found;
}

function collect(log: string, shas: readonly string[]): Map<string, CommitFacts> {
  const listed = new Map<string, Listed>();
  const fields = log.split('\0');
  for (let at = 0; at + FIELDS.length < fields.length; at += FIELDS.length) {
    const [id = '', parents = '', tree = '', seconds, ...rest] = fields.slice(at, at + FIELDS.length);
    const [name = '', email = '', date = '', message = ''] = rest.map(decoded);
    const commit = { id: id.trimStart(), author: { name, email, date }, message };
    const place = listed.size;
    listed.set(commit.id, { place, parents: parents.split(' ').filter(Boolean), tree, at: Number(seconds) * 1000, commit });
  }
  const found = new Map<string, CommitFacts>();
  for (const sha of shas) {
    const own = listed.get(sha);
    if (own) found.set(sha, { sha, tree: own.tree, at: own.at, ...workOf(listed, sha) });
  }
  return found;
}

/** Git prints UTF-8, except for a commit in another encoding that does not name it. */
function decoded(bytes: string): string {
  const raw = Buffer.from(bytes, 'latin1');
  const text = raw.toString('utf8');
  return text.includes('\uFFFD') && !Buffer.from(text).equals(raw) ? bytes : text;
}

function workOf(listed: ReadonlyMap<string, Listed>, sha: string): Pick<CommitFacts, 'merges' | 'commits'> {
  const within = new Set<string>();
  const left = [sha];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (within.has(id) || !listed.has(id)) continue;
    within.add(id);
    left.push(...listed.get(id)!.parents);
  }
  const own = [...within].map((id) => listed.get(id)!).filter(({ parents }) => parents.length < 2);
  return { merges: hasMerges(listed, sha), commits: own.sort((a, b) => a.place - b.place).map(({ commit }) => commit) };
}

function hasMerges(listed: ReadonlyMap<string, Listed>, sha: string): boolean {
  for (let at = listed.get(sha); at; at = listed.get(at.parents[0] ?? '')) if (at.parents.length > 1) return true;
  return false;
}
