import { chance, dice, exponential, type Roll, whole, zipf } from './random.ts';

/** The mean time of all project checks together is 1; every other time is a multiple of it. */
export interface Parameters {
  readonly changes: number;
  readonly slots: number;
  readonly batch: number;
  readonly retries: number;
  /** Arrivals a unit of time, as a part of what `slots` checks could do one by one; `undefined`: all at once. */
  readonly load: number | undefined;
  /** How likely a change is bad by itself. */
  readonly bad: number;
  readonly modules: number;
  readonly zipf: number;
  /** How likely a pair that shares a module conflicts in the text; else how likely it is green apart and red together. */
  readonly textual: number;
  readonly semantic: number;
  /** How likely a pair that shares no module is green apart and red together. */
  readonly distant: number;
  /** How likely a change needs one of the five before it. */
  readonly depends: number;
  /** Project checks. */
  readonly checks: number;
  /** How likely a change has a check of its own. */
  readonly own: number;
  readonly sigma: number;
  /** How likely a green tree fails a run. */
  readonly flakes: number;
  /** How likely a run says nothing, because of the machine. */
  readonly errors: number;
  /** k checks at once run at k^-contention of their speed each. */
  readonly contention: number;
  /** Time that one merge takes. */
  readonly mergeCost: number;
  /** How likely a change does again what another one does. */
  readonly copies: number;
  /** How likely a change cannot be merged at all. */
  readonly unrelated: number;
  /** How likely a change is ejected by hand at some time. */
  readonly ejected: number;
  /** Commits of the user, which move the head past the queue; some leave it red for a while. */
  readonly userCommits: number;
  /** Times that the human changes the number of slots, pauses the queue for a while, or edits a check. */
  readonly orders: number;
  /** How likely a change lands only after a person's yes; one in four of these never gets it. */
  readonly approvals: number;
  /** Crashes; each loses the running checks, the known merges and the planner's notes. */
  readonly crashes: number;
  /** Whether checks are started before the merges and the landing of the same plan are done. */
  readonly eager: boolean;
}

export const DEFAULTS: Parameters = {
  changes: 200,
  slots: 4,
  batch: 8,
  retries: 1,
  load: undefined,
  bad: 0.05,
  modules: 100,
  zipf: 0.8,
  textual: 0.02,
  semantic: 0.004,
  distant: 2e-5,
  depends: 0.1,
  checks: 1,
  own: 0,
  sigma: 0.5,
  flakes: 0,
  errors: 0,
  contention: 0,
  mergeCost: 0,
  copies: 0,
  unrelated: 0,
  ejected: 0,
  userCommits: 0,
  orders: 0,
  approvals: 0,
  crashes: 0,
  eager: false,
};

/** A change and the truth about it, which no planner sees. */
export interface Change {
  readonly id: number;
  readonly arrives: number;
  readonly modules: ReadonlySet<number>;
  /** The change that this one does again. */
  readonly source: number;
  readonly after: readonly number[];
  readonly own: boolean;
  /** The check that fails wherever this change is. */
  readonly fails: string | undefined;
  readonly unrelated: boolean;
  readonly ejectedAt: number | undefined;
  /** How long after it was submitted a person says yes to it; `undefined`: it needs none. */
  readonly yesAfter: number | undefined;
  readonly priority: number;
  /** Changes whose text it does not merge with. */
  readonly textual: Set<number>;
  /** Changes with which it is red, and on which check. */
  readonly semantic: Map<number, string>;
}

/** A commit of the user is a change that lands by itself; a bad one is taken back at `fixedAt`. */
export interface UserCommit extends Change {
  readonly fixedAt: number | undefined;
}

/** What the human wants from now on. An edited check has no verdicts. */
export type Order = { readonly at: number } & (
  | { readonly is: 'slots'; readonly slots: number }
  | { readonly is: 'paused' | 'resumed' }
  | { readonly is: 'edited'; readonly check: number }
);

export interface Workload {
  readonly seed: string;
  readonly parameters: Parameters;
  readonly changes: readonly Change[];
  readonly userCommits: readonly UserCommit[];
  readonly orders: readonly Order[];
  readonly crashes: readonly number[];
}

export const ownCheck = (change: { source: number }) => `own-${change.source}`;

/** Everything about the changes, from the seed alone; how the checks run is drawn while they run. */
export function drawWorkload(seed: string, parameters: Parameters): Workload {
  const roll = dice(`${seed}/workload`);
  const module = zipf(parameters.modules, parameters.zipf);
  const changes: Change[] = [];
  let now = 0;
  for (let id = 0; id < parameters.changes; id++) {
    if (parameters.load !== undefined) now += exponential(roll, 1 / (parameters.load * parameters.slots));
    changes.push(drawChange(id, now, changes, module, parameters, roll));
  }
  // About as long as the queue will be busy, so that what happens besides falls into that time.
  const span = now + Math.max(2, (2 * parameters.changes) / parameters.slots);
  const userCommits = Array.from({ length: parameters.userCommits }, (_, n): UserCommit => {
    const arrives = roll() * span;
    const plain = { ...parameters, bad: parameters.bad / 2, depends: 0, copies: 0, own: 0, unrelated: 0, ejected: 0 };
    const change = drawChange(parameters.changes + n, arrives, [], module, plain, roll);
    return { ...change, fixedAt: change.fails === undefined ? undefined : arrives + exponential(roll, 2) };
  });
  drawPairs([...changes, ...userCommits], parameters, roll);
  // From dice of its own, so that workloads without approvals stay as they are.
  const yes = dice(`${seed}/yes`);
  const asked = changes.map((change) => (chance(yes, parameters.approvals) ? { ...change, yesAfter: drawYes(yes) } : change));
  const crashes = Array.from({ length: parameters.crashes }, () => roll() * span);
  const orders = Array.from({ length: parameters.orders }, () => drawOrders(roll() * span, parameters, roll)).flat();
  return { seed, parameters, changes: asked, userCommits, orders, crashes };
}

const drawYes = (roll: Roll) => (chance(roll, 0.25) ? Number.POSITIVE_INFINITY : exponential(roll, 3));

function drawOrders(at: number, { checks }: Parameters, roll: Roll): Order[] {
  const which = roll();
  if (which < 0.5) return [{ at, is: 'slots', slots: whole(roll, 1, 8) }];
  if (which < 0.75 && checks > 0) return [{ at, is: 'edited', check: whole(roll, 0, checks - 1) }];
  return [
    { at, is: 'paused' },
    { at: at + exponential(roll, 1), is: 'resumed' },
  ];
}

function drawChange(
  id: number,
  arrives: number,
  before: readonly Change[],
  module: (roll: Roll) => number,
  { bad, depends, copies, own, unrelated, ejected, checks, modules: count }: Parameters,
  roll: Roll,
): Change {
  // One more with probability 0.375, again and again: 1.6 in the mean.
  let width = 1;
  while (width < Math.min(6, count) && chance(roll, 0.375)) width++;
  const modules = new Set<number>();
  while (modules.size < width) modules.add(module(roll));
  const original = chance(roll, copies) ? before[whole(roll, 0, before.length - 1)] : undefined;
  const near = before.slice(-5);
  const needed = chance(roll, depends) && near.length > 0 ? [near[whole(roll, 0, near.length - 1)]!.id] : [];
  const plain = {
    id,
    arrives,
    unrelated: chance(roll, unrelated),
    ejectedAt: chance(roll, ejected) ? arrives + exponential(roll, 5) : undefined,
    yesAfter: undefined,
    priority: chance(roll, 0.1) ? 1 : 0,
    textual: new Set<number>(),
    semantic: new Map<number, string>(),
  };
  if (original && !original.unrelated) return { ...original, ...plain, unrelated: false };
  const hasOwn = chance(roll, own);
  const kinds = [...Array.from({ length: checks }, (_, n) => `check-${n}`), ...(hasOwn ? [`own-${id}`] : [])];
  // Drawn in any case, so that workloads of one seed differ in nothing but what their parameters say.
  const failing = kinds[whole(roll, 0, kinds.length - 1)];
  return { ...plain, modules, source: id, after: needed, own: hasOwn, fails: chance(roll, bad) ? failing : undefined };
}

/** A change was made on top of what it needs, so it never conflicts with that. */
function drawPairs(changes: readonly Change[], { textual, semantic, distant, checks }: Parameters, roll: Roll): void {
  for (const [at, later] of changes.entries()) {
    for (const earlier of changes.slice(0, at)) {
      if (later.source !== later.id || earlier.source !== earlier.id || later.after.includes(earlier.id)) continue;
      const near = [...later.modules].some((module) => earlier.modules.has(module));
      if (near && chance(roll, textual)) {
        later.textual.add(earlier.id);
        earlier.textual.add(later.id);
      } else if (checks > 0 && chance(roll, near ? semantic : distant)) {
        const check = `check-${whole(roll, 0, checks - 1)}`;
        later.semantic.set(earlier.id, check);
        earlier.semantic.set(later.id, check);
      }
    }
  }
}
