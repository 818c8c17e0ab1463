import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { attemptsAt } from '../../work/attempt/store.ts';
import { raiseQuestion } from '../../work/question/store.ts';
import { type Known, readProposal } from '../../work/split/proposal.ts';
import { splitData, unreadSplits } from '../../work/split/read.ts';
import { dependencyCheck } from '../../work/task/dependency.ts';
import { splitRef } from '../../work/task/id.ts';
import { advance } from '../../work/task/store.ts';
import { canStart } from '../farm/agent-settings.ts';
import type { Farm } from '../farm/farm.ts';

/** Reads the answers of agents that were asked to split something: each becomes a question to a person. */
export async function followSplits(farm: Farm): Promise<void> {
  for (const { ref, about, result } of await unreadSplits(farm.db)) {
    const read = readProposal(result, await knownFor(farm, about));
    const answers = (await attemptsAt(farm.db, ref)).filter((one) => one.outcome === 'answered').length;
    const now = farm.clock.now();
    await farm.db.transaction().execute(async (tx) => {
      if ('tasks' in read) return propose(tx, ref, splitData(read.tasks), now);
      return answers < TOLD ? handBack(tx, ref, read.problems, now) : propose(tx, ref, splitData([], read.problems), now);
    });
    farm.wake();
  }
}

/** The agent is told once that its answer cannot be used; after that a person is. */
const TOLD = 2;

async function knownFor(farm: Farm, about: string | null): Promise<Known> {
  const { plan } = await farm.tasks();
  const at = plan.find((task) => task.ref === about);
  const phase = at?.phase ?? farm.board.phases[0]?.name ?? 'default';
  return {
    kinds: Object.keys(farm.config.agents).filter((kind) => canStart(farm.config, kind)),
    priorities: farm.board.config.priorities,
    taken: (id) => plan.some((task) => task.id === id),
    // The task that is split will wait for the new ones, so they cannot wait for it.
    refuses: dependencyCheck(plan, { phase, ...(at && { ref: at.ref }) }),
  };
}

async function propose(tx: Tx, ref: string, data: ReturnType<typeof splitData>, now: number): Promise<void> {
  const { id } = splitRef(ref);
  const count = data.tasks.length;
  const reason =
    count > 0
      ? `${id} would put ${count} ${count === 1 ? 'task' : 'tasks'} on the board: ${data.tasks.map((one) => one.title).join('; ')}`
      : `the answer of ${id} cannot be used: ${data.problems.join('; ')}`;
  await raiseQuestion(tx, { kind: 'split', subject: ref, reason, data: JSON.stringify(data) }, now);
}

async function handBack(tx: Tx, ref: string, problems: readonly string[], now: number): Promise<void> {
  const report = ['Your answer cannot be used:', ...problems.map((one) => `- ${one}`)].join('\n');
  const rework = { why: 'evidence', report, from: null } as const;
  if (!(await advance(tx, ref, { on: 'reopened' }, now, { rework, status: 'todo' }))) return;
  const text = `${splitRef(ref).id} goes back: ${problems.join('; ')}`;
  await append(tx, { kind: 'task.handed-back', task: ref, text }, now);
}
