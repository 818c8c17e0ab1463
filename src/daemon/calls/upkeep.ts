import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { deleteRefs, isAncestor, listRefs, type RefValue } from '../../platform/git/refs.ts';
import { worktrees } from '../../platform/git/repository.ts';
import { disposable, purgeTrash, TRASH_MS, toTrash } from '../../worktree/dispose.ts';
import { examine } from '../doctor.ts';
import type { Desk } from './context.ts';

export function upkeep(desk: Desk): Pick<Handlers, 'clean' | 'doctor'> {
  return {
    clean: ({ dryRun }) => clean(desk, dryRun),
    doctor: async ({ fix }) => ({ findings: await examine(desk.farm, fix) }),
  };
}

/** Puts away what is proven to hold nothing of its own: worktrees, slots, refs of landed work, old trash. */
async function clean(desk: Desk, dryRun: boolean): Promise<Out<'clean'>> {
  const { farm, state } = desk;
  const removed: Out<'clean'>['removed'] = [];
  const kept: Out<'clean'>['kept'] = [];
  const head = state.queue.head;
  if (!head) throw new FurrowError('TRY_AGAIN', 'the target has not been read yet', { hint: 'furrow status' });
  const busy = new Set(
    (await farm.db.selectFrom('agent').select('worktree').where('attempt', 'is not', null).execute()).map((row) => row.worktree),
  );
  for (const { path } of await worktrees(farm.repo)) {
    const slot = path.startsWith(`${farm.places.slots}/`);
    if (!slot && !path.startsWith(`${farm.places.worktrees}/`)) continue;
    const inUse = slot ? state.queue.running.size > 0 : busy.has(path);
    const verdict = inUse
      ? { ok: false as const, reason: 'in use' }
      : slot
        ? { ok: true as const, landed: [] }
        : await disposable(farm.repo, path, { target: head });
    if (!verdict.ok) kept.push({ path, reason: verdict.reason });
    else {
      if (!dryRun) await toTrash(farm.repo, path, farm.places.trash, verdict.landed);
      removed.push({ path, what: slot ? 'check slot' : 'worktree' });
    }
  }
  const refs = await spentRefs(farm.repo, head, state.queue.running.size > 0, kept);
  const gone = dryRun ? refs.map((one) => one.ref) : await deleteRefs(farm.repo, refs);
  for (const path of gone) removed.push({ path, what: path.startsWith('refs/heads/') ? 'landed branch' : 'ref' });
  if (!dryRun) await purgeTrash(farm.places.trash, TRASH_MS, farm.clock.now());
  for (const name of await readdir(farm.places.trash).catch(() => []))
    kept.push({ path: join(farm.places.trash, name), reason: 'in the trash, for a day' });
  return { removed, kept };
}

/** Refs whose commits the verified head contains: deleting them loses no commit. */
async function spentRefs(repo: Desk['farm']['repo'], head: string, checking: boolean, kept: Out<'clean'>['kept']): Promise<RefValue[]> {
  const spent: RefValue[] = [];
  const used = new Set((await worktrees(repo)).map((one) => one.branch && `refs/heads/${one.branch.replace(/^refs\/heads\//, '')}`));
  for (const prefix of [
    'refs/furrow/pin/',
    'refs/furrow/rescue/',
    'refs/furrow/pin-branch/',
    'refs/furrow/pin-worktree/',
    'refs/furrow/conflict/',
    'refs/furrow/check/',
    'refs/heads/furrow/',
  ]) {
    for (const one of await listRefs(repo, prefix)) {
      const scratch = prefix === 'refs/furrow/conflict/' || (prefix === 'refs/furrow/check/' && !checking);
      if (used.has(one.ref)) kept.push({ path: one.ref, reason: 'checked out in a worktree' });
      else if (scratch || (await isAncestor(repo, one.oid, head))) spent.push(one);
      else kept.push({ path: one.ref, reason: 'it has commits that have not landed' });
    }
  }
  return spent;
}
