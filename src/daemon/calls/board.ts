import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Handlers } from '../../api/server.ts';
import { quoted } from '../../config/trust/line.ts';
import { taskLine } from '../../config/trust/lines.ts';
import { FurrowError } from '../../platform/error.ts';
import { reviewsOf } from '../../queue/review/store.ts';
import { TASK_STATES } from '../../tell/face/states.ts';
import { attemptsAt } from '../../work/attempt/store.ts';
import { errandOf } from '../../work/errand/store.ts';
import { attachedTo, changeAttached } from '../../work/task/attached.ts';
import { phaseDir, withBoardLock } from '../../work/task/board-lock.ts';
import { checkFields, type GivenFields } from '../../work/task/check-fields.ts';
import { createTask } from '../../work/task/create.ts';
import { dependencyCheck } from '../../work/task/dependency.ts';
import { highestNumber } from '../../work/task/highest-number.ts';
import { initBoard } from '../../work/task/init-board.ts';
import { CONFIG } from '../../work/task/layout.ts';
import type { Task } from '../../work/task/store.ts';
import { type TaskChange, updateTask } from '../../work/task/write.ts';
import { cannotBeTold, canStart } from '../farm/agent-settings.ts';
import { attemptFiles } from '../farm/process-names.ts';
import { taskText } from '../farm/task-text.ts';
import { tryAgain } from '../leader/attempt/try-again.ts';
import { choosePhase } from '../leader/work/work.ts';
import { type Desk, findTask, iso } from './context.ts';
import { assertNoSlip } from './new-phase.ts';
import { oneTaskOf } from './one-task-of-issue.ts';
import { shownRaceOf } from './race.ts';
import { raceReasons } from './race-reasons.ts';
import { shownReview } from './review.ts';
import { listTasks, onBoard, unchangedReason } from './view/tasks.ts';

type Names = 'list' | 'show' | 'add' | 'edit' | 'move' | 'block' | 'unblock';

/** 700 ms in all. */
const TRIES = 8;
const AGAIN_MS = 25;

/** An option that was given as an empty text says nothing about a new task. */
const present = <T extends object>(given: T) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) as T;

export function board(desk: Desk): Pick<Handlers, Names> {
  const { farm, state } = desk;

  /** Writes a person's change into the file as it is now; an edit that came between is read first, and the change put on top. */
  const change = async (task: Task, make: TaskChange): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++) {
      // Later, since others write too: on a busy machine five tries were over within 29 ms, and the person's edit was refused.
      if (tries > 0) await sleep(tries * AGAIN_MS);
      const row = await findTask(farm, task.ref);
      const done = await withBoardLock(phaseDir(farm.board, row.phase), () =>
        updateTask(join(farm.board.dir, row.file), row.hash, make, farm.clock.now()),
      );
      await desk.readTasks([row.file]);
      if (done === 'gone') throw new FurrowError('NO_TASK', `${row.file} is gone`, { hint: 'furrow list' });
      if (done !== 'changed') return;
    }
    throw new FurrowError('TRY_AGAIN', `${task.file} keeps changing`, { hint: `furrow show ${task.id}` });
  };

  const statuses = (task: Task) => (farm.board.phases.find((one) => one.name === task.phase)?.config ?? farm.board.config).statuses;

  /** By kanban-md's rule for a move: all tasks of a column count, and a class may be allowed past it. */
  const columnFull = async (task: Task, status: string): Promise<string | undefined> => {
    const { wip, classWip } = farm.board.phases.find((one) => one.name === task.phase)?.config ?? farm.board.config;
    const limit = wip[status];
    if (limit === undefined || classWip[task.class]?.bypass) return undefined;
    const there = (await farm.tasks()).tasks.filter((one) => one.phase === task.phase && one.status === status && one.missing === null);
    return there.length < limit ? undefined : `${status} is full: it holds ${there.length} tasks, and its limit is ${limit}`;
  };

  /** A check that the person types here needs no second yes. */
  const trustTyped = async (ref: string, check: string | undefined) => {
    return check ? farm.trust.agree({ group: 'checks', name: taskLine(ref), text: quoted(check) }) : async () => {};
  };

  const checked = async <T extends GivenFields>(given: T, of: { phase: string; ref?: string; agent?: string | null }): Promise<T> => {
    const config = farm.board.phases.find((one) => one.name === of.phase)?.config ?? farm.board.config;
    const { plan } = await farm.tasks();
    const kinds = Object.keys(farm.config.agents).filter((kind) => canStart(farm.config, kind));
    const resources = Object.keys(farm.config.resources);
    // Without a kind of its own it gets that of the work, which is not known yet: then its start says so.
    const kind = given.agent === undefined ? of.agent : given.agent;
    const refused =
      kind && canStart(farm.config, kind) && cannotBeTold(farm.config, kind, { model: given.model || null, effort: given.effort || null });
    if (refused) throw refused;
    return checkFields(given, { config, kinds, resources, refuses: dependencyCheck(plan, of) }, farm.clock.now());
  };

  return {
    async list({ phase, state: wanted }) {
      await desk.readBoard();
      if (phase !== undefined && farm.board.phases.length > 0) await choosePhase(farm, phase);
      const all = await listTasks(desk);
      const tasks = onBoard(all).filter((line) => (!phase || line.phase === phase) && (!wanted || line.state === wanted));
      return {
        tasks,
        quarantined: state.scan?.quarantined.map(({ file, line, reason }) => ({ file, line, reason })) ?? [],
        problems: all.problems,
      };
    },

    async show({ task: name }) {
      await desk.readBoard();
      const task = await findTask(farm, name);
      const { lines, reasons } = await listTasks(desk);
      const line = lines.find((one) => one.phase === task.phase && one.id === task.id)!;
      const attempts = await attemptsAt(farm.db, task.ref);
      return {
        ...line,
        file: task.file === '' ? '' : join(farm.board.dir, task.file),
        files: attachedTo(farm.board.dir, task.file, task.id),
        body: (await errandOf(farm.db, task.ref))?.brief ?? (await taskText(farm, task)),
        reasons:
          task.unchanged === null
            ? [...(await raceReasons(farm, task.ref, reasons)), ...(reasons.get(task.ref) ?? [])]
            : [unchangedReason(task.unchanged)],
        race: (await shownRaceOf(farm, task)) ?? null,
        attempts: attempts.map((one) => ({
          n: one.n,
          agent: one.agent,
          outcome: one.outcome,
          reason: one.reason,
          branch: one.branch,
          sha: one.sha,
          log: attemptFiles(farm.places, one.agent, one.id).log,
          summary: one.summary,
          started: iso(one.started),
          ended: one.ended === null ? null : iso(one.ended),
        })),
        reviews: (await reviewsOf(farm.db, [task.ref])).map(shownReview),
      };
    },

    async add({ title, depends_on, phase: named, attach, ...rest }) {
      using _ = await oneTaskOf(farm.db, rest.issue);
      if (farm.board.phases.length === 0) await initBoard(farm.board.dir, 'furrow');
      // Of the other tasks only its dependencies matter; `createTask` itself looks for numbers that are taken.
      await desk.readTasks(depends_on === undefined ? [CONFIG] : undefined);
      if (named !== undefined) assertNoSlip(farm.board, named);
      const phase =
        named ?? (farm.board.phases.length > 1 ? await choosePhase(farm, undefined) : (farm.board.phases[0]?.name ?? 'default'));
      const given = await checked({ title, depends_on, ...rest }, { phase });
      const fields = { ...present(given), title, ...(depends_on && { dependsOn: depends_on }) };
      const known = { cache: state.scan?.cache, used: await highestNumber(farm.db), attach };
      const made = await createTask(farm.board, phase, fields, farm.clock.now(), known);
      await trustTyped(`${phase}/${made.id}`, given.check);
      await desk.readTasks([made.file]);
      return { id: made.id, phase, file: made.file };
    },

    async edit({ task: name, note, body, release, attach, unattach, ...rest }) {
      const known = rest.depends_on === undefined ? await findTask(farm, name).catch(() => undefined) : undefined;
      await desk.readTasks(known && [CONFIG, known.file]);
      const task = await findTask(farm, name);
      const given = await checked(rest, task);
      const set = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value === '' ? null : value]));
      if (attach || unattach) changeAttached(farm.board.dir, task, { ...(attach && { attach }), ...(unattach && { unattach }) });
      if (release) Object.assign(set, { claimed_by: null, claimed_at: null });
      const takeBack = await trustTyped(task.ref, given.check);
      await change(task, { set, ...(note !== undefined && { note }), ...(body !== undefined && { body }) }).catch(
        async (error: unknown) => {
          await takeBack();
          throw error;
        },
      );
      return { id: task.id, file: task.file };
    },

    async move({ task: name, status }) {
      const task = await findTask(farm, name);
      const known = statuses(task);
      if (!known.includes(status))
        throw new FurrowError('NO_STATUS', `the board has no status ${status}`, { hint: `it has ${known.join(', ')}` });
      if (task.standing === 'leased' || task.standing === 'submitted') {
        throw new FurrowError('TASK_BUSY', `${task.id} is ${TASK_STATES[task.standing].word}, so its status cannot be set by hand`, {
          hint: task.standing === 'leased' ? 'furrow status, then furrow stop AGENT' : `furrow queue eject ${task.id}`,
        });
      }
      const full = status === task.status ? undefined : await columnFull(task, status);
      if (full) throw new FurrowError('WIP_LIMIT', full, { hint: `wip_limits in config.yml of the board` });
      // A person's word, unlike the same status found in a file: it is to be done again.
      if (task.standing === 'landed' && status !== 'done' && status !== 'archived')
        await farm.db.transaction().execute((tx) => tryAgain(tx, task, farm.clock.now(), { tell: { status } }));
      await change(task, { set: { status }, statuses: known });
      return { id: task.id, status };
    },

    async block({ task: name, reason }) {
      const task = await findTask(farm, name);
      await change(task, { set: { blocked: true, block_reason: reason } });
      return { id: task.id };
    },

    async unblock({ task: name }) {
      const task = await findTask(farm, name);
      await change(task, { set: { blocked: null, block_reason: null } });
      return { id: task.id };
    },
  };
}
