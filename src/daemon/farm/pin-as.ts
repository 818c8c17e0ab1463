import { createRef, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';

/** Keeps a commit under a pin. A name that is taken by another commit must not cost the work: it gets one beside it. */
export async function pinAs(repo: Repo, ref: string, oid: string): Promise<string> {
  const there = await resolve(repo, ref);
  const name = there && there !== oid ? `${ref}-${oid.slice(0, 12)}` : ref;
  await createRef(repo, name, oid);
  return name;
}
