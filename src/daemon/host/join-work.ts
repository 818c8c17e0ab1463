import { hasFiles, joinOnto, type OwnHead, wholeFrom } from '../../platform/git/own-heads.ts';
import { moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import type { Host } from './host.ts';

/** A ref that keeps work, or HEAD of an agent's worktree. */
export type Work = RefValue & Partial<Pick<OwnHead, 'path'>>;

/**
 * Keeps work with a gap behind its last commit as one commit on the base of its attempt: the files are all there, the commits on the way are not.
 * Answers the refs that still keep nothing whole.
 */
export async function joinWork(
  farm: Pick<Host, 'repo' | 'leader' | 'report'>,
  torn: readonly Work[],
  known: readonly string[],
): Promise<Work[]> {
  const joined = new Map<string, string>();
  const left: Work[] = [];
  // What was not committed is kept as a commit on the last one: that is joined first.
  for (const work of await parentsFirst(farm, torn))
    if (await hasFiles(farm.repo, work.oid, known)) await joinOne(farm, work, joined, known);
    else left.push(work);
  return left;
}

async function parentsFirst({ repo }: Pick<Host, 'repo'>, torn: readonly Work[]): Promise<Work[]> {
  const oids = new Set(torn.map(({ oid }) => oid));
  const later: Work[] = [];
  for (const one of torn) if (oids.has((await resolve(repo, `${one.oid}^`)) ?? '')) later.push(one);
  return [...torn.filter((one) => !later.includes(one)), ...later];
}

async function joinOne(
  { repo, leader, report }: Pick<Host, 'repo' | 'leader' | 'report'>,
  work: Work,
  joined: Map<string, string>,
  known: readonly string[],
): Promise<void> {
  const { ref, oid } = work;
  const base = joined.get((await resolve(repo, `${oid}^`)) ?? '') ?? (await wholeBase({ repo, leader }, work, known));
  const to = joined.get(oid) ?? (await joinOnto(repo, oid, base ? [base] : []));
  joined.set(oid, to);
  // Before the ref moves: after that nothing would tell which entry to change.
  await report({ rewritten: [{ from: oid, to }] });
  if (!(await moveRef(repo, { ref, to, from: oid })).moved) return;
  const where = base ? `on ${base.slice(0, 12)}` : 'without a parent, because git no longer has its base either';
  const text = `${ref} was at ${oid.slice(0, 12)}, and git no longer has all commits behind it: a git gc --prune=now or a git prune took them. All its files are there; they are kept as one commit, ${to.slice(0, 12)}, ${where}`;
  await report({ events: [{ kind: 'ref.joined', text, data: { ref, from: oid, to, base: base ?? null } }] });
}

async function wholeBase(
  { repo, leader }: Pick<Host, 'repo' | 'leader'>,
  work: Work,
  known: readonly string[],
): Promise<string | undefined> {
  const base = await leader.work.baseOf(work);
  return base === undefined ? undefined : wholeFrom(repo, base, known);
}
