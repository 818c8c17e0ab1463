import { writeFile } from 'node:fs/promises';
import type { Selectable } from 'kysely';
import { advanceAgent, findAgent, readAgent } from '../../agent/store.ts';
import { advanceAttempt, attemptAt, beginAttempt } from '../../attempt/store.ts';
import type { StartArgs, Started } from '../../farm/acts/attempt.ts';
import { agentSettings, startedWith } from '../../farm/agent-settings.ts';
import { attemptFiles, attemptMarker, type Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import { promptFor } from '../../farm/prompt.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
import { startProcess } from '../../host/agents/launch.ts';
import { removeTemporary } from '../../host/agents/temporary.ts';
import { forgetChangedSetup, setUpWorktree } from '../../host/worktree-setup.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import type { Tx } from '../../journal/store.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { FurrowError } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import { BRANCH_IN_WAY } from '../../platform/git/branch-in-way.ts';
import { identify } from '../../platform/process/identity.ts';
import { killTree } from '../../platform/process/kill.ts';
import { beginSupervision } from '../../supervision/store.ts';
import { splitRef } from '../../task/id.ts';
import { type Rework, reworkOf } from '../../task/rework.ts';
import { advance, readTask } from '../../task/store.ts';
import { findWork } from '../../work/store.ts';
import { prepare } from '../../worktree/prepare.ts';
import { prove } from '../../worktree/prove.ts';

/**
 * The rework of an attempt for another target than before: the report alone. The earlier commits carry the history of the
 * target they were made for, and going on from them would land that history here.
 */
async function reworkElsewhere(tx: Tx, task: string, target: string): Promise<Rework | undefined> {
  const rework = reworkOf(await readTask(tx, task));
  if (!rework?.from) return undefined;
  const attempt = await tx.selectFrom('attempt').select('target').where('task', '=', task).orderBy('id', 'desc').executeTakeFirst();
  const entry = await tx.selectFrom('entry').select('target').where('task', '=', task).orderBy('id', 'desc').executeTakeFirst();
  const same = [attempt, entry].every((row) => (row?.target ?? target) === target);
  return same ? undefined : { why: rework.why, report: rework.report, from: null };
}

/** Errors that only a person can fix: another try would fail the same way. */
const THEIRS = new Set(['TEMPLATE', 'NO_TEMPLATE', BRANCH_IN_WAY]);

/** Makes the worktree ready, proves it, and starts the agent in its window. */
export function attemptStart(farm: Farm, signalFor: (agent: string) => AbortSignal): Act<StartArgs, Started> {
  const { db, repo, places } = farm;

  const rowOf = ({ task, n }: StartArgs) => attemptAt(db, task, n);

  const endTree = (id: number) => killTree({ root: undefined, marker: attemptMarker(farm, id) }, 0);

  const start = async (args: StartArgs, row: Selectable<AttemptRow>, signal: AbortSignal): Promise<Started> => {
    const task = await readTask(db, args.task);
    const agent = await readAgent(db, args.agent);
    const work = await findWork(db, agent.phase);
    const rework = reworkOf(task);
    const from = rework?.from ?? undefined;

    const first = !(await db
      .selectFrom('attempt')
      .select('id')
      .where('agent', '=', args.agent)
      .where('id', '<', row.id)
      .where('started', '>=', work?.at ?? 0)
      .executeTakeFirst());
    await forgetChangedSetup(farm, agent);
    const place = await prepare(repo, {
      path: agent.worktree,
      branch: args.branch,
      base: args.base,
      fresh: Boolean(work?.fresh) && first,
      trash: places.trash,
      rescueRef: `refs/furrow/rescue/${args.agent}/${row.id}`,
      ...(from && { continueFrom: from }),
    });
    const problems = await prove(repo, agent.worktree, { branch: args.branch, base: from ?? args.base, justMade: place.created });
    if (problems.length > 0) throw new FurrowError('WORKTREE_NOT_READY', `the worktree of ${args.agent} is not ready: ${problems[0]}`);
    const env = agentEnvironment(farm, row, row.id, agent.idx, agent.port);
    await setUpWorktree(farm, agent, env, signal);

    const prompt = await promptFor(farm, { task, agent: args.agent, attempt: args.n, base: args.base, branch: args.branch });
    const { pid, start } = await startProcess(farm, { row, agent, env, prompt });
    return { pid, start, rescued: place.rescued ?? null };
  };

  return {
    kind: 'attempt.start',

    async begin(tx, args, now) {
      const anew = await reworkElsewhere(tx, args.task, targetOf(args, farm));
      const claimed = await advance(tx, args.task, { on: 'claimed', holder: args.agent, token: args.n }, now, {
        ...(anew && { rework: anew }),
        tell: { status: 'in-progress', claimedBy: args.agent },
      });
      if (!claimed) throw new FurrowError('STALE', `${args.task} is no longer free`);
      const settings = agentSettings(farm.config, args.kind);
      const { task, n, agent, kind, base, branch } = args;
      const deadline = settings.timeoutMs ? farm.clock.awake() + settings.timeoutMs : null;
      const begun = { task, n, agent, kind, settings: JSON.stringify(settings), base, branch, target: targetOf(args, farm), deadline };
      const attempt = await beginAttempt(tx, begun, now);
      const taken = await advanceAgent(tx, agent, { on: 'taken', attempt }, now, { kind });
      if (!taken) throw new FurrowError('STALE', `${args.agent} is no longer free`);
    },

    async probe(args) {
      const row = await rowOf(args);
      const noted = await readIfThere(attemptFiles(places, args.agent, row.id).pid);
      if (!noted?.trim()) {
        // A set-up may have outlived its daemon; the next one must not run beside it.
        await endTree(row.id);
        return undefined;
      }
      const pid = Number(noted);
      // The number may belong to somebody else by now; only a live pane of ours that runs this script proves it.
      const pane = (await farm.terminals.panes())?.find((p) => p.pid === pid && !p.dead && p.command.includes(`run/a${row.id}.sh`));
      return { pid, start: pane ? (identify(pid)?.start ?? '') : '', rescued: null };
    },

    async run(args) {
      const row = await rowOf(args);
      try {
        return await start(args, row, signalFor(args.agent));
      } catch (error) {
        // What did not come up must not come up late: a script that still starts finds its pid file and ends.
        const files = attemptFiles(places, args.agent, row.id);
        await writeFile(files.pid, '', { flag: 'wx' }).catch(() => {});
        await endTree(row.id);
        await removeTemporary(farm, row.id);
        throw error;
      }
    },

    async finish(tx, args, result, now) {
      const { id: attempt } = await attemptAt(tx, args.task, args.n);
      const row = await advanceAttempt(tx, attempt, { on: 'started' }, { pid: result.pid, pid_start: result.start });
      if (!row) return;
      const { driver, settings } = startedWith(farm.config, row);
      if (driver.speaks(settings)) await beginSupervision(tx, row.id, farm.clock);
      await advanceAgent(tx, args.agent, { on: 'started', attempt: row.id }, now);
      const { id } = splitRef(args.task);
      const saved = result.rescued ? `; what lay in the worktree is kept at ${result.rescued}` : '';
      await append(
        tx,
        {
          kind: 'attempt.started',
          agent: args.agent,
          task: args.task,
          attempt: args.n,
          text: `${args.agent} starts on ${id}, attempt ${args.n}${saved}`,
          data: { base: args.base, branch: args.branch, pid: result.pid },
        },
        now,
      );
    },

    /**
     * It never came up: nobody's fault but the machine's, so it counts as a crash and is tried again, a bounded number of
     * times. A template that cannot be filled in is the human's to mend, and no try without that is any better.
     */
    async failed(tx, args, error, now) {
      const row = await tx
        .selectFrom('attempt')
        .select('id')
        .where('task', '=', args.task)
        .where('n', '=', args.n)
        .executeTakeFirstOrThrow();
      const agent = await findAgent(tx, args.agent);
      const theirs = error instanceof FurrowError && THEIRS.has(error.code);
      const taken = (await readTask(tx, args.task)).taken !== null;
      const outcome = agent?.state === 'stopping' || taken ? 'stopped' : theirs ? 'blocked' : 'crashed';
      await settleAttempt(tx, farm, row.id, { outcome, reason: `could not start: ${error.message}`, sha: null, kept: null }, now);
    },
  };
}
