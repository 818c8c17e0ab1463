import { beforeEach } from 'vitest';
import { findOnPath, isExecutable } from '../../src/platform/on-path.ts';
import { CHROMIUM } from './chromium.ts';

/** Programs that some tests need beside git, tmux and Node, and what installs each on Debian. CI installs them all. */
export const PROGRAMS = { bwrap: 'bubblewrap', chromium: 'chromium', 'git-lfs': 'git-lfs' } as const;

export type Program = keyof typeof PROGRAMS;

export const without = (program: Program): boolean =>
  program === 'chromium' ? !isExecutable(CHROMIUM) : findOnPath(program, process.env['PATH'] ?? '') === undefined;

/** Marks a test that is left out for want of a program; `left-out.ts` reads it. */
const mark = (program: Program) => `[needs ${program}]`;
export const MARK = /\[needs ([\w-]+)\]/;

/** The title of a test or a group that is left out without this program. */
export const titled = (program: Program, title: string): string => (without(program) ? `${title} ${mark(program)}` : title);

/** Leaves out every test of this file, or of the group that it stands in, where the program is missing. */
export function needs(program: Program): void {
  beforeEach(({ skip }) => skip(without(program), mark(program)));
}

/** The same for one test, from within it. */
export const skipWithout = (program: Program, { skip }: { skip(condition: boolean, note: string): void }): void =>
  skip(without(program), mark(program));
