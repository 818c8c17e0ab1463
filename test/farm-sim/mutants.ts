import type { Mutant } from '../storm/people/mutants.ts';

export type FarmMutant = Pick<Mutant, 'name' | 'edits'>;

const one = (name: string, file: string, find: string, replace: string): FarmMutant => ({ name, edits: [{ file, find, replace }] });

/** Products with one promise taken out. Each must break a rule of the simulated farm. */
export const farmMutants: readonly FarmMutant[] = [
  one('token not raised', 'src/work/task/state.ts', "{ standing: 'leased', attempt: event.token }", "{ standing: 'leased', attempt }"),
  one(
    'stale words believed',
    'src/daemon/calls/reports.ts',
    'const row = await openAttemptAt(tx, ref);',
    "const row = await tx.selectFrom('attempt').selectAll().where('task', '=', ref).where('n', '=', speaker.attempt).executeTakeFirst();",
  ),
  {
    name: 'lease kept',
    edits: [
      {
        file: 'src/daemon/leader/attempt/settle-attempt.ts',
        find: 'await endLeasesOf(tx, attemptId, ',
        replace: 'void (async (..._: unknown[]) => {})(tx, attemptId, ',
      },
      { file: 'src/daemon/leader/leases.ts', find: "return 'the attempt is over';", replace: 'return undefined;' },
    ],
  },
  one('lease shared', 'src/daemon/leader/work/lease-gate.ts', 'if (behind.length > 0)', 'if (behind.length > 99)'),
  one(
    'dependency ignored',
    'src/work/task/graph.ts',
    'else if (!isSatisfied(other)) waitsFor.push(other);',
    'else if (!isSatisfied(other)) waitsFor.slice();',
  ),
  one(
    'stop ignored',
    'src/daemon/leader/tick.ts',
    'if (farm.stopped() === undefined) await decide',
    'if (rows.paused !== undefined) await decide',
  ),
  one(
    'red stored as green',
    'src/daemon/acts/check-run/leader.ts',
    'const { outcome, detail,',
    "const outcome = 'pass' as const;\n      const { detail,",
  ),
  one(
    'verdict of another tree',
    'src/queue/verdict.ts',
    'entryOf(trails, run.tree, newMap)',
    'entryOf(trails, run.tree.slice(0, 0), newMap)',
  ),
  one(
    'yes not asked for',
    'src/daemon/leader/queue/approval.ts',
    'row.approved === null && rulesFor(config, row, task).length > 0',
    'row.approved === null && rulesFor(config, row, task).length > 99',
  ),
  one(
    'review skipped',
    'src/daemon/leader/review/read.ts',
    'return wait ? [[entry.id, wait] as const] : [];',
    'return wait && look.rounds > 99 ? [[entry.id, wait] as const] : [];',
  ),
  one(
    'attempts not bounded',
    'src/agents/agent/aftermath.ts',
    "const event = failures >= attempts ? 'parked' : 'failed';",
    "const event = failures >= attempts + 99 ? 'parked' : 'failed';",
  ),
  one(
    'back-off lost',
    'src/agents/agent/aftermath.ts',
    'notBefore: now + crashBackoffMs(crashes)',
    'notBefore: now - crashBackoffMs(crashes)',
  ),
  one(
    'question never closed',
    'src/daemon/leader/queue/ask-for-yes.ts',
    'for (const { subject } of gone) await closeQuestions',
    'for (const { subject } of gone.slice(0, 0)) await closeQuestions',
  ),
  one('parked question stays', 'src/daemon/leader/attempt/try-again.ts', "await closeTaskQuestions(tx, task.ref, 'retried', now);", ''),
  one('message delivered twice', 'src/daemon/calls/inbox.ts', 'if (!hold) await markRead(tx, reader, ids, now);', ''),
  one('entry ended twice', 'src/work/entry/state.ts', 'if (ended(from)) return undefined;', ''),
  one('landing forgotten', 'src/daemon/acts/land/leader.ts', 'await noteHead(tx, target, args.commit);', ''),
  one(
    'landing under another token',
    'src/daemon/acts/land/leader.ts',
    "await advance(tx, task, { on: 'landed', token: attempt }, now, {",
    "await advance(tx, task, { on: 'landed', token: attempt - 1 }, now, {",
  ),
  one(
    'nothing recovered',
    'src/daemon/perform.ts',
    'const intents = (await openIntents(this.#farm.db)).filter(({ key }) => !this.#flying.has(key));',
    'const intents = (await openIntents(this.#farm.db)).slice(0, 0);',
  ),
  one('agent doubled', 'src/daemon/farm/snapshot.ts', "free: row.state === 'idle' && row.idx", 'free: row.idx'),
  one('blame after one red', 'src/work/entry/state.ts', "return from === 'quarantined' ? 'rejected' : undefined;", "return 'rejected';"),
  one(
    'target never followed',
    'src/daemon/leader/target/target.ts',
    'if (seen === state.targetSeen && state.queue.head &&',
    'if (state.queue.head &&',
  ),
];
