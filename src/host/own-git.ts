import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { passedEnvironment } from '../agent/environment.ts';
import { readAgent } from '../agent/store.ts';
import type { Attempt } from '../attempt/store.ts';
import { readAttempt } from '../attempt/store.ts';
import { fenceArguments } from '../fence/arguments.ts';
import { bringHome, type Inside } from '../fence/bring-home.ts';
import { openFence } from '../fence/open.ts';
import { makeOwnGit, type OwnGit, ownGitAt, removeOwnGit } from '../fence/own-git.ts';
import { exec } from '../platform/exec.ts';
import { privateFolder, readIfThere, writeWhole } from '../platform/files.ts';
import type { Linked } from '../platform/git/admin.ts';
import { linkedAt } from '../platform/git/admin.ts';
import { discard, trashNear } from '../platform/git/trash.ts';
import { limiter } from '../platform/limit.ts';
import type { Host, OwnGits } from './host.ts';
import { ownFolders } from './own-folders.ts';

const placeOf = (farm: Pick<Host, 'places'>, agent: string): OwnGit => ownGitAt(join(farm.places.dir, 'homes', agent, 'git'));
/** The attempt that it was made for. */
const forFile = (own: OwnGit) => `${own.folder}.attempt`;

/** Makes the repository of an attempt, or finds the one that its first start has made. */
export async function ownGitFor(farm: Host, attempt: number, agent: string, linked: Linked): Promise<OwnGit> {
  await privateFolder(join(farm.places.dir, 'homes', agent));
  const own = placeOf(farm, agent);
  const before = await readIfThere(forFile(own));
  if (before !== undefined && before !== String(attempt)) await putAside(farm, own);
  await writeWhole(forFile(own), String(attempt));
  await makeOwnGit(farm.repo, linked, own);
  return own;
}

/** One that could not be taken over is kept in the trash. */
async function putAside(farm: Host, own: OwnGit): Promise<void> {
  if (await stat(own.folder).catch(() => undefined)) await discard(own.folder, await trashNear(farm.repo, own.folder), 'own-git');
  await removeOwnGit(own);
}

const JAIL_MS = 120_000;

/** A fence around git in that repository: no network, nothing of the agent's but the repository and the worktree. */
async function jailOf(farm: Host, linked: Linked, own: OwnGit): Promise<Inside> {
  const env = { ...passedEnvironment(process.env), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const { SSH_AUTH_SOCK: _keys, TMPDIR: _outside, ...known } = env as Record<string, string>;
  const fence = await openFence({
    ...{ repo: farm.repo, linked, strict: { own }, ours: ownFolders(farm), mounts: [], env: known },
    ...{ kept: join(farm.places.dir, 'caches'), programs: ['git'], read: [], write: [], passed: [] },
  });
  const cwd = linked.path ?? '/';
  return (line, options) => {
    const [first, ...rest] = [...fenceArguments(fence), 'sh', '-c', line];
    return exec([first!, ...rest], { cwd, env: known, timeoutMs: JAIL_MS, ...options });
  };
}

export function ownGits(farm: () => Host): OwnGits {
  const turns = new Map<string, ReturnType<typeof limiter>>();
  const inTurn = (agent: string, work: () => Promise<void>) => {
    const turn = turns.get(agent) ?? limiter(1);
    turns.set(agent, turn);
    return turn(work);
  };
  const seen = new Map<string, string>();
  return {
    look: (agent) =>
      inTurn(agent, async () => {
        const own = placeOf(farm(), agent);
        const attempt = await readIfThere(forFile(own));
        const now = attempt === undefined ? undefined : await signs(farm(), own, agent);
        if (now === undefined || seen.get(agent) === now) return;
        await bring(farm(), own, await readAttempt(farm().db, Number(attempt)), false);
        seen.set(agent, now);
      }),
    end: (row) =>
      inTurn(row.agent, async () => {
        const own = placeOf(farm(), row.agent);
        if ((await readIfThere(forFile(own))) !== String(row.id)) return;
        seen.delete(row.agent);
        if (await stat(own.folder).catch(() => undefined))
          await bring(farm(), own, row, true).catch(async (error: Error) => {
            farm().log.warn(
              { agent: row.agent, error: error.message },
              'work could not be taken over; the repository is kept in the trash',
            );
            await putAside(farm(), own);
          });
        await removeOwnGit(own);
      }),
  };
}

/** Changes with every commit and every staged file; undefined: there is no such repository. */
async function signs(farm: Host, own: OwnGit, agent: string): Promise<string | undefined> {
  const linked = await linkedAt(farm.repo, (await readAgent(farm.db, agent)).worktree);
  const admin = join(own.folder, 'worktrees', linked?.name ?? '');
  const files = ['index', 'HEAD', 'logs/HEAD', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply'].map((name) =>
    stat(join(admin, name), { bigint: true }).catch(() => undefined),
  );
  const found = await Promise.all(files);
  return found[0] && found.map((one) => (one ? `${one.ino} ${one.size} ${one.mtimeNs}` : '')).join(',');
}

async function bring(farm: Host, own: OwnGit, row: Attempt, all: boolean): Promise<void> {
  const linked = await linkedAt(farm.repo, (await readAgent(farm.db, row.agent)).worktree);
  if (!linked) return;
  const inside = await jailOf(farm, linked, own);
  const keep = `refs/furrow/pin-own/${row.agent}/${row.id}`;
  await bringHome({ repo: farm.repo, linked, branch: row.branch, own, inside, known: [row.base], ...(all && { keep }) });
}
