import type { CallName, In } from '../../api/contract.ts';
import type { NextStep } from '../../work/question/next-step.ts';

type Made<N extends CallName = CallName> = { [M in N]: { readonly call: M; readonly args: In<M> } }[N];

/** A call that does what the command of a step would do, so that a question is answered in place. */
export type Deed = Made<'answer' | 'approve' | 'reject' | 'retry' | 'unblock' | 'pauseQueue' | 'release'>;

/** The call behind a step. `undefined`: the step only looks, or needs a terminal. */
export function deedOf({ command, takes }: NextStep, text: string): Deed | undefined {
  const [word, subject = '', ...rest] = command;
  switch (word) {
    case 'answer':
      return { call: 'answer', args: { question: subject, text: takes === null ? rest.join(' ') : text } };
    case 'approve':
      return { call: 'approve', args: { tasks: [subject] } };
    case 'reject':
      return { call: 'reject', args: { task: subject, reason: text } };
    case 'retry':
      return { call: 'retry', args: { task: subject } };
    case 'unblock':
      return { call: 'unblock', args: { task: subject } };
    case 'release':
      return { call: 'release', args: { id: subject } };
    case 'queue':
      return subject === 'resume' ? { call: 'pauseQueue', args: { paused: false } } : undefined;
    default:
      return undefined;
  }
}
