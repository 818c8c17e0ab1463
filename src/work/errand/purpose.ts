import type { Purpose } from '../../journal/rows/task.ts';

/** The purposes of an errand: what the farm itself asks an agent to do. */
export type ErrandPurpose = Exclude<Purpose, 'work'>;

/** True when it ends with an answer; an entrant of a race ends with commits, like work. */
export const endsByAnswer = (purpose: Purpose): boolean => purpose === 'review' || purpose === 'split' || purpose === 'judge';
