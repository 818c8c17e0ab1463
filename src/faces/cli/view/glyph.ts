import type { ListedAgent, TaskState } from '../../../api/contract.ts';
import * as states from '../../../tell/face/states.ts';
import type { Paint } from '../out.ts';

/** A text in the colour of a state. */
export function inTone(text: string, tone: states.StateTone, paint: Paint): string {
  switch (tone) {
    case 'good':
      return paint.green(text);
    case 'busy':
      return paint.cyan(text);
    case 'warn':
      return paint.yellow(text);
    case 'bad':
      return paint.red(text);
    case 'faint':
      return paint.dim(text);
    case 'plain':
      return text;
    default:
      return tone satisfies never;
  }
}

export function taskGlyph(state: TaskState, paint: Paint): string {
  const { glyph, tone } = states.TASK_STATES[state];
  return inTone(glyph, tone, paint);
}

export function agentState(agent: Pick<ListedAgent, 'state' | 'paused' | 'detail'>, paint: Paint): string {
  const { word, tone } = states.agentState(agent);
  return inTone(word, tone, paint);
}

/** `landed` of `total`, drawn. */
export function bar(landed: number, total: number, cells: number): string {
  const full = total === 0 ? 0 : Math.floor((landed / total) * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
}

export function short(sha: string | null): string {
  return sha === null ? '-' : sha.slice(0, 9);
}
