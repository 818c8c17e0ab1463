import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { commitTree } from '../../platform/git/objects.ts';
import { assertPlain, moveRef, resolve } from '../../platform/git/refs.ts';
import { operationInProgress } from '../../platform/git/repository.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Identity } from '../../platform/git/user.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { type Frozen, freeze } from './freeze.ts';
import { ownWorktree } from './own.ts';

const US: Identity = { name: 'furrow', email: 'furrow@localhost' };

/**
 * A commit of everything that a worktree has and its HEAD has not: changed, staged, untracked (not ignored), half-merged files. The
 * worktree's index, HEAD and refs stay as they are. Staged content that differs from both HEAD and the files is the commit's second parent;
 * commits that a merge or rebase under way holds are further ones. `undefined`: nothing.
 */
export async function snapshot(repo: Repo, path: string, message: string, at = Date.now()): Promise<string | undefined> {
  return (await save(repo, await ownWorktree(repo, path), message, at)).commit;
}

/** Does the same, and names the nested repositories that it could not save. */
export async function save(
  repo: Repo,
  linked: Linked,
  message: string,
  at: number,
): Promise<{ commit: string | undefined; nested: readonly string[] }> {
  return freeze(repo, linked, async (frozen) => {
    const commit = (tree: string, parents: readonly string[], text: string) =>
      commitTree(repo, { tree, parents, message: text, author: US, committer: US, at });
    const base = frozen.head ? [frozen.head] : [];
    const besides = await heldByOperation(repo, linked, frozen);
    if (frozen.staged && frozen.staged !== frozen.headTree && frozen.staged !== frozen.tree) {
      besides.unshift(await commit(frozen.staged, base, `staged in: ${message}`));
    }
    const nothing = frozen.tree === frozen.headTree && besides.length === 0;
    return { commit: nothing ? undefined : await commit(frozen.tree, [...base, ...besides], message), nested: frozen.nested };
  });
}

const HELD = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'MERGE_AUTOSTASH',
  'rebase-merge/orig-head',
  'rebase-merge/autostash',
  'rebase-apply/orig-head',
  'rebase-apply/autostash',
];

/** Commits that only the files of a merge, pick or rebase under way may name. */
async function heldByOperation(repo: Repo, linked: Linked, frozen: Frozen): Promise<string[]> {
  const texts = await Promise.all(HELD.map((file) => readIfThere(join(linked.admin, file)).catch(() => undefined)));
  const named = new Set(texts.flatMap((text) => text?.match(/^[0-9a-f]{40,64}$/gm) ?? []));
  const found = await Promise.all([...named].map((oid) => resolve(repo, oid)));
  return found.filter((oid): oid is string => oid !== undefined && oid !== frozen.head);
}

interface CommitAll {
  readonly branch: string;
  readonly message: string;
  readonly author: Identity;
  readonly at: number;
}

/**
 * Commits everything for an agent that has ended, without running git's `commit` in its folder: the branch moves by compare-and-swap, and
 * the index that made the tree becomes the worktree's own. Returns the tip. Safe to repeat.
 */
export async function commitAll(repo: Repo, path: string, what: CommitAll): Promise<string> {
  const linked = await ownWorktree(repo, path);
  const ref = `refs/heads/${what.branch}`;
  assertPlain(repo, ref);
  if (linked.head !== `ref: ${ref}`)
    throw new FurrowError('WRONG_BRANCH', `${path} is not on ${what.branch}`, { hint: `git -C ${quotedIfNeeded(path)} status` });
  const operation = operationInProgress(linked.admin);
  if (operation)
    throw new FurrowError('OPERATION_IN_PROGRESS', `${path} is in the middle of a ${operation}`, {
      hint: `git -C ${quotedIfNeeded(path)} status`,
    });
  return freeze(repo, linked, async (frozen) => {
    const parents = frozen.head ? [frozen.head] : [];
    let tip = frozen.head;
    if (!tip || frozen.tree !== frozen.headTree) {
      const { message, author, at } = what;
      tip = await commitTree(repo, { tree: frozen.tree, parents, message, author, committer: author, at });
      const move = await moveRef(repo, { ref, to: tip, from: frozen.head ?? null });
      if (!move.moved)
        throw new FurrowError('BRANCH_MOVED', `${what.branch} moved while its work was being committed`, {
          hint: `git log ${what.branch}`,
        });
    }
    if (frozen.staged !== frozen.tree) await installIndex(linked, frozen.index);
    return tip;
  });
}

/**
 * Replaces an index by git's own protocol, lock then rename, by hand: both replace a planted link where git would follow it. The rename
 * keeps the file's time, by which git finds entries whose files changed in the same second (a copy would hide them).
 */
async function installIndex(linked: Linked, index: string): Promise<void> {
  const lock = join(linked.admin, 'index.lock');
  const held = await open(lock, 'wx').catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new FurrowError('WORKTREE_BUSY', `another git is writing in ${linked.path}`, { hint: `ls -l ${quotedIfNeeded(lock)}` });
  });
  await held.close();
  try {
    await rename(index, join(linked.admin, 'index'));
  } finally {
    await unlink(lock);
  }
}
