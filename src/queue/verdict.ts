import { type Abouts, aboutKey, type CheckRun, type CheckSpec } from './snapshot.ts';

/** Trouble of the machine that came this often in a row will not end by asking again. */
export const MAX_ERRORS = 5;

/** The answers of one check about one tree. */
interface Trail {
  /** Of the newest run that could answer. */
  answer: 'pass' | 'fail' | undefined;
  /** Ids of the fails since the last pass. */
  fails: number[];
  /** Id of the last pass. */
  passed: number | undefined;
  /** Errors in a row since the last answer. */
  errors: number;
}

export interface Runs {
  readonly byId: ReadonlyMap<number, CheckRun>;
  /** By content, then by check. */
  readonly trails: ReadonlyMap<string, ReadonlyMap<string, Trail>>;
  readonly abouts: Abouts;
  /** By check: every run that gave an answer, oldest first. */
  readonly answers: ReadonlyMap<string, readonly CheckRun[]>;
}

export type Verdict =
  | { readonly is: 'green' }
  | { readonly is: 'red'; readonly check: CheckSpec; readonly run: number }
  | { readonly is: 'open'; readonly next: CheckSpec; readonly broken: boolean };

/** Indexes all runs once: there may be thousands, and every tree of a plan asks several times. */
export function indexRuns(runs: readonly CheckRun[], abouts: Abouts = new Map()): Runs {
  const byId = new Map<number, CheckRun>();
  const trails = new Map<string, Map<string, Trail>>();
  const answers = new Map<string, CheckRun[]>();
  for (const run of runs) {
    byId.set(run.id, run);
    note(entryOf(entryOf(trails, run.tree, newMap), run.check, newTrail), run);
    if (run.outcome !== 'error') entryOf(answers, run.check, newList).push(run);
  }
  return { byId, trails, answers, abouts };
}

/** The newest run with an answer decides; an `error` is trouble of the machine and says nothing, whatever came before it. */
function note(trail: Trail, run: CheckRun): void {
  if (run.outcome === 'error') {
    trail.errors++;
    return;
  }
  trail.errors = 0;
  trail.answer = run.outcome;
  if (run.outcome === 'fail') trail.fails.push(run.id);
  else [trail.fails, trail.passed] = [[], run.id];
}

/** Green when all are green; one red decides; else the first unknown check is next. */
export function verdictOf(runs: Runs, tree: string, checks: readonly CheckSpec[]): Verdict {
  let open: Verdict | undefined;
  for (const check of checks) {
    const trail = trailOf(runs, tree, check.id);
    if (trail?.answer === 'fail') return { is: 'red', check, run: trail.fails.at(-1)! };
    if (trail?.answer === undefined) open ??= { is: 'open', next: check, broken: (trail?.errors ?? 0) >= MAX_ERRORS };
  }
  return open ?? { is: 'green' };
}

/**
 * The content that the verdict of a check on a tree is about. Trees with the same content in a check's paths share one verdict, so every
 * question about verdicts, red runs and running checks goes through here.
 */
export const aboutOf = ({ abouts }: Pick<Runs, 'abouts'>, tree: string, check: string) => abouts.get(aboutKey(tree, check)) ?? tree;

export const trailOf = (runs: Runs, tree: string, check: string) => runs.trails.get(aboutOf(runs, tree, check))?.get(check);

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const newMap = () => new Map<string, Trail>();
const newList = (): CheckRun[] => [];
const newTrail = (): Trail => ({ answer: undefined, fails: [], passed: undefined, errors: 0 });
