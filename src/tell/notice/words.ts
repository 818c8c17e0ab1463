import { redact } from '../../platform/redact.ts';
import { visible } from '../../platform/visible.ts';
import type { Item } from './rule.ts';

/** A message as every channel has it. */
export interface Words {
  readonly title: string;
  readonly lines: readonly string[];
}

const SHOWN = 5;
const LINE = 200;

/** The words for some items: the kinds in the title, the first of them below it. No secret, no control, no line longer than 200 letters. */
export function wordsFor(farm: string, items: readonly Item[]): Words {
  const count = (kind: Item['kind']) => items.filter((item) => item.kind === kind).length;
  const wants = count('needs-you');
  const parts = [
    ...(count('halted') > 0 ? ['the queue halted'] : []),
    ...(wants > 0 ? [wants === 1 ? '1 thing needs you' : `${wants} things need you`] : []),
    ...(count('finished') > 0 ? ['work finished'] : []),
  ];
  const shown = items.length > SHOWN ? items.slice(0, SHOWN - 1) : items;
  const more = items.length - shown.length;
  const lines = shown.map(({ subject, text, work }) => short(`${named(subject, work)}: ${text}`));
  return { title: short(`${farm}: ${parts.join(', ')}`), lines: [...lines, ...(more > 0 ? [`and ${more} more: furrow next`] : [])] };
}

/** A task by its title, too; an agent by its name, with its task. */
function named(subject: string, work: Item['work']): string {
  if (!work) return subject;
  const task = `${work.task} · ${work.title}`;
  return subject === work.task ? task : `${subject}, ${task}`;
}

function short(text: string): string {
  const plain = visible(redact(text));
  return plain.length <= LINE ? plain : `${[...plain].slice(0, LINE - 1).join('')}…`;
}
