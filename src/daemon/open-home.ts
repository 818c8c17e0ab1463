import { agentsOf, moveAgent } from '../agents/agent/store.ts';
import { append } from '../journal/event.ts';
import type { Db } from '../journal/store.ts';
import { type Identity, writeFarmFile } from '../platform/farm-file.ts';
import { linkedWorktrees } from '../platform/git/admin.ts';
import { listRefs, resolve } from '../platform/git/refs.ts';
import type { Repo } from '../platform/git/run.ts';
import { formerPlaces, isBelow, placesOf } from '../platform/places.ts';
import { EPOCH } from '../repo/merge/epoch.ts';
import { headRef } from '../repo/merge/target-refs.ts';
import { idInHome, leaveHome, takeHome } from '../repo/worktree/home.ts';
import { type Relocated, type Roots, reasonToStay, relocate } from '../repo/worktree/relocate.ts';
import { arrive } from './moved-repository.ts';

interface HomeOrder {
  readonly identity: Identity;
  /** `worktree.root` of the configuration. */
  readonly asked: string | undefined;
  readonly target: string;
  /** The tmux socket of a farm, by the root of its repository. */
  readonly tmuxAt: (root: string) => string;
  readonly now: number;
}

interface OpenedHome {
  readonly id: string;
  readonly repo: Repo;
}

/**
 * Finds out who this farm is and where its worktrees are, and brings worktrees of an earlier place to the one in force.
 * The place is a stored fact: another `worktree.root` holds once every worktree can be moved there, and not before.
 */
export async function openHome(found: Repo, db: Db, order: HomeOrder): Promise<OpenedHome> {
  const { identity, asked, target, now } = order;
  const { fate } = identity;
  // Only where a daemon has been: a new clone at the path of an old one is another repository.
  const recalled = fate === 'new' && (await listRefs(found, EPOCH)).length > 0 ? await idInHome(found, asked) : undefined;
  const file = { ...identity.file, ...(recalled && { id: recalled }) };
  await arrive(found, db, identity, order.tmuxAt, now);
  // In a repository that was moved nothing runs any more.
  const busy = fate === 'moved' ? new Set<string>() : await busyWorktrees(db);
  const root = asked ?? null;
  const keeps = fate !== 'moved' && file.asked === root;
  const stays = file.home !== undefined && (keeps || (await mustStay({ ...found, home: file.home }, busy)));
  const home = await takeHome(found, file.id, asked, stays ? file.home : undefined);
  const leaving = file.leaving ?? (file.home === home ? undefined : file.home);
  const next = { ...file, home, asked: stays ? (file.asked ?? null) : root };
  await writeFarmFile(found, { ...next, ...(leaving && { leaving }) });
  const repo = { ...found, home };
  const landed = { target: (await resolve(repo, headRef(target))) ?? `refs/heads/${target}` };
  const to = placesOf(repo.root, home);
  const moved: Relocated[] = [];
  const leave = async (from: Roots, at: Repo) => moved.push(...(await relocate({ repo: at, from, to, landed, busy })));
  await leave(formerPlaces(repo.root), repo);
  if (leaving) {
    await leave(placesOf(repo.root, leaving), { ...found, home: leaving });
    await leaveHome(leaving);
  }
  await follow(db, repo, moved, { all: fate === 'moved', now });
  const { leaving: _, ...settled } = next;
  if (leaving) await writeFarmFile(found, settled);
  return { id: file.id, repo };
}

async function busyWorktrees(db: Db): Promise<Set<string>> {
  const busy = (await agentsOf(db)).filter(({ attempt }) => attempt !== null);
  return new Set(busy.map((agent) => agent.worktree));
}

/** A home is left as a whole or not at all, so that there is one place in force. */
async function mustStay(repo: Repo, busy: ReadonlySet<string>): Promise<boolean> {
  const { worktrees } = placesOf(repo.root, repo.home);
  for (const linked of await linkedWorktrees(repo)) {
    const { path } = linked;
    if (path && isBelow(path, worktrees) && (await reasonToStay({ busy }, linked, path, ''))) return true;
  }
  return false;
}

/** The store follows: an agent that is free works at the place in force from now on. */
async function follow(db: Db, repo: Repo, moved: readonly Relocated[], { all, now }: { all: boolean; now: number }): Promise<void> {
  const places = placesOf(repo.root, repo.home);
  await db.transaction().execute(async (tx) => {
    const kept = new Set(moved.flatMap((one) => (one.kept ? [one.path] : [])));
    for (const agent of await agentsOf(tx)) {
      const worktree = `${places.worktrees}/${agent.phase}/${agent.name}`;
      if ((agent.attempt !== null && !all) || agent.worktree === worktree || kept.has(agent.worktree)) continue;
      await moveAgent(tx, agent.name, worktree);
    }
    for (const { path, to, kept: why } of moved) {
      const text = why
        ? `${path} stays where it is for now: ${why}`
        : to
          ? `${path} is now ${to}`
          : `${path} held nothing of its own and is in the trash`;
      await append(tx, { kind: why ? 'worktree.stays' : to ? 'worktree.moved' : 'worktree.disposed', text, data: { path, to } }, now);
    }
  });
}
