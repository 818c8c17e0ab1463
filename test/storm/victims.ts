import { type Seen, variable } from '../support/processes.ts';

export type Kind = 'daemon' | 'tmux' | 'agent' | 'agent-child' | 'git' | 'lasting-git' | 'starter' | 'check' | 'terminal';

/** How often each kind is aimed at. */
const WEIGHTS: readonly (readonly [Kind, number])[] = [
  ['daemon', 0.2],
  ['tmux', 0.1],
  ['agent', 0.2],
  ['agent-child', 0.1],
  ['git', 0.15],
  ['lasting-git', 0.05],
  ['starter', 0.1],
  ['check', 0.05],
  ['terminal', 0.05],
];

/** The commands of gits that stay. */
const LASTING = / (cat-file --batch-command|diff-tree .*--stdin|update-ref .*--stdin)/;

/**
 * What a process of the farm is; `undefined` for the command line that the storm itself runs. `terminal` is what stands
 * around an agent in its window: the script that started it, its log, the supervisor pane.
 */
export function kindOf(seen: Seen): Kind | undefined {
  if (seen.command.includes('furrow.cjs')) return undefined;
  if (/\/daemon\/main\.(ts|cjs)/.test(seen.command)) return 'daemon';
  if (/\/starter\/main\.(ts|cjs)/.test(seen.command)) return 'starter';
  if (/^tmux\b/.test(seen.command)) return 'tmux';
  if (variable(seen, 'FURROW_TASK') !== undefined) return seen.command.includes('tools/agent.sh') ? 'agent' : 'agent-child';
  if (/^(\S*\/)?git\b/.test(seen.command)) return LASTING.test(seen.command) ? 'lasting-git' : 'git';
  return seen.cwd.includes('.furrow/slots/') ? 'check' : 'terminal';
}

/** The kind to aim at next. */
export function aim(roll: number): Kind {
  let rest = roll;
  for (const [kind, weight] of WEIGHTS) {
    rest -= weight;
    if (rest < 0) return kind;
  }
  return 'daemon';
}

/** One process of the wanted kind; any other one of the farm when there is none. */
export function choose(farm: readonly Seen[], wanted: Kind, roll: number, settleFor: boolean): { seen: Seen; kind: Kind } | undefined {
  const known = farm.flatMap((seen) => {
    const kind = kindOf(seen);
    return kind === undefined ? [] : [{ seen, kind }];
  });
  const right = known.filter(({ kind }) => kind === wanted);
  const from = right.length > 0 || !settleFor ? right : known;
  return from[Math.floor(roll * from.length)];
}

/** Tasks with living processes of two attempts at once. Each pair is proven: the first was alive after the second was seen. */
export function doubled(farm: readonly Seen[], stillLives: (seen: Seen) => boolean): string[] {
  const byTask = Map.groupBy(
    farm.filter((seen) => variable(seen, 'FURROW_TASK') !== undefined && !seen.command.includes('furrow.cjs')),
    (seen) => `${variable(seen, 'FURROW_PHASE')}/${variable(seen, 'FURROW_TASK')}`,
  );
  return [...byTask].flatMap(([task, seen]) => {
    const attempts = new Set(seen.filter(stillLives).map((p) => variable(p, 'FURROW_ATTEMPT')));
    return attempts.size > 1 ? [`${task} has processes of attempts ${[...attempts].join(' and ')} at once`] : [];
  });
}
