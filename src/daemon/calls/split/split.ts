import type { Out } from '../../../api/contract.ts';
import type { Handlers } from '../../../api/server.ts';
import { FurrowError } from '../../../platform/error.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { findOpenQuestion, type Question } from '../../../work/question/store.ts';
import { questionAbout, type SplitData } from '../../../work/split/read.ts';
import { findTaskRow } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { type Desk, findTask } from '../context.ts';
import { until } from '../wait-until.ts';
import { answerSplit } from './apply.ts';
import { beginSplit } from './begin.ts';

/** Calls about splits, and how a question about one is answered: once at a time. */
export function splits(desk: Desk): {
  readonly calls: Pick<Handlers, 'split' | 'splitReady' | 'splitAnswer'>;
  answer(question: Question, text: string): Promise<void>;
} {
  const { farm, feed } = desk;
  const busy = new Set<number>();
  const once = async (question: Question, approve: boolean) => {
    if (busy.has(question.id)) throw new FurrowError('TRY_AGAIN', `question ${question.id} is being answered`, { hint: 'furrow list' });
    busy.add(question.id);
    return answerSplit(desk, question, approve).finally(() => busy.delete(question.id));
  };
  const calls: Pick<Handlers, 'split' | 'splitReady' | 'splitAnswer'> = {
    split: async (asked) => ({ id: await beginSplit(desk, asked) }),
    async splitReady({ id }, { signal }) {
      const { ref } = await findTask(farm, id);
      let found: Out<'splitReady'> | undefined;
      await until(feed, signal, async () => {
        found = await readyOf(farm, ref, id);
        return found !== undefined;
      });
      return found ?? { ...NOTHING, id, state: 'failed', reason: 'the farm is ending' };
    },
    async splitAnswer({ id, approve }) {
      const { ref } = await findTask(farm, id);
      const about = await questionAbout(farm.db, ref);
      const question = about && (await findOpenQuestion(farm.db, about.id));
      if (!question) throw new FurrowError('NO_QUESTION', `${id} has no proposal that waits for an answer`, { hint: `furrow why ${id}` });
      return { id, tasks: await once(question, approve) };
    },
  };
  const answer = async (question: Question, text: string) => {
    const word = /^\s*(y|yes|n|no)\s*$/i.exec(text)?.[1]?.toLowerCase();
    if (word === undefined)
      throw new FurrowError('NOT_AN_ANSWER', 'answer yes or no', {
        hint: `furrow answer ${question.id} yes|no; to change it: no, then furrow split again`,
      });
    await once(question, word.startsWith('y'));
  };
  return { calls, answer };
}

const NOTHING = { question: null, tasks: [], graph: [] };

/** The proposal of a split, or why there is none; `undefined` while its agent is at it. */
async function readyOf(farm: Farm, ref: string, id: string): Promise<Out<'splitReady'> | undefined> {
  const question = await questionAbout(farm.db, ref);
  if (question) {
    const { tasks, graph, problems } = JSON.parse(question.data ?? '{}') as SplitData;
    const state = question.closed !== null ? 'answered' : tasks.length > 0 ? 'proposed' : 'failed';
    const reason = state === 'answered' ? question.answer : problems.length > 0 ? problems.join('; ') : null;
    return { id, state, question: String(question.id), tasks, graph, reason };
  }
  const [task, errand] = [await findTaskRow(farm.db, ref), await errandOf(farm.db, ref)];
  if (!task || !errand) return { ...NOTHING, id, state: 'failed', reason: `${id} is not there any more` };
  if (task.standing === 'landed' && errand.result !== null) return undefined;
  const over = task.standing === 'landed' || task.standing === 'parked' || task.blocked === 1;
  return over
    ? { ...NOTHING, id, state: 'failed', reason: task.block_reason ?? task.unchanged ?? 'it ended without an answer' }
    : undefined;
}
