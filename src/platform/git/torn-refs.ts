import { areConnected } from './connected.ts';
import type { RefValue } from './refs.ts';
import type { Repo } from './run.ts';

/**
 * The refs that are torn: their commit is there, but a commit, tree or file behind it is missing. One git when none is torn; each torn one
 * costs a few more, twice as many refs one more. `known`: commits whose objects are not checked.
 */
export async function tornRefs<R extends RefValue>(repo: Repo, refs: readonly R[], known: readonly string[]): Promise<R[]> {
  const torn = new Set(await tornAmong(repo, [...new Set(refs.map(({ oid }) => oid))], known));
  return refs.filter(({ oid }) => torn.has(oid));
}

async function tornAmong(repo: Repo, oids: readonly string[], known: readonly string[]): Promise<readonly string[]> {
  if (await areConnected(repo, oids, known)) return [];
  if (oids.length === 1) return oids;
  const half = Math.ceil(oids.length / 2);
  return [...(await tornAmong(repo, oids.slice(0, half), known)), ...(await tornAmong(repo, oids.slice(half), known))];
}
