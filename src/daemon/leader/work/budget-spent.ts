import { overBudget } from '../../../agents/agent/budget.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { allowance, spent } from '../../farm/cost.ts';
import type { Farm } from '../../farm/farm.ts';
import { AGAIN, isRefused } from './refusal.ts';

/** Over the budget nothing starts; a person is asked once. */
export async function budgetSpent(farm: Farm, task: string) {
  const now = farm.clock.now();
  const { budget } = farm.config;
  if (budget.run_usd === undefined && budget.task_usd === undefined) return undefined;
  const { usd, task: own } = await spent(farm, task);
  // The answer is read where the question is raised: one that came in between has closed it, and nobody would close a second one.
  return farm.db.transaction().execute(async (tx) => {
    const over = overBudget(budget, { run: usd, task: own }, await allowance(tx, task));
    if (!over) {
      await closeQuestions(tx, 'budget', 'farm', 'the budget allows it again', now);
      return undefined;
    }
    const held = { code: 'budget', for: over.over === 'run' ? 'farm' : 'task' } as const;
    const subject = over.over === 'task' ? task : 'farm';
    if (await isRefused(tx, 'budget', subject))
      return { ...held, text: `${over.reason}, and you said no to more; ${AGAIN}`, refused: true } as const;
    await raiseQuestion(tx, { kind: 'budget', subject, reason: `${over.reason}; may it cost more?` }, now);
    return { ...held, text: over.reason };
  });
}
