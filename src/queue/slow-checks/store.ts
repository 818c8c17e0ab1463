import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { readOutput } from '../../platform/output/read.ts';
import { entriesById } from '../../work/entry/read.ts';
import { findRun, runsOfChecks } from '../check-run/read.ts';
import { landingsAt } from '../landing/read.ts';
import { stepsOf } from '../landing/store.ts';
import type { Abouts, CheckRun, CheckSpec } from '../snapshot.ts';
import { readReverts } from './reverts.ts';
import type { Evidence, SlowCheckSnapshot, SlowCheckState, SlowCheckStep } from './snapshot.ts';
import type { LandedRevert, Without } from './state-without-step.ts';
import { type ChainReader, type LandedRow, stepsSince } from './steps.ts';

/** The questions of slow checks to git. */
export interface SlowCheckGit extends ChainReader {
  stepsWithoutReverted(
    base: SlowCheckState,
    steps: readonly SlowCheckStep[],
    reverts: readonly LandedRevert[],
    known: Without,
  ): Promise<SlowCheckStep[]>;
}

interface SlowCheckSource {
  readonly git: SlowCheckGit;
  readonly db: Db;
  readonly target: string;
  readonly head: SlowCheckState;
  readonly checks: readonly CheckSpec[];
  readonly retries: number;
  readonly running: SlowCheckSnapshot['running'];
  /** For some trees, the content that verdicts of checks with `paths` are about. */
  readonly abouts: (trees: readonly string[]) => Promise<Abouts>;
}

/** A memory between two looks: if nothing has happened, the next look runs no git. Losing it costs only time. */
export interface SlowCheckMemory {
  readonly without: Without;
  steps: { readonly key: string; readonly steps: readonly SlowCheckStep[] } | undefined;
}

export const emptySlowCheckMemory = (): SlowCheckMemory => ({ without: new Map(), steps: undefined });

/** Reads the facts for `planSlowChecks`. The first time, and after the user moved the target back, the head is the base. */
export async function readSlowChecks(source: SlowCheckSource, memory: SlowCheckMemory): Promise<SlowCheckSnapshot> {
  const { db, target, head, checks, retries, running } = source;
  const stored = await readMeta(db, baseKey(target));
  const base = stored === undefined ? head : (JSON.parse(stored) as SlowCheckState);
  if (stored === undefined) await keepBase(db, target, head);
  const reverts = await readReverts(db);
  const key = JSON.stringify([base, head, reverts]);
  if (memory.steps?.key !== key) {
    const steps = await stepsSince(source.git, base, head.commit, (commits) => readLandings(db, commits, reverts));
    if (steps === undefined) {
      await keepBase(db, target, head);
      return readSlowChecks(source, memory);
    }
    const landed = reverts.flatMap(({ step, entry, state }) => (state === 'landed' && entry !== null ? [{ step, entry }] : []));
    memory.steps = { key, steps: await source.git.stepsWithoutReverted(base, steps, landed, memory.without) };
  }
  const { steps } = memory.steps;
  const abouts = await source.abouts([base, ...steps].map(({ tree }) => tree));
  return { base, steps, runs: await readRuns(db, checks), checks, abouts, retries, running, reverts };
}

const baseKey = (target: string) => `after.base:${target}`;

/** Makes this state the start of the search: all checks call it good. */
export async function keepBase(db: Db | Tx, target: string, { commit, tree }: SlowCheckState): Promise<void> {
  await writeMeta(db, baseKey(target), JSON.stringify({ commit, tree }));
}

const CHUNK = 500;

async function readLandings(db: Db, commits: readonly string[], reverts: readonly { entry: number | null }[]): Promise<LandedRow[]> {
  const taking = new Set(reverts.map(({ entry }) => entry));
  const found: LandedRow[] = [];
  for (let at = 0; at < commits.length; at += CHUNK) {
    const rows = await landingsAt(db, commits.slice(at, at + CHUNK));
    const landings = rows.map((row) => ({ commit: row.commit, steps: stepsOf(row) }));
    const ids = landings.flatMap(({ steps }) => steps.map(({ entry }) => entry));
    const tasks = new Map((await entriesById(db, ids)).map(({ id, task }) => [id, task]));
    const taskOf = (entry: number) => (taking.has(entry) ? null : (tasks.get(entry) ?? null));
    found.push(...landings.map(({ commit, steps }) => ({ commit, steps: steps.map((step) => ({ ...step, task: taskOf(step.entry) })) })));
  }
  return found;
}

/** Far more than one search needs; older runs are repeated. */
const RECENT = 2000;

/** Runs by check, in any stage. Failures before a person's word ("go on") no longer count. */
async function readRuns(db: Db, checks: readonly CheckSpec[]): Promise<CheckRun[]> {
  if (checks.length === 0) return [];
  const ids = checks.map((check) => check.id);
  const resumed = Number((await readMeta(db, 'queue.resumed')) ?? 0);
  const rows = await runsOfChecks(db, ids, resumed, RECENT);
  return rows.map(({ id, tree, about, check, outcome }) => ({ id, tree: about ?? tree, check, outcome }));
}

/** The output of the last red run, for the report. */
export async function lastRed(db: Db | Tx, { reds }: Evidence): Promise<{ log: string; detail: string | null }> {
  const run = await findRun(db, reds.at(-1) ?? -1);
  return { log: run ? await readOutput(run.log) : '', detail: run?.detail ?? null };
}
