import type { Mutant } from '../storm/people/mutants.ts';
import type { Rule } from './violation.ts';

export interface FarmMutant extends Pick<Mutant, 'name' | 'edits'> {
  /** The rule that it breaks. A product that breaks another one first proves nothing. */
  readonly breaks: Rule;
}

type Edit = readonly [file: string, find: string, replace: string];

/** Several edits where another guard of the product keeps the promise too. */
const broken = (name: string, breaks: Rule, ...edits: readonly Edit[]): FarmMutant => ({
  name,
  breaks,
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});

/** Products with one promise taken out. Each must break its rule of the simulated farm. */
export const farmMutants: readonly FarmMutant[] = [
  broken('token not raised', 'one attempt of a task at a time', [
    'src/work/task/state.ts',
    "{ standing: 'leased', attempt: event.token }",
    "{ standing: 'leased', attempt }",
  ]),
  broken('late words believed', 'what an old token says changes nothing', [
    'src/daemon/calls/agent-reports.ts',
    'const row = await openAttemptAt(tx, ref);',
    "const row = await tx.selectFrom('attempt').selectAll().where('task', '=', ref).where('n', '=', speaker.attempt).executeTakeFirst();",
  ]),
  broken(
    'lease kept',
    'a lease ends with its holder',
    [
      'src/daemon/leader/attempt/settle-attempt.ts',
      'await endLeasesOf(tx, attemptId, ',
      'void (async (..._: unknown[]) => {})(tx, attemptId, ',
    ],
    ['src/daemon/leader/leases.ts', "return 'the attempt is over';", 'return undefined;'],
  ),
  broken('lease shared', 'exclusive leases never overlap', [
    'src/agents/lease/plan.ts',
    'return waits({ ...book, leases: [...book.leases, wanted] }).get(wanted) ?? [];',
    'return [];',
  ]),
  broken('dependency ignored', 'nothing starts before what it needs has landed', [
    'src/work/task/graph.ts',
    'else if (!isSatisfied(other)) waitsFor.push(other);',
    'else if (!isSatisfied(other)) waitsFor.slice();',
  ]),
  broken(
    'stop ignored',
    'a stopped farm starts nothing',
    ['src/daemon/leader/tick.ts', 'if (farm.stopped() === undefined) await decide', 'if (rows.paused !== undefined) await decide'],
    ['src/daemon/perform.ts', "!('asked' in args) && this.#farm.stopped() !== undefined", "!('asked' in args) && this.#farm.lost"],
  ),
  broken('red stored as green', 'no landing without its verdicts', [
    'src/daemon/acts/check-run/leader.ts',
    'const { outcome, detail,',
    "const outcome = 'pass' as const;\n      const { detail,",
  ]),
  broken('verdict of another tree', 'no landing without its verdicts', [
    'src/queue/verdict.ts',
    'runs.trails.get(aboutOf(runs, tree, check))?.get(check)',
    'runs.trails.values().next().value?.get(check)',
  ]),
  broken('yes not asked for', 'no landing without its yes', [
    'src/daemon/leader/queue/approval.ts',
    'row.approved === null && rulesFor(config, row, task).length > 0',
    'row.approved === null && rulesFor(config, row, task).length > 99',
  ]),
  broken('review skipped', 'no landing without its review', [
    'src/daemon/leader/review/read.ts',
    'return wait ? [[entry.id, wait] as const] : [];',
    'return wait && look.rounds > 99 ? [[entry.id, wait] as const] : [];',
  ]),
  broken('attempts not bounded', 'attempts are bounded', [
    'src/agents/agent/after-attempt.ts',
    "const event = failures >= attempts ? 'parked' : 'failed';",
    "const event = failures >= attempts + 99 ? 'parked' : 'failed';",
  ]),
  broken('crashes not bounded', 'attempts are bounded', [
    'src/agents/agent/after-attempt.ts',
    'if (crashes >= MAX_CRASHES)',
    'if (crashes >= MAX_CRASHES + 99)',
  ]),
  broken('back-off lost', 'a failed try rests', [
    'src/agents/agent/after-attempt.ts',
    'notBefore: now + crashBackoffMs(crashes)',
    'notBefore: now - crashBackoffMs(crashes)',
  ]),
  broken('question never closed', 'a question has a subject that exists', [
    'src/daemon/leader/queue/ask-for-yes.ts',
    'const gone = await withoutEntry(farm, over);',
    'const gone = (await withoutEntry(farm, over)).slice(0, 0);',
  ]),
  broken('parked question stays', 'a question has a subject that exists', [
    'src/daemon/leader/attempt/try-again.ts',
    "await closeTaskQuestions(tx, task.ref, 'retried', now);",
    '',
  ]),
  broken('read message not noted', 'what was sent is kept, once', [
    'src/daemon/calls/inbox.ts',
    'if (!hold) await markRead(tx, reader, ids, now);',
    '',
  ]),
  broken('newest message first', 'a message arrives once, in its order', [
    'src/agents/message/read.ts',
    ".where('receiver', '=', receiver)\n    .orderBy('id')",
    ".where('receiver', '=', receiver)\n    .orderBy('id', 'desc')",
  ]),
  broken('message stored twice', 'what was sent is kept, once', [
    'src/agents/message/store.ts',
    'const { id } = rows[0]!;',
    'const { id } = rows[0]!;\n  if (key === null) await send(tx, { ...message, key: sender }, now);',
  ]),
  broken('entry ended twice', 'an entry ends once', [
    'src/work/entry/store.ts',
    'const id = await insert(tx, {\n    task: task.ref,',
    "await tx.updateTable('entry').set({ state: 'cancelled', ended: now }).where('task', '=', task.ref).execute();\n  const id = await insert(tx, {\n    task: task.ref,",
  ]),
  broken('report applied twice', 'an entry ends once', [
    'src/daemon/leader/attempt/settle-attempt.ts',
    'await submitEntry(tx, { task, attempt: n, agent, sha: result.sha,',
    'for (const _ of [1, 2]) await submitEntry(tx, { task, attempt: n, agent, sha: result.sha,',
  ]),
  broken('landing forgotten', 'what landed is in the target', [
    'src/daemon/acts/land/leader.ts',
    'await noteHead(tx, target, args.commit);',
    '',
  ]),
  broken('landing not stored', 'what landed is stored before it is published', [
    'src/daemon/acts/land/leader.ts',
    'await addLanding(tx, {',
    'void (async (..._: unknown[]) => {})(tx, {',
  ]),
  broken('landing under another token', 'nothing is stuck', [
    'src/daemon/acts/land/leader.ts',
    "await advance(tx, task, { on: 'landed', token: attempt }, now, {",
    "await advance(tx, task, { on: 'landed', token: attempt - 1 }, now, {",
  ]),
  broken('nothing recovered', 'what was begun is carried on', [
    'src/daemon/perform.ts',
    'const intents = (await openIntents(this.#farm.db)).filter(({ key }) => !this.#flying.has(key));',
    'const intents = (await openIntents(this.#farm.db)).slice(0, 0);',
  ]),
  broken('written file not found', 'a note is written once', [
    'src/daemon/leader/go-on.ts',
    'await writeBoard(farm, state, await farm.tasks(), perform);',
    '',
  ]),
  broken(
    'agent doubled',
    'an agent has one attempt',
    ['src/daemon/farm/snapshot.ts', "free: row.state === 'idle' && row.idx", 'free: row.idx'],
    [
      'src/agents/agent/state.ts',
      "return state === 'idle' && attempt === null ? { state: 'starting'",
      "return state !== 'stopped' ? { state: 'starting'",
    ],
  ),
  broken('blame after one red', 'nobody is blamed without evidence', [
    'src/queue/confirm.ts',
    'if (reds.length <= facts.snapshot.retries) return false;',
    'if (reds.length === 0) return false;',
  ]),
  broken('two winners', 'a race has one winner', [
    'src/daemon/leader/race/end.ts',
    "await advanceEntrant(tx, { race: race.id, n, task: race.task }, { on: 'won' }, now, { reason: why });",
    "for (const one of over.entrants) await advanceEntrant(tx, { race: race.id, n: one.n, task: race.task }, { on: 'won' }, now, { reason: why });",
  ]),
  broken('target never followed', 'what landed is in the target', [
    'src/daemon/leader/target/target.ts',
    "queue.head !== '' && git.branchStamp(queue.target) === targetSeen &&",
    "queue.head !== '' &&",
  ]),
  broken('landed task open again', 'a task lands once', [
    'src/work/task/state.ts',
    "return standing === 'submitted' && event.token === attempt ? to('landed') : undefined;",
    "return standing === 'submitted' && event.token === attempt ? to('open') : undefined;",
  ]),
  broken('limit ignored', 'a limited provider starts nothing', [
    'src/daemon/leader/work/dispatch.ts',
    'if (limited) {',
    "if (limited?.name === '') {",
  ]),
  broken('deadline by the time of day', 'nobody is ended before their time', [
    'src/daemon/acts/attempt-start/leader.ts',
    'farm.clock.awake() + settings.timeoutMs',
    'farm.clock.now() + settings.timeoutMs',
  ]),
  broken('taken out and merged again', 'what a person took out stays out', [
    'src/daemon/leader/queue/removed.ts',
    'if (rows.length + out.size === 0) return false;',
    'if (rows.length + out.size >= 0) return false;',
  ]),
  broken('removal not stored', 'what landed is in the target', [
    'src/daemon/leader/target/adopt-target.ts',
    'await removeLandings(tx, target, out, kept, now);',
    'await removeLandings(tx, target, [], kept, now);',
  ]),
  broken('unpublished landing not queued again', 'what landed is in the target', [
    'src/daemon/leader/target/adopt-target.ts',
    'for (const landing of await landingsAt(tx, commits)) {',
    'for (const landing of (await landingsAt(tx, commits)).slice(0, 0)) {',
  ]),
  broken('push of what was taken out', 'only what the target has is pushed', [
    'src/daemon/leader/target/push.ts',
    'if (await git.isAncestor(one, at)) return one;',
    'return one;',
  ]),
  broken('failed push not repeated', 'nothing is stuck', [
    'src/repo/merge/push-failure.ts',
    'if (!failed) return { push: target };',
    'return failed ? {} : { push: target };',
  ]),
  broken('proposal asked about again', 'a proposal is asked about once', [
    'src/work/split/read.ts',
    ".where('errand.ref', 'not in', asked)",
    ".where('errand.ref', 'not in', asked.where('closed', 'is', null))",
  ]),
  broken('split put on the board again', 'a split is on the board once, and whole', [
    'src/daemon/calls/split/apply.ts',
    'const known = there.find((row) => row.title === title);',
    'const known = there.find((row) => row.title === title && made[row.title]);',
  ]),
  broken('yes to a split before its tasks are there', 'a split is on the board once, and whole', [
    'src/daemon/calls/split/apply.ts',
    'const made = approve ? await putOnBoard(desk, tasks, id, into) : {};',
    "if (approve) await farm.db.transaction().execute((tx) => answerQuestion(tx, question, 'yes', farm.clock.now()));\n  const made = approve ? await putOnBoard(desk, tasks, id, into) : {};",
  ]),
  broken('repeated message stored again', 'what was sent is kept, once', [
    'src/agents/message/store.ts',
    'key = null, deadline = null } = message;',
    'key = null, deadline = null } = { ...message, key: null };',
  ]),
];
