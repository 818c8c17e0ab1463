import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planQueue } from '../../../src/queue/plan.ts';
import { NO_NOTES } from '../../../src/queue/snapshot.ts';
import { runCheck } from '../../../src/repo/merge/check.ts';
import type { Policy } from '../../sim/simulate.ts';
import { plainEnv } from '../../support/repo.ts';
import type { Change } from './changes.ts';
import { type Between, Executor, HANDS, type Hands, type Step } from './executor.ts';
import { Journal } from './journal.ts';
import { CHECK, makePlace, type Place, type PlaceOptions } from './place.ts';
import { Slots } from './slots.ts';

/**
 * What comes from outside, so many steps after the thing before. `forget`: the planner's notes are lost. `crash twice`: they are, too, and who
 * comes after dies at the first step.
 */
export interface Happening {
  readonly wait: number;
  /** Only such steps count. */
  readonly at?: Step;
  readonly on: 'crash' | 'crash twice' | 'forget' | 'commit';
}

export interface Workload extends Partial<PlaceOptions> {
  readonly changes: readonly Change[];
  readonly slots: number;
  readonly batch: number;
  readonly retries: number;
  readonly happenings?: readonly Happening[];
}

/** All that a test may put a broken one in place of. */
export interface Parts extends Hands {
  readonly policy: Policy;
  readonly runCheck: typeof runCheck;
  /** Beyond those of the workload. */
  readonly moreSlots: number;
}

export const PARTS: Parts = { ...HANDS, policy: planQueue, runCheck, moreSlots: 0 };

/** What is left when the queue has come to rest. */
export interface Past {
  readonly place: Place;
  readonly workload: Workload;
  readonly journal: Journal;
  /** Seen on the way. */
  readonly violations: string[];
  /** Of the user's files, index and branch: at first, and whenever it was another. */
  readonly seen: string[];
}

class Crash extends Error {}
class Stuck extends Error {}

/** Far more than any of these workloads needs. */
const LOOKS = 400;

/** Lets the queue work until it rests, with crashes and all else that the workload has in store. */
export async function play(workload: Workload, parts: Parts = PARTS): Promise<Past> {
  const { changes, flakes = [], inTheWay = false, company = false } = workload;
  const place = await makePlace({ changes, flakes, inTheWay, company });
  try {
    const past = { place, workload, journal: new Journal(place.entries), violations: [], seen: [await userState(place)] };
    const between = weather(past);
    while (!(await comesToRest(past, parts, between))) {}
    note(past.seen, await userState(place));
    return past;
  } catch (error) {
    await place[Symbol.asyncDispose]();
    throw error;
  }
}

/** Lets happen what is due after a step. */
function weather({ place, workload, journal, seen }: Past): Between {
  const coming = [...(workload.happenings ?? [])];
  let [waited, looks] = [0, 0];
  return async (step) => {
    if (step === 'looks' && ++looks > LOOKS) throw new Stuck(`Q11: it does not come to rest, by look ${looks}`);
    if (step === 'published') note(seen, await userState(place));
    const next = coming[0];
    if (!next || (next.at && next.at !== step) || waited++ < next.wait) return;
    waited = 0;
    coming.shift();
    if (next.on === 'commit') return place.userCommits();
    if (next.on === 'crash twice') coming.unshift({ wait: 0, on: 'crash' });
    if (next.on !== 'crash') journal.notes = NO_NOTES;
    if (next.on !== 'forget') throw new Crash(step);
  };
}

/** One life of an executor. `false`: it crashed, and another has to go on from the journal. */
async function comesToRest({ place, workload, journal, violations }: Past, parts: Parts, between: Between): Promise<boolean> {
  const env = { ...plainEnv(place.repo), FURROW_WITNESS: place.witness };
  const slots = new Slots(place.found, workload.slots + parts.moreSlots, env, parts.runCheck);
  const executor = new Executor(place.found, termsOf(workload, parts, violations), slots, journal, parts, between);
  try {
    await executor.run();
    return true;
  } catch (error) {
    if (error instanceof Crash) return false;
    if (!(error instanceof Stuck)) throw error;
    violations.push(error.message);
    return true;
  } finally {
    await slots.abandon();
  }
}

function note(seen: string[], state: string): void {
  if (seen.at(-1) !== state) seen.push(state);
}

function termsOf({ batch, retries }: Workload, { policy }: Parts, violations: string[]): ConstructorParameters<typeof Executor>[1] {
  const check = { id: 'tree', name: 'check', run: CHECK, timeoutMs: 60_000, env: {} };
  const twice: Policy = (snapshot) => {
    const copy = structuredClone(snapshot);
    const plan = policy(snapshot);
    if (text(policy(copy)) !== text(plan)) violations.push('Q10: the same snapshot gave another plan');
    if (plan.halted !== undefined) violations.push(`Q11: the line stands: ${plan.halted}`);
    return plan;
  };
  return { policy: twice, batch, retries, check, publishes: true };
}

const text = (value: unknown) => JSON.stringify(value, (_, one: unknown) => (one instanceof Map || one instanceof Set ? [...one] : one));

/** Bytes of the user's own files, all that is staged or changed, and the branch: nobody else may alter any of it. */
async function userState({ repo, theirs }: Place): Promise<string> {
  const files = await Promise.all(theirs.map((path) => readFile(join(repo.root, path), 'utf8').catch(() => 'gone')));
  const status = await repo.git('status', '--porcelain=v2', '--branch', '--untracked-files=all');
  const lines = status.split('\n').filter((line) => !line.startsWith('# branch.oid'));
  return [...files, ...lines].join('\n');
}
