import type { Person } from '../person.ts';
import { board } from './board.ts';
import { branches } from './branches.ts';
import { cleaning } from './cleaning.ts';
import { commits } from './commits.ts';
import { config } from './config.ts';
import { files } from './files.ts';
import { offers } from './offers.ts';
import { operations } from './operations.ts';
import type { Step } from './step.ts';
import { stopped } from './stopped.ts';
import { symbolic } from './symbolic.ts';
import { upkeeps } from './upkeep.ts';
import { worktrees } from './worktrees.ts';

export const steps: readonly Step[] = [
  ...commits,
  ...branches,
  ...files,
  ...operations,
  ...config,
  ...board,
  ...cleaning,
  ...upkeeps,
  ...stopped,
  ...symbolic,
  ...worktrees,
  ...offers,
];

/** The next thing to do, of those that make sense now. */
export function nextStep(person: Person, skip: readonly string[]): Step {
  const possible = steps.filter(({ name, when }) => !skip.includes(name) && (when === undefined || when(person)));
  let rest = person.roll() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const step of possible) {
    rest -= step.weight;
    if (rest < 0) return step;
  }
  return possible[0]!;
}
