import { open } from 'node:fs/promises';
import { driverNamed } from '../../agent/drivers/index.ts';
import { ENDED } from '../../agent/script.ts';
import { readAgent } from '../../agent/store.ts';
import { type Judgement, judge } from '../../attempt/evidence.ts';
import { givenUp, readSaid } from '../../attempt/said.ts';
import type { EndArgs, Ended } from '../../farm/acts/attempt.ts';
import { settingsOf } from '../../farm/agent-settings.ts';
import { attemptFiles, attemptMarker, type Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import { pinOf } from '../../farm/pins.ts';
import { isProtected } from '../../farm/protect.ts';
import { removeTemporary } from '../../host/agents/temporary.ts';
import type { Act } from '../../journal/act.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { headRef } from '../../merge/land.ts';
import { clean } from '../../platform/clean.ts';
import { FurrowError } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import { linkedAt } from '../../platform/git/admin.ts';
import { pinLost } from '../../platform/git/keep.ts';
import { createRef, resolve } from '../../platform/git/refs.ts';
import { identityOf } from '../../platform/git/repository.ts';
import type { Repo } from '../../platform/git/run.ts';
import { killTree } from '../../platform/process/kill.ts';
import { closeQuestions, raiseQuestion } from '../../question/store.ts';
import type { TurnEnd } from '../../supervision/record.ts';
import { supervisionOf } from '../../supervision/store.ts';
import { splitRef } from '../../task/id.ts';
import { reworkOf } from '../../task/rework.ts';
import { readTask } from '../../task/store.ts';
import { harvest } from '../../worktree/harvest.ts';
import { commitAll, snapshot } from '../../worktree/snapshot.ts';

/** Ends what still lives of an attempt, looks at what it left, and pins every commit of it. */
export function attemptEnd(farm: Farm, drain: (attempt: number) => Promise<void>): Act<EndArgs, Ended> {
  const { db, repo, places } = farm;
  return {
    kind: 'attempt.end',

    async begin(tx, args) {
      const row = await tx
        .selectFrom('attempt')
        .select('id')
        .where('id', '=', args.attempt)
        .where('state', '=', 'running')
        .executeTakeFirst();
      if (!row) throw new FurrowError('STALE', `attempt ${args.attempt} has ended already`);
    },

    // Every step below is safe to repeat, so after a crash it is simply done again.
    probe: async () => undefined,

    async run(args) {
      const row = await db.selectFrom('attempt').selectAll().where('id', '=', args.attempt).executeTakeFirstOrThrow();
      const agent = await readAgent(db, row.agent);
      const task = await readTask(db, row.task);
      const files = attemptFiles(places, row.agent, row.id, row.launch);
      if (args.why === 'exit') await logComplete(files.log);
      const root = row.pid !== null && row.pid_start ? { pid: row.pid, start: row.pid_start } : undefined;
      const killed = await killTree({ root, marker: attemptMarker(farm, row.id) }, args.graceMs);
      // A lease ends by proof of death: while one process of it lives, nobody else may start on this task.
      if (killed.survivors.length > 0) {
        const pids = killed.survivors.map((one) => one.pid).join(', ');
        throw new FurrowError('SURVIVORS', `processes of attempt ${row.n} cannot be ended: ${pids}`, { hint: `ps -fp ${pids}` });
      }
      // What it used is known before its end is: whoever asks then is told all of it.
      await drain(row.id);

      const exit = await readIfThere(files.exit);
      const said = readSaid(row.said);
      const settings = settingsOf(farm.config, row);
      const from = reworkOf(task)?.from ?? null;
      const target = (await resolve(repo, headRef(targetOf(row, farm)))) ?? row.base;
      const place = { branch: row.branch, base: from ?? row.base, target };
      const turn = args.why === 'turn' || args.why === 'exit' ? (await supervisionOf(db, row.id))?.turn : undefined;
      const turnEnded = args.why === 'turn' && turn?.do === 'end';
      const ended = args.why === 'exit' || args.why === 'gone' || args.why === 'said' || turnEnded;
      const claimsDone = ended && (said ? 'done' in said : turnEnded || exit?.trim() === '0');
      let left = await harvest(repo, agent.worktree, place);
      const commits = settings.commit ?? driverNamed(settings.driver).commits;
      if (claimsDone && left.dirty && !left.detached && !left.operation && commits === 'auto') {
        const author = await identityOf(repo);
        await commitAll(repo, agent.worktree, { branch: row.branch, message: `${task.title}\n`, author, at: row.started });
        left = await harvest(repo, agent.worktree, place);
      }
      const judged =
        (givenUp(row) === undefined ? stuckTurn(turn) : undefined) ??
        judge({
          turnEnded,
          exit: exit === undefined ? undefined : Number(exit),
          stopped: args.why === 'stop',
          timedOut: args.why === 'timeout',
          said,
          lastLine: await lastLine(files.log),
          commits: left.commits,
          own: left.own,
          changed: left.changed,
          protectedPaths: left.changed.filter((path) => isProtected(farm, path)),
          dirty: left.dirty,
          detached: left.detached,
          special: left.special,
          operation: left.operation,
        });

      const { id } = splitRef(row.task);
      const pin = pinOf(row.task, row.n);
      const submitted = judged.outcome === 'submitted';
      if (left.tip) await pinAs(repo, submitted ? pinOf(row.task, row.n, targetOf(row, farm)) : pin, left.tip);
      if (left.head && left.head !== left.tip) await pinAs(repo, `${pin}-head`, left.head);
      const linked = await linkedAt(repo, agent.worktree);
      if (linked) await pinLost(repo, linked);
      let kept: string | null = null;
      if (judged.outcome !== 'submitted' && left.dirty) {
        const message = `uncommitted work of ${row.agent} on ${id}, attempt ${row.n}\n`;
        // Dated by the attempt: done again after a crash, it is the same commit.
        const saved = await snapshot(repo, agent.worktree, message, row.started);
        if (saved) kept = await pinAs(repo, `${pin}-uncommitted`, saved);
      }
      await removeTemporary(farm, row.id);
      const goesOn = turn?.do === 'budget' && left.commits > 0;
      return { ...judged, sha: left.tip ?? null, kept, ...(goesOn && left.tip && { from: left.tip }) };
    },

    async finish(tx, args, result, now) {
      const row = await tx.selectFrom('attempt').select('task').where('id', '=', args.attempt).executeTakeFirstOrThrow();
      await closeQuestions(tx, 'survivors', row.task, 'they are gone', now);
      await settleAttempt(tx, farm, args.attempt, result, now);
    },

    /**
     * A killed git is no end of an attempt: it is looked at again, a few times. What cannot be read even then cannot be
     * judged: the worktree stays as it is, and the attempt counts as crashed.
     */
    async failed(tx, args, error, now) {
      const row = await tx.selectFrom('attempt').select('task').where('id', '=', args.attempt).executeTakeFirstOrThrow();
      if (error instanceof FurrowError && error.code === 'SURVIVORS') {
        await raiseQuestion(tx, { kind: 'survivors', subject: row.task, reason: error.message }, now);
        return;
      }
      const tries = await tx
        .selectFrom('intent')
        .select('id')
        .where('key', '=', `attempt:${args.attempt}`)
        .where('state', '=', 'failed')
        .execute();
      if (tries.length < TRIES) return;
      await settleAttempt(tx, farm, args.attempt, { outcome: 'crashed', reason: error.message, sha: null, kept: null }, now);
    },
  };
}

const TRIES = 4;

/**
 * A turn that ended without its evidence is for the human: the agent does not wait for them. One that ended for want of
 * money is nobody's fault: its task is open again, and what holds its next start back is what the human is asked.
 */
function stuckTurn(turn: TurnEnd | null | undefined): Judgement | undefined {
  if (turn?.do === 'budget') return { outcome: 'stopped', reason: `over its budget: ${turn.reason}` };
  return turn?.do === 'question' ? { outcome: 'blocked', reason: turn.reason } : undefined;
}

/** Keeps a commit under a pin. A name that is taken by another commit must not cost the work: it gets one beside it. */
async function pinAs(repo: Repo, ref: string, oid: string): Promise<string> {
  const there = await resolve(repo, ref);
  const name = there && there !== oid ? `${ref}-${oid.slice(0, 12)}` : ref;
  await createRef(repo, name, oid);
  return name;
}

const LOG_WAIT_MS = 500;

/**
 * The terminal's output reaches the log a moment after the program ended; the script's own last line tells that it has.
 * Nobody announces it, so it is looked for, for half a second at most.
 */
async function logComplete(log: string): Promise<void> {
  for (let waited = 0; waited < LOG_WAIT_MS; waited += 5) {
    if ((await tail(log)).includes(ENDED)) return;
    await new Promise((again) => setTimeout(again, 5));
  }
}

const TAIL_BYTES = 8192;

async function lastLine(log: string): Promise<string> {
  const lines = (await tail(log)).split('\n').map((line) => line.trim());
  return (
    lines
      .filter((line) => line && !line.startsWith(ENDED))
      .at(-1)
      ?.slice(0, 300) ?? ''
  );
}

async function tail(log: string): Promise<string> {
  const file = await open(log, 'r').catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES));
    return clean(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}
