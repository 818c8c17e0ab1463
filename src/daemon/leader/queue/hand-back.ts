import { failure } from '../../../agents/agent/after-attempt.ts';
import { branchOf } from '../../../journal/branch.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import type { FailedOutput } from '../../../platform/output/failed.ts';
import { tellingLines } from '../../../platform/output/telling.ts';
import type { QueueEntry } from '../../../queue/snapshot.ts';
import type { ConflictReport } from '../../../repo/merge/conflict.ts';
import { towards } from '../../../work/entry/state.ts';
import { advanceEntry } from '../../../work/entry/store.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Rework } from '../../../work/task/rework.ts';
import { advance, findTaskRow } from '../../../work/task/store.ts';
import { withOutput } from '../../farm/failed-output.ts';
import type { Farm } from '../../farm/farm.ts';

export interface Back {
  readonly entry: number;
  readonly state: 'conflict' | 'rejected';
  /** The first line is for people, all of it for the agent. */
  readonly report: string;
  readonly conflict?: ConflictReport;
  /** The output of the check that failed. */
  readonly output?: FailedOutput;
  /** The same conflict was handed back before and came again unresolved: a person who must decide is told what both sides want. */
  readonly again?: boolean;
  /** Nothing can be built on these commits. */
  readonly anew?: boolean;
  /** A person did not let it land. */
  readonly refused?: boolean;
  /** The findings of a reviewer: the rounds of reviews bound them, and they are no failure of the work. */
  readonly findings?: boolean;
  /** A rule of the farm forbids it: it changes protected paths. */
  readonly forbidden?: boolean;
}

/**
 * Hands the work back, to be done again from the submitted commits, with a precise report; after `attempts` tries it is parked with a
 * question.
 */
export async function handBack(
  tx: Tx,
  farm: Farm,
  snapshot: { readonly entries: readonly Pick<QueueEntry, 'id' | 'task' | 'attempt' | 'sha'>[] },
  back: Back,
  now: number,
): Promise<void> {
  const { entry: id, state, report, conflict, output } = back;
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return;
  const first = report.split('\n')[0] ?? '';
  // Only an entry in quarantine can be rejected, and the plan has put it there.
  if (
    !(await advanceEntry(tx, id, back.refused || back.forbidden || back.findings ? { on: 'refused' } : towards(state), now, {
      reason: first,
    }))
  )
    return;
  const why = whyOf(back);
  const data = {
    why,
    sha: entry.sha,
    ...(conflict && { ref: conflict.ref, files: conflict.files.map((file) => file.path) }),
    ...(output && { log: output.path }),
    // A person's words are kept in full, also where no agent is told them.
    ...(back.refused && { report }),
  };
  const task = await findTaskRow(tx, entry.task);
  await append(
    tx,
    {
      kind: 'task.handed-back',
      task: entry.task,
      attempt: entry.attempt,
      text: `${task?.id ?? splitRef(entry.task).id} goes back: ${first}`,
      data,
    },
    now,
  );
  if (!task) {
    // No agent gets it back: a person submitted it, and should not have to read the log to find out.
    if (!back.refused) await raiseQuestion(tx, { kind: state, subject: entry.task, reason: first, data: withOutput(output) }, now);
    return;
  }
  const asked = back.findings ? { ...task, event: 'failed', question: undefined } : failure(first, task, farm.config.attempts);
  const after = back.again && conflict && asked.event === 'parked' ? { ...asked, question: bothSides(conflict, task.title) } : asked;
  const rework: Rework = {
    why,
    report,
    from: back.anew ? null : entry.sha,
    ...(conflict && { ours: conflict.ours }),
    ...(output && { output }),
  };
  const parked = after.event === 'parked';
  await advance(tx, entry.task, { on: parked ? 'parked' : 'handedBack', token: entry.attempt }, now, {
    failures: after.failures,
    rework,
    ...(parked && { blocked: 1, block_reason: after.question === undefined ? null : shared(farm, after.question) }),
    tell: {
      status: 'todo',
      notes: [noteOf(farm, entry.attempt, first, output)],
      ...(parked && { blocked: shared(farm, after.question ?? first) }),
    },
  });
  if (!parked) return;
  await append(tx, { kind: 'task.parked', task: entry.task, attempt: entry.attempt, text: `${task.id} is parked: ${after.question}` }, now);
  await raiseQuestion(tx, { kind: 'parked', subject: entry.task, reason: after.question ?? first, data: withOutput(output) }, now);
}

function whyOf({ refused, findings, forbidden, state }: Back): Rework['why'] {
  if (refused) return 'review';
  if (findings) return 'findings';
  if (forbidden) return 'protect';
  return state === 'conflict' ? 'conflict' : 'check';
}

const NOTE_LINES = 5;

/** The note for the board. Others read the board too, so paths are relative to the repository. */
function noteOf(farm: Farm, attempt: number, first: string, output: FailedOutput | undefined): string {
  const lines = tellingLines(output?.lines.join('\n') ?? '', { lines: NOTE_LINES });
  // Indented: Markdown shows it unchanged, and no line counts as a conflict marker.
  return [`attempt ${attempt}: ${shared(farm, first)}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

const shared = ({ repo }: Farm, text: string) => text.replaceAll(`${repo.root}/`, '');

/** The intent of each side of a conflict, because a person needs both to decide. */
function bothSides(conflict: ConflictReport, title: string): string {
  const paths = conflict.files.slice(0, 5).map((file) => file.path);
  const theirs = new Map(conflict.files.flatMap((file) => file.oursTasks).map((one) => [one.task, one.intent]));
  const landed = [...theirs].slice(0, 5).map(([task, intent]) => `${branchOf(task) ?? task} (${intent})`);
  const there =
    landed.length > 0 ? landed.join(', ') : `what is on ${conflict.target} since ${conflict.base?.slice(0, 8) ?? 'the branch point'}`;
  return `it still conflicts with ${conflict.target} in ${paths.join(', ')}. Its task: ${title}. On the other side: ${there}. The merge with markers is at ${conflict.ref}`;
}
