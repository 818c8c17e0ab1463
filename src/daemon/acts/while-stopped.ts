import type { ActKind } from './table.ts';

/**
 * The fate of each act in a farm that a person stopped. `waits`: it starts, lands, publishes or sends something, and is not begun.
 * `goes on`: it ends what ran, or writes down what happened. Every act, once: a new one does not compile before it is here.
 */
export const WHILE_STOPPED: Readonly<Record<ActKind, 'waits' | 'goes on'>> = {
  'attempt.start': 'waits',
  'attempt.end': 'goes on',
  'attempt.relaunch': 'waits',
  'board.write': 'goes on',
  'check.run': 'waits',
  'landing.land': 'waits',
  'landing.publish': 'waits',
  'landing.push': 'waits',
  'notice.post': 'waits',
  'notice.tell': 'waits',
  'race.judge': 'waits',
  'worktree.dispose': 'goes on',
};
