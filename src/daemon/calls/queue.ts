import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { branchRef } from '../../journal/branch.ts';
import { append } from '../../journal/event.ts';
import { FurrowError } from '../../platform/error.ts';
import { createRef } from '../../platform/git/refs.ts';
import { dependencyCycle } from '../../queue/dependency-cycle.ts';
import { recentLandings } from '../../queue/landing/read.ts';
import { entriesOf } from '../../queue/landing/store.ts';
import { waitsForPerson } from '../../queue/waits-for-person.ts';
import { subjectOf } from '../../repo/merge/commit-subject.ts';
import { anyState } from '../../tell/face/states.ts';
import { entriesOfCommit, findEntry, openEntries, openEntryOf, timesSubmitted } from '../../work/entry/read.ts';
import { ended } from '../../work/entry/state.ts';
import { advanceEntry, type Entry, submitEntry } from '../../work/entry/store.ts';
import { indexTasks, resolve as resolveTask } from '../../work/task/derive.ts';
import { splitRef } from '../../work/task/id.ts';
import { advance, type Task } from '../../work/task/store.ts';
import { openHalt } from '../farm/failed-output.ts';
import { failingAbout } from '../farm/failing.ts';
import type { Farm } from '../farm/farm.ts';
import { assertNotLanding } from '../farm/landing-now.ts';
import { handPin, unqueuePins } from '../farm/pins.ts';
import { dispatchSnapshot, readRows } from '../farm/snapshot.ts';
import { landRule, reportedIn, rulesFor } from '../leader/queue/approval.ts';
import { readNow } from '../leader/queue/paths.ts';
import { priorityOf, queueSnapshot } from '../leader/queue/snapshot.ts';
import { letGoOn } from '../leader/stop.ts';
import type { Desk } from './context.ts';
import { handIn } from './hand-in.ts';
import { findWork } from './subject.ts';
import { until } from './wait-until.ts';
import { whyEntry } from './why.ts';

export function queue(desk: Desk): Pick<Handlers, 'eject' | 'submit' | 'entryEnded'> {
  const { farm, feed } = desk;
  const { db } = farm;
  return {
    async eject({ task: asked }) {
      const now = farm.clock.now();
      const { ref, name } = await queuedSubject(farm, asked);
      const entry = await openEntryOf(db, ref);
      if (!entry) throw new FurrowError('NOT_QUEUED', `${name} is not in the queue`, { hint: 'furrow queue' });
      await db.transaction().execute(async (tx) => {
        await assertNotLanding(tx, entry);
        const gone = await advanceEntry(tx, entry.id, { on: 'cancelled' }, now, { reason: 'taken out by you' });
        if (!gone) throw new FurrowError('NOT_QUEUED', `${name} has just left the queue`, { hint: 'furrow queue' });
        await advance(tx, entry.task, { on: 'parked', token: entry.attempt }, now, {
          blocked: 1,
          block_reason: 'taken out of the queue',
          tell: { status: 'todo', blocked: 'taken out of the queue' },
        });
        await append(
          tx,
          {
            kind: 'entry.cancelled',
            task: entry.task,
            attempt: entry.attempt,
            text: `${name} was taken out of the queue; its commits stay at ${entry.sha.slice(0, 8)}`,
          },
          now,
        );
      });
      await unqueuePins(farm.git, entry.task);
      farm.wake();
      return { task: name };
    },

    async submit({ branch: said, here = false, task: name, after, priority, keepCommits, again: orWait }, { caller }) {
      const { branch, sha, task, uncommitted, putBack } = await handIn(farm, { branch: said, here, task: name, by: caller.kind });
      const { priorities } = farm.board.config;
      if (priority !== undefined && !priorities.includes(priority)) {
        throw new FurrowError('NO_PRIORITY', `the board has no priority ${priority}`, { hint: `say one of ${priorities.join(', ')}` });
      }
      const now = farm.clock.now();
      const asked = await Promise.all((after ?? []).map(async (one) => (await findWork(farm, one)).ref));
      const needs = [...new Set([...asked, ...(task ? await dependencies(farm, task) : [])])];
      const ref = task?.ref ?? branchRef(branch);
      const n = (task?.attempt ?? (await timesSubmitted(db, ref))) + 1;
      const { id } = splitRef(ref);
      const named = task ?? { ref, id, title: await subjectOf(farm.repo, sha) };
      await createRef(farm.repo, handPin(ref, sha, farm.target), sha);
      const entry = await db.transaction().execute(async (tx) => {
        if (caller.kind === 'person') await letGoOn(tx, farm, now);
        const again = await openEntryOf(tx, ref);
        if (again && orWait && again.sha === sha) return again.id;
        if (again) throw new FurrowError('ALREADY_QUEUED', `${id} is in the queue already`, { hint: 'furrow queue' });
        const open = await openEntries(tx);
        const round = dependencyCycle(
          open.map((one) => ({ task: one.task, after: JSON.parse(one.after) as string[] })),
          ref,
          needs,
        );
        if (round) {
          const names = round.map((one) => splitRef(one).id);
          throw new FurrowError('CIRCLE', `${id} would wait for itself: ${names.join(' after ')}`, { hint: `furrow why ${names[1]}` });
        }
        if (task && putBack) await advance(tx, ref, { on: 'reopened' }, now, { commit: null, unchanged: null, rework: null });
        if (
          task &&
          !(await advance(tx, ref, { on: 'handSubmitted', token: n }, now, {
            blocked: 0,
            block_reason: null,
            taken: null,
            tell: {
              status: 'review',
              blocked: null,
              ...(task.taken !== null && { release: true }),
              notes: [`submitted by hand from ${branch} at ${sha.slice(0, 12)}`],
            },
          }))
        ) {
          throw new FurrowError('TASK_BUSY', `${id} is ${anyState(task.standing).word}`, { hint: `furrow why ${id}` });
        }
        const submitted = { task: named, attempt: n, agent: null, sha, target: farm.target, after: needs };
        const rank = priority === undefined ? null : priorityOf(farm, priority);
        const by = caller.kind;
        const asked = { by, rules: landRule(farm.config, by, task, ref) } as const;
        return submitEntry(tx, { ...submitted, priority: rank, keep: keepCommits ?? farm.config.queue.keep_commits, asked }, now);
      });
      await readNow(farm, desk.state.queue, entry);
      farm.wake();
      const row = (await findEntry(db, entry))!;
      const because = [...rulesFor(farm.config, row, task)];
      return { task: id, sha, entry: String(entry), branch, uncommitted, because, reported: reportedIn(farm.config, row) };
    },

    async entryEnded({ entry: id, known }, { signal }) {
      const read = () => findEntry(db, Number(id));
      if (!(await read())) throw new FurrowError('NO_ENTRY', `there is no entry ${id}`, { hint: 'furrow queue' });
      let wait: Wait | undefined;
      await until(feed, signal, async () => {
        const row = await read();
        wait = undefined;
        if (!row) return true;
        const behind = ended(row.state) ? await unpublished(desk, row) : undefined;
        if (ended(row.state) && !behind) return true;
        if (known === undefined) return false;
        wait = behind ?? (await waitOf(desk, row));
        return wait.stuck !== null || wait.waits !== known;
      });
      const row = (await read())!;
      const landing = await landingOf(farm, row.id);
      return {
        state: row.state,
        reason: row.reason,
        commit: landing?.commit ?? null,
        waits: wait?.waits ?? null,
        stuck: wait?.stuck ?? null,
      };
    },
  };
}

/** Chooses the one that is in the queue, where a task and a branch have the same name. */
async function queuedSubject(farm: Farm, name: string): Promise<{ ref: string; name: string }> {
  const open = await openEntries(farm.db);
  const named = open.filter(({ task }) => splitRef(task).id === name);
  return named.length === 1 ? { ref: named[0]!.task, name } : findWork(farm, name);
}

/** The entries that a caller may still wait for. */
const RECENT = 200;

async function landingOf({ db }: Farm, entry: number) {
  return (await recentLandings(db, RECENT)).find((one) => entriesOf(one).includes(entry));
}

/** The reason why a landed entry is not published yet; `undefined` when it is. */
async function unpublished({ farm, state }: Desk, entry: Entry): Promise<Wait | undefined> {
  if (entry.state !== 'landed') return undefined;
  const landing = (await landingOf(farm, entry.id)) ?? (await landingBefore(farm, entry));
  if (!landing || landing.published !== null || landing.removed !== null) return undefined;
  const { reason } = (landing.target === state.queue.target ? state : state.others.get(landing.target))?.publishing ?? { reason: null };
  const waits = `has landed as ${landing.commit.slice(0, 8)}; ${landing.target} has not followed yet${reason ? `: ${reason}` : ''}`;
  return { waits, stuck: null };
}

/** An entry that the head had already landed earlier: with the same commit, or at the latest with the newest landing by then. */
async function landingBefore({ db }: Farm, { sha, target, ended: end }: Entry) {
  const same = await entriesOfCommit(db, sha, target);
  const ids = new Set(same.map((one) => one.id));
  const landings = await recentLandings(db, RECENT, target);
  const withIt = landings.find((one) => entriesOf(one).some((id) => ids.has(id)));
  return withIt ?? landings.find((one) => one.at <= (end ?? 0));
}

type Wait = Pick<Out<'entryEnded'>, 'stuck'> & { readonly waits: string };

/** The reason why an open entry waits, in a sentence, and whether that can pass without a person. */
async function waitOf(desk: Desk, { id, task }: { id: number; task: string }): Promise<Wait> {
  const { farm, state } = desk;
  const reasons = [...(await whyEntry(desk, id)), ...(await failingAbout(farm.db, { task }))];
  const waits = reasons.map((one) => one.text).join('; ');
  if (reasons[0]?.code === 'paused') return { waits, stuck: { how: 'later', next: 'furrow queue resume' } };
  if (reasons[0]?.code === 'stopped') return { waits, stuck: { how: 'later', next: 'furrow resume' } };
  const halt = await openHalt(farm.db);
  if (halt)
    return { waits: `queue halted: ${halt.reason}; it tries again by itself`, stuck: { how: 'later', next: 'furrow queue resume' } };
  const vain = waitsForPerson(await queueSnapshot(farm, state.queue, true)).get(id);
  const name = splitRef(vain?.task ?? task).id;
  if (vain?.task === task) return { waits, stuck: { how: 'person', next: vain.absent.next } };
  if (vain) return { waits: `waits for ${name}, which ${vain.absent.is}`, stuck: { how: 'person', next: vain.absent.next } };
  return { waits, stuck: null };
}

/** The dependencies in its file that are on the board: a person's branch does not land before them either. */
export async function dependencies(farm: Farm, task: Task): Promise<string[]> {
  const { tasks } = dispatchSnapshot(farm, await readRows(farm));
  const index = indexTasks(tasks);
  return (JSON.parse(task.depends_on) as string[]).flatMap((name) => resolveTask(index, task, name)?.ref ?? []);
}
