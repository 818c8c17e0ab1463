import type { Isolation } from '../../repo/fence/level.ts';

/** The few facts about this machine that can be looked at every minute. */
export interface MachineFacts {
  readonly freeBytes: number;
  /** Where the worktrees are. */
  readonly home: string;
  /** Programs that furrow cannot work without and that are not on the PATH. */
  readonly missing: readonly string[];
  readonly isolation: Pick<Isolation, 'level' | 'why'>;
  /** Files below `.git` that make every git wait, the person's too. */
  readonly waiting: readonly string[];
  /** The configuration asks for no isolation. */
  readonly isolationOff: boolean;
}

interface MachineProblem {
  readonly subject: 'disk' | 'programs' | 'isolation' | 'git';
  readonly reason: string;
}

const GB = 1024 ** 3;

/**
 * The problems that `furrow doctor` would call bad, as far as they are cheap to find. `wasIsolated`: agents of this farm had a fence
 * before, so having none now is a loss. Pure.
 */
export function machineProblems(facts: MachineFacts, wasIsolated: boolean): MachineProblem[] {
  const { freeBytes, home, missing, isolation, isolationOff, waiting } = facts;
  const free = `${(freeBytes / GB).toFixed(1)} GB are free at ${home}: agents and checks will fail without room; furrow clean puts away what is not needed`;
  const fell = `agents and checks run with isolation: none (${isolation.why}), and had one before: they can read and change whatever you can`;
  return [
    ...(freeBytes < GB ? [{ subject: 'disk' as const, reason: free }] : []),
    ...(missing.length > 0
      ? [{ subject: 'programs' as const, reason: `${missing.join(' and ')} cannot be found on the PATH any more` }]
      : []),
    ...(waiting.length > 0 ? [{ subject: 'git' as const, reason: `every git waits at ${waiting.join(', ')}; rm it` }] : []),
    ...(wasIsolated && !isolationOff && isolation.level === 'none' ? [{ subject: 'isolation' as const, reason: fell }] : []),
  ];
}
