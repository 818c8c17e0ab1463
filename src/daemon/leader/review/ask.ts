import { defaultsOf } from '../../../config/load.ts';
import { branchOf } from '../../../journal/branch.ts';
import { reviewBrief } from '../../../queue/review/brief.ts';
import { reviewerKind } from '../../../queue/review/rule.ts';
import { addReview, reviewsOf } from '../../../queue/review/store.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { readSaid } from '../../../work/attempt/end-report.ts';
import { newestAttempt } from '../../../work/attempt/read.ts';
import { findEntry } from '../../../work/entry/read.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { beginErrand } from '../../../work/errand/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { findTaskRow } from '../../../work/task/store.ts';
import { missingProgram } from '../../farm/agent-programs.ts';
import { canStart } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/target-of.ts';
import { taskText } from '../../farm/task-text.ts';
import { phaseForErrand } from '../work/work.ts';
import { reviewOf } from './read.ts';

interface Asking {
  readonly entry: Entry;
  readonly round: number;
  /** The kind that a person asked for. */
  readonly kind?: string | undefined;
  /** `furrow review` asks, not a rule. */
  readonly requested: boolean;
}

/** Asks another agent to review an entry, unless one was already asked. Answers the kind that was asked. */
export async function askReview(farm: Farm, snapshot: QueueSnapshot, asking: Asking): Promise<string | undefined> {
  const { entry, round, requested } = asking;
  const author = await newestAttempt(farm.db, { task: entry.task }, entry.attempt);
  const by = entry.agent === null ? null : (author?.kind ?? farm.config.agent);
  const kind = kindFor(farm, by, asking.kind);
  const brief = await briefFor(farm, snapshot, asking, readSaid(author?.said ?? null));
  const now = farm.clock.now();
  const { phase, id } = splitRef(entry.task);
  const branch = branchOf(entry.task);
  const asked = await farm.db.transaction().execute(async (tx) => {
    const open = (await findEntry(tx, entry.id))?.ended === null;
    const before = await reviewOf(tx, entry);
    if (!open || (before && !(requested && before.state !== 'asked'))) return false;
    const errand = await beginErrand(
      tx,
      {
        purpose: 'review',
        // The name of a branch is not the name of a task.
        about: branch === undefined ? entry.task : null,
        phase: await phaseForErrand(tx, farm, branch === undefined ? phase : null, now),
        kind,
        title: `review ${branch ?? id} at ${entry.sha.slice(0, 8)}`,
        brief,
        base: entry.sha,
        notBy: entry.agent,
      },
      now,
    );
    await addReview(tx, { task: entry.task, sha: entry.sha, round, kind, errand, requested }, now);
    return true;
  });
  if (asked) farm.wake();
  return asked ? kind : undefined;
}

/** The kind of the reviewer. Only kinds that furrow.yaml mentions, and that are installed, are chosen automatically. */
function kindFor(farm: Farm, author: string | null, asked: string | undefined): string {
  const { agents, agent: usual, review } = farm.config;
  const named = (kind: string) => kind === usual || JSON.stringify(agents[kind]) !== JSON.stringify(defaultsOf(kind));
  const canReview = (kind: string) => agents[kind]!.role === 'agent' && canStart(farm.config, kind) && !missingProgram(farm, kind);
  const kinds = Object.keys(agents).filter((kind) => named(kind) && canReview(kind));
  return reviewerKind({ asked, configured: review.kind, author, kinds, usual });
}

async function briefFor(farm: Farm, snapshot: QueueSnapshot, { entry, round }: Asking, said: ReturnType<typeof readSaid>): Promise<string> {
  const base = await farm.git.sinceTarget(targetOf(entry, farm), entry.sha);
  return reviewBrief({
    task: await taskOf(farm, entry),
    change: { base, commit: entry.sha, ...(await farm.git.patchOf(base, entry.sha)) },
    summary: said && 'done' in said ? said.done : null,
    checks: checkLines(snapshot, entry.id),
    earlier: (await reviewsOf(farm.db, [entry.task])).filter(({ state }) => state === 'findings'),
    round,
  });
}

/** The task as its file says it now; of a branch there is only the name. */
async function taskOf(farm: Farm, entry: Entry): Promise<{ id: string; title: string; body: string }> {
  const task = await findTaskRow(farm.db, entry.task);
  const id = branchOf(entry.task) ?? splitRef(entry.task).id;
  return task?.file ? { id, title: task.title, body: await taskText(farm, task) } : { id, title: entry.title, body: '' };
}

/** The state of each check on the work merged onto the head, one line each. */
function checkLines({ entries, checks, stacked, runs }: QueueSnapshot, id: number): string[] {
  const own = entries.find((entry) => entry.id === id)?.own ?? [];
  const merged = stacked.get(String(id));
  return [...checks, ...own].map(({ id: check, name }) => {
    const run = merged?.kind === 'clean' ? runs.findLast((one) => one.tree === merged.tree && one.check === check) : undefined;
    if (!run || run.outcome === 'error') return `${name}: not run yet`;
    return run.outcome === 'pass'
      ? `${name}: passed`
      : `${name}: failed${run.detail ? ` (${run.detail})` : ''}. Output: ${run.log ?? 'none'}`;
  });
}
