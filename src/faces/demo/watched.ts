import type { DemoTask } from './tasks.ts';

/** A watched demo takes about a minute and a half; the other one adds no pauses. */
const SLOWER = 16;

/** Lines for the agents' terminals: a program that works says what it does. */
const LINES = [
  'reading the task and what is there',
  'looking at the recipes beside it',
  'weighing the ingredients',
  'writing it down',
  'tasting',
  'reading it once more',
];

/** The same tasks for a person who watches: slower, with something to read, a message, and one task that waits for approval. */
export function watched(tasks: readonly DemoTask[]): DemoTask[] {
  const last = tasks.at(-1)!;
  return tasks.map((task, at) => ({
    ...task,
    ...(task === last && { land: 'approve' as const }),
    script: [...(at === 0 ? ['furrow notify human "I begin with the guests. The menu is in good hands."'] : []), ...task.script].flatMap(
      (step) => slower(step, task.id),
    ),
  }));
}

function slower(step: string, id: number): string[] {
  const work = /^work (\d+)$/.exec(step);
  if (!work) return [step];
  const pieces = 6;
  const ms = Math.round((Number(work[1]) * SLOWER) / pieces);
  return Array.from({ length: pieces }, (_, n) => [`say ${LINES[(n + id) % LINES.length]}`, `work ${ms}`]).flat();
}
