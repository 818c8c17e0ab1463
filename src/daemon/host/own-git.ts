import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder, readIfThere, writeWhole } from '../../platform/files.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { linkedAt } from '../../platform/git/admin.ts';
import { discard, trashNear } from '../../platform/git/trash.ts';
import { userConfig } from '../../platform/git/user.ts';
import { limiter } from '../../platform/limit.ts';
import { bringHome } from '../../repo/fence/bring-home.ts';
import { makeOwnGit, type OwnGit, ownGitAt, removeOwnGit } from '../../repo/fence/own-git.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import type { AgentHost, Host, OwnGits } from './host.ts';

const placeOf = (farm: Pick<Host, 'places'>, agent: string): OwnGit => ownGitAt(join(farm.places.dir, 'homes', agent, 'git'));
/** The attempt that it was made for. */
const forFile = (own: OwnGit) => `${own.folder}.attempt`;

/** Makes the repository of an attempt, or finds the one that its first start has made. */
export async function ownGitFor(farm: AgentHost, attempt: number, agent: string, linked: Linked): Promise<OwnGit> {
  await privateFolder(join(farm.places.dir, 'homes', agent));
  const own = placeOf(farm, agent);
  const before = await readIfThere(forFile(own));
  if (before !== undefined && before !== String(attempt)) await putAside(farm, own);
  await writeWhole(forFile(own), String(attempt));
  await makeOwnGit(farm.repo, linked, own);
  return own;
}

/** One that could not be taken over is kept in the trash; the answer is where. */
async function putAside(farm: AgentHost, own: OwnGit): Promise<string | undefined> {
  const there = await stat(own.folder).catch(() => undefined);
  const kept = there && (await discard(own.folder, await trashNear(farm.repo, own.folder), 'own-git'));
  await removeOwnGit(own);
  return kept;
}

async function bringAll(farm: AgentHost, own: OwnGit, row: Attempt): Promise<string | undefined> {
  try {
    await bring(farm, own, row, new Set(), true);
    return undefined;
  } catch (error) {
    const why = (error as Error).message;
    farm.log.warn({ agent: row.agent, error: why }, 'work could not be taken over');
    return `${why}; its repository is kept as ${await putAside(farm, own)}`;
  }
}

export function ownGits(farm: () => AgentHost): OwnGits {
  const turns = new Map<string, ReturnType<typeof limiter>>();
  const inTurn = <T>(agent: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(agent) ?? limiter(1);
    turns.set(agent, turn);
    return turn(work);
  };
  const seen = new Map<string, { readonly signs: string; readonly brought: Set<string> }>();
  return {
    look: (agent) =>
      inTurn(agent, async () => {
        const own = placeOf(farm(), agent);
        const attempt = await readIfThere(forFile(own));
        const now = attempt === undefined ? undefined : await signs(farm(), own, agent);
        if (now === undefined || seen.get(agent)?.signs === now) return;
        const known = seen.get(agent)?.brought ?? new Set<string>();
        // One that failed is begun anew: what has come before may have been cleared away since.
        seen.delete(agent);
        const row = await farm().leader.attempts.find(Number(attempt));
        if (!row) return;
        await bring(farm(), own, row, known);
        seen.set(agent, { signs: now, brought: known });
      }),
    end: (row) =>
      inTurn(row.agent, async () => {
        const own = placeOf(farm(), row.agent);
        if ((await readIfThere(forFile(own))) !== String(row.id)) return undefined;
        seen.delete(row.agent);
        const failed = (await stat(own.folder).catch(() => undefined)) && (await bringAll(farm(), own, row));
        await removeOwnGit(own);
        return failed;
      }),
  };
}

/** Changes with every commit and every staged file; undefined: there is no such repository. */
async function signs(farm: AgentHost, own: OwnGit, agent: string): Promise<string | undefined> {
  const linked = await worktreeOf(farm, agent);
  const admin = join(own.folder, 'worktrees', linked?.name ?? '');
  const files = ['index', 'HEAD', 'logs/HEAD', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply'].map((name) =>
    stat(join(admin, name), { bigint: true }).catch(() => undefined),
  );
  const found = await Promise.all(files);
  return found[0] && found.map((one) => (one ? `${one.ino} ${one.size} ${one.mtimeNs}` : '')).join(',');
}

async function worktreeOf(farm: AgentHost, name: string): Promise<Linked | undefined> {
  const agent = await farm.leader.attempts.agent(name);
  return agent && linkedAt(farm.repo, agent.worktree);
}

async function bring(farm: AgentHost, own: OwnGit, row: Attempt, brought: Set<string>, all = false): Promise<void> {
  const linked = await worktreeOf(farm, row.agent);
  if (!linked) return;
  const keep = `refs/furrow/pin-own/${row.agent}/${row.id}`;
  const { lfs } = await userConfig(farm.repo);
  await bringHome({
    ...{ repo: farm.repo, linked, branch: row.branch, own, brought, large: lfs?.storage },
    ...(all && { keep }),
  });
}
