import { type Deed, deedOf } from '../../src/tell/face/step-call.ts';
import type { NextStep } from '../../src/work/question/next-step.ts';

/** A step as the page does it: a call, another view, or something to read in a dialog. */
export type Way =
  | ({ readonly how: 'call' } & Deed)
  | { readonly how: 'go'; readonly view: string; readonly rest: string }
  | { readonly how: 'read'; readonly what: Readable; readonly subject: string }
  | { readonly how: 'trust' };

export type Readable = 'why' | 'logs' | 'config' | 'doctor' | 'checks' | 'clean' | 'locks';

/** Every command of `stepsFor` has its counterpart here: nobody types on the page. */
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
    case 'log':
      return { how: 'go', view: 'log', rest: /^--(agent|task)$/.test(subject) ? `${subject.slice(2)}:${step.command[2] ?? ''}` : '' };
    case 'doctor':
      return { how: 'read', what: subject === '--check' ? 'checks' : 'doctor', subject: '' };
    case 'why':
    case 'logs':
    case 'config':
    case 'clean':
    case 'locks':
      return { how: 'read', what: word, subject };
    default:
      throw new Error(`the page has no way to ${step.says}`);
  }
}
