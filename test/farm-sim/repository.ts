import type { Repository } from '../../src/daemon/farm/repository.ts';
import { type Adopted, type AdoptOptions, DIVERGED } from '../../src/repo/merge/adopt.ts';
import type { TakenOut } from '../../src/repo/merge/taken-out.ts';
import { headRef, seenRef } from '../../src/repo/merge/target-refs.ts';
import type { Carried } from '../../src/repo/merge/unpublished.ts';
import type { Objects } from './objects.ts';
import { SimStack } from './stack.ts';
import { REMOTE } from './world.ts';

const UNPUBLISHED = 'refs/furrow/pin/unpublished/';
const FURROW = { name: 'furrow', email: 'furrow@localhost' };

/** What the leader asks of a repository, answered from memory. A question that nobody has simulated yet fails loudly. */
export function simulatedRepository(objects: Objects, merges: (head: string) => void = () => {}): Repository {
  const worksOf = (not: string | undefined, commit: string) =>
    objects.without(commit, not === undefined ? [] : [not]).flatMap(({ works }) => works);
  const change = (before: string, after: string) => (path: string) => {
    const [old, now] = [objects.files(before).get(path), objects.files(after).get(path)];
    const mode = '100644';
    return { path, status: now === undefined ? 'D' : old === undefined ? 'A' : 'M', mode, oid: now ?? '', old: { mode, oid: old ?? '' } };
  };
  const answers: Partial<Repository> = {
    adopt: (target, options) => adopt(objects, target, options),
    addedTo: async (head, sha) => (objects.find(sha) ? objects.without(sha, [head]).map(({ id }) => id) : []),
    assertNoBranchInWay: async () => {},
    branchStamp: (branch) => objects.ref(`refs/heads/${branch}`) ?? '-',
    bringsBack: async (head, sha, out) => bringsBack(objects, head, sha, out),
    carriedTasks: async (head) => carried(objects, UNPUBLISHED, head),
    changedLines: async (before, after) => objects.changed(before, after).length,
    changes: async (steps) => steps.map(({ before, after }) => objects.changed(before, after).map(change(before, after))),
    checkedOut: () => 'branch main',
    checkoutMoves: async () => [],
    checkoutStamp: () => '-',
    commitsOf: async (head, shas) =>
      shas.map((sha) => objects.without(sha, [head]).map(({ id, parents, subject }) => ({ sha: id, parents, text: subject }))),
    commitsWithout: async (to, others) => objects.without(to, others).map(({ id }) => id),
    contentOf: async () => undefined,
    createRef: async (ref, oid) => void objects.move(ref, oid),
    deleteRefs: async (refs) => {
      for (const { ref } of refs) objects.drop(ref);
      return [];
    },
    diffPaths: async (before, after) => objects.changed(before, after),
    filesIn: async (tree) => [...objects.files(tree).keys()],
    forkOf: async (head, sha) => (objects.find(sha) ? (objects.fork(head, sha) ?? null) : undefined),
    hooksFolder: async () => undefined,
    identityOf: async () => FURROW,
    isAncestor: async (one, of) => objects.isAncestor(one, of),
    isHalfWay: () => false,
    isHeadAt: (target, head) => objects.ref(headRef(target)) === head,
    laggards: async () => [],
    landedBetween: async (not, commit) => new Set(worksOf(not, commit).map(({ ref, attempt }) => `${ref} ${attempt}`)),
    landingsTakenOut: async (head) => carried(objects, DIVERGED, head),
    lastMove: async () => undefined,
    listRefs: async (prefix) => objects.refsBelow(prefix),
    movesOfBranch: () => [],
    noBranch: () => undefined,
    async openStack(terms) {
      merges(terms.head);
      return new SimStack(objects, terms);
    },
    patchOf: async () => ({ stat: '', patch: '', cut: false }) as never,
    protectedLinks: async () => [],
    readProject: async () => ({ files: [], texts: new Map() }) as never,
    readSteps: async (steps) => steps.map(({ before, after }) => ({ paths: objects.changed(before, after), found: [] })),
    remoteStamp: () => objects.ref(REMOTE) ?? '-',
    resolve: async (name) => objects.find(name)?.id,
    resolveAll: async (names) => names.map((name) => objects.find(name)?.id) as never,
    sinceTarget: async (target, sha) => objects.fork(`refs/heads/${target}`, sha) ?? sha,
    subjectOf: async (commit) => objects.at(commit).subject,
    subjectsBetween: async (from, to, most) =>
      objects
        .without(to, [from])
        .slice(0, most)
        .map(({ id, subject }) => ({ commit: id, subject })),
    takenOut: async (head) => takenOut(objects, head),
    treeOf: async (name) => objects.treeOf(name),
    unpublishedLandings: async () => objects.refsBelow(UNPUBLISHED).map(({ oid }) => oid),
    worksBetween: async (not, commit) => worksOf(not, commit) as never,
  };
  return new Proxy(answers, {
    get(known, name) {
      const answer = known[name as keyof Repository];
      if (answer !== undefined || typeof name === 'symbol') return answer;
      throw new Error(`the simulated repository was asked: ${name}`);
    },
  }) as Repository;
}

const pinnedBelow = (objects: Objects, prefix: string, head: string) =>
  objects.refsBelow(prefix).flatMap(({ oid }) => objects.without(oid, [head]));

/** The commits below some pins that a head has not, with the tasks that each landed. */
const carried = (objects: Objects, prefix: string, head: string): Carried =>
  new Map(pinnedBelow(objects, prefix, head).map(({ id, works }) => [id, works]));

/** People's own commits that were on the target and no longer are. */
function takenOut(objects: Objects, head: string): Map<string, TakenOut> {
  const found = new Map<string, TakenOut>();
  for (const { oid } of objects.refsBelow(DIVERGED))
    for (const { id, works, subject } of objects.firstParents(oid, head)) if (works.length === 0) found.set(id, { commit: id, subject });
  return found;
}

/** As in git: a branch may start on such a commit, so only a merge that gives another tree than its own changes counts. */
function bringsBack(objects: Objects, head: string, sha: string, out: ReadonlyMap<string, TakenOut>): TakenOut | undefined {
  const below = objects.without(sha, [head]).find(({ id }) => out.has(id))?.id;
  const fork = below && objects.fork(head, sha);
  if (!below || !fork) return undefined;
  const { tree } = objects.at(head);
  const [merged, own] = [objects.merge(fork, tree, sha), objects.merge(below, tree, sha)];
  if (merged.conflicts.length > 0) return undefined;
  return own.conflicts.length === 0 && own.tree === merged.tree ? undefined : out.get(below);
}

/** Follows the user's branch as `adopt` does in git. Nothing is lost or planted here, so those parts of it are left out. */
async function adopt(objects: Objects, target: string, { known, store }: AdoptOptions): Promise<Adopted> {
  const [ref, branch] = [headRef(target), `refs/heads/${target}`];
  const told = await known();
  const user = objects.at(branch).id;
  let head = objects.ref(ref);
  if (told.head !== undefined && head !== told.head) {
    // The trace of a crash between the store and the ref.
    objects.move(ref, told.head);
    head = told.head;
  }
  const next = compared(objects, { head, user, seen: objects.ref(seenRef(target)) }, told.landings);
  if (next.moved === 'diverged') objects.move(`${DIVERGED}${head}`, head!);
  for (const commit of next.requeue) objects.move(`${UNPUBLISHED}${commit}`, commit);
  if (next.moved !== 'none') await store(next);
  if (next.moved !== 'none') objects.move(ref, next.head);
  objects.move(seenRef(target), user);
  return next;
}

function compared(
  objects: Objects,
  { head, user, seen }: { head: string | undefined; user: string; seen: string | undefined },
  landings: ReadonlyMap<string, { readonly published: boolean }>,
): Adopted {
  const stays = { requeue: [], removed: [] };
  if (head === undefined) return { head: user, moved: 'created', ...stays };
  if (head === user) return { head, moved: 'none', ...stays };
  if (objects.isAncestor(head, user)) return { head: user, moved: 'followed', from: head, ...stays };
  const chain = objects
    .firstParents(head, user)
    .map(({ id }) => id)
    .reverse();
  const unseen = new Set(chain.filter((one) => seen === undefined || !objects.isAncestor(one, seen)));
  const had = (commit: string) => landings.get(commit)?.published !== false || !unseen.has(commit);
  if (objects.isAncestor(user, head) && !chain.some(had)) return { head, moved: 'none', ...stays };
  const ours = chain.filter((commit) => landings.has(commit));
  return { head: user, moved: 'diverged', from: head, requeue: ours.filter((one) => !had(one)), removed: ours.filter(had) };
}
