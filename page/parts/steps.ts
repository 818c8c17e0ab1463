import { type Deed, deedOf } from '../../src/tell/face/step-call.ts';
import type { NextStep } from '../../src/work/question/next-step.ts';

/** A step as the page does it: a call, another view, or something to read in a dialog. `typed`: it takes a terminal. */
export type Way =
  | ({ readonly how: 'call' } & Deed)
  | { readonly how: 'go'; readonly view: string; readonly rest: string }
  | { readonly how: 'read'; readonly what: 'why' | 'logs' | 'config'; readonly subject: string }
  | { readonly how: 'trust' }
  | { readonly how: 'typed'; readonly command: string };

/** Every command of `stepsFor` has its counterpart; a new one is shown as the command to type until it has. */
export function wayOf(step: NextStep, text: string): Way {
  const deed = deedOf(step, text);
  if (deed) return { how: 'call', ...deed };
  const [word, subject = ''] = step.command;
  switch (word) {
    case 'queue':
      return { how: 'go', view: 'queue', rest: subject.replace(/^--/, '') };
    case 'diff':
      return { how: 'go', view: 'changes', rest: subject };
    case 'attach':
      return { how: 'go', view: 'agents', rest: subject };
    case 'trust':
      return { how: 'trust' };
    case 'list':
      return { how: 'go', view: 'board', rest: '' };
    case 'why':
    case 'logs':
    case 'config':
      return { how: 'read', what: word, subject };
    default:
      return { how: 'typed', command: `furrow ${step.command.join(' ')}` };
  }
}
