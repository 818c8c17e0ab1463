import { areConnected } from './connected.ts';
import type { RefValue } from './refs.ts';
import type { Repo } from './run.ts';

/**
 * Refs that are torn: their commit is there, and a commit, tree or file behind it is not. One git when none is; each that is costs a few more,
 * twice as many refs one more. `known`: commits whose objects are not looked at.
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
