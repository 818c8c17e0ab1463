import type { CallName, In } from '../../src/api/contract.ts';
import type { NextStep } from '../../src/work/question/next-step.ts';

type Made<N extends CallName = CallName> = { [M in N]: { readonly call: M; readonly args: In<M> } }[N];

/** A step as the page does it: a call, another view, or something to read in a dialog. `typed`: it takes a terminal. */
export type Deed =
  | ({ readonly how: 'call' } & Made<'answer' | 'approve' | 'reject' | 'retry' | 'unblock' | 'pauseQueue'>)
  | { readonly how: 'go'; readonly view: string; readonly rest: string }
  | { readonly how: 'read'; readonly what: 'why' | 'logs' | 'config'; readonly subject: string }
  | { readonly how: 'typed'; readonly command: string };

/** Every command of `stepsFor` has its counterpart here; a new one is shown as the command to type until it has. */
export function deedOf({ command, takes }: NextStep, text: string): Deed {
  const [word, subject = '', ...rest] = command;
  const said = takes === null ? (rest[0] ?? '') : text;
  switch (word) {
    case 'answer':
      return { how: 'call', call: 'answer', args: { question: subject, text: said } };
    case 'approve':
      return { how: 'call', call: 'approve', args: { tasks: [subject] } };
    case 'reject':
      return { how: 'call', call: 'reject', args: { task: subject, reason: text } };
    case 'retry':
      return { how: 'call', call: 'retry', args: { task: subject } };
    case 'unblock':
      return { how: 'call', call: 'unblock', args: { task: subject } };
    case 'queue':
      return subject === 'resume'
        ? { how: 'call', call: 'pauseQueue', args: { paused: false } }
        : { how: 'go', view: 'queue', rest: subject.replace(/^--/, '') };
    case 'diff':
      return { how: 'go', view: 'changes', rest: subject };
    case 'attach':
      return { how: 'go', view: 'agents', rest: subject };
    case 'list':
      return { how: 'go', view: 'board', rest: '' };
    case 'why':
    case 'logs':
    case 'config':
      return { how: 'read', what: word, subject };
    default:
      return { how: 'typed', command: `furrow ${command.join(' ')}` };
  }
}
