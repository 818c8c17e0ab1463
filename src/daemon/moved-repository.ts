import { forsakeAgents } from '../agents/agent/store.ts';
import { forsakeIntents } from '../journal/act.ts';
import { append } from '../journal/event.ts';
import type { Db } from '../journal/store.ts';
import { forgetMeta } from '../journal/store.ts';
import type { Identity } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { usualHome } from '../platform/places.ts';
import { killTree } from '../platform/process/kill.ts';
import { serversAt } from '../platform/tmux/server.ts';
import { adoptWorktrees } from '../repo/worktree/adopt.ts';
import { advanceAttempt, openAttempts } from '../work/attempt/store.ts';
import { advanceAllWork } from '../work/store.ts';
import { advance } from '../work/task/store.ts';
import { endStrays } from './host/strays.ts';

/**
 * Puts right what another path of the repository made wrong, before anything is written under the new one: killed on the
 * way, the next daemon finds the same and does it again.
 */
export async function arrive(repo: Repo, db: Db, identity: Identity, tmuxAt: (root: string) => string, now: number): Promise<void> {
  const { before, fate, file } = identity;
  if (!before || (fate !== 'moved' && fate !== 'copied')) return;
  const was = { root: before.root ?? '', gitDir: before.gitDir, home: before.home ?? usualHome(before.root ?? '') };
  if (fate === 'copied') await leaveOriginal(db, was.root, now);
  else {
    // Their scripts, hooks and exit files have the old path: they end as crashed, once, and their tasks go on.
    await endStrays(file.id);
    for (const root of serversAt(tmuxAt(was.root))) await killTree({ root, marker: `${file.id}.tmux` }, 0);
    const text = `the repository was moved from ${was.root} to ${repo.root}; attempts that ran are started again`;
    await db.transaction().execute((tx) => append(tx, { kind: 'farm.moved', text, data: { from: was.root, to: repo.root } }, now));
  }
  await adoptWorktrees(repo, was, fate === 'copied');
}

/** In a copy, what ran runs in the original: it is not ours to watch, to end or to answer. */
async function leaveOriginal(db: Db, original: string, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const reason = `the repository was copied from ${original}, where it goes on`;
    for (const { id, task, n } of await openAttempts(tx)) {
      await advanceAttempt(tx, id, { on: 'ended' }, { ended: now, outcome: 'stopped', reason, pid: null, pid_start: null });
      await advance(tx, task, { on: 'stopped', token: n }, now, { tell: { status: 'todo' } });
    }
    await forsakeAgents(tx, now);
    await advanceAllWork(tx, { on: 'left' });
    await forsakeIntents(tx, now);
    await forgetMeta(tx, 'hook.port');
    await append(
      tx,
      { kind: 'farm.copied', text: `this repository is a copy of ${original}; its agents start anew here`, data: { from: original } },
      now,
    );
  });
}
