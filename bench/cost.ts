import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { costOf, costOfCalls } from '../test/support/cost.ts';
import type { BenchOptions, Row } from './measure.ts';

/** Gits of a landed task by their command, as they were when somebody last decided on them. */
const KEPT = fileURLToPath(new URL('./cost.json', import.meta.url));
/** Looks that happen to coincide differ from run to run, so counts vary by this much. */
const SLACK = 1;

/**
 * The cost of a landed task with an instant agent and an instant check. Counts are held against those kept in the repository, and a run in which
 * one grew ends with 1; times are only shown.
 */
export async function cost(options: BenchOptions): Promise<Row[]> {
  const tasks = options.reps ?? 20;
  const counted = await costOf(tasks, { count: true });
  const timed = await costOf(tasks, { count: false });
  const calls = await costOfCalls(tasks);
  const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, number>;
  const count = (what: string, unit: string, furrow: number, value?: number): Row => ({
    what,
    unit,
    furrow,
    reps: tasks,
    ...(value !== undefined && { aim: { value }, bound: true }),
  });
  const verbs = [...new Set([...Object.keys(kept), ...Object.keys(counted.gits)])];
  return [
    count('gits started for a landed task', 'gits', counted.gitsInAll, (kept['all'] ?? 0) + SLACK),
    ...verbs
      .filter((verb) => verb !== 'all')
      .map((verb) => count(`git ${verb}`, 'gits', counted.gits[verb] ?? 0, (kept[verb] ?? 0) + SLACK)),
    count('processor time of the daemon for it', 'ms', timed.daemon),
    count('processor time of its starter', 'ms', timed.starter),
    count('processor time of what they started', 'ms', timed.children),
    count('time from one to the next', 'ms', timed.wall),
    count('processor time of the daemon for furrow add', 'ms', calls.add),
    count('processor time of the daemon for furrow submit', 'ms', calls.submit),
  ];
}
