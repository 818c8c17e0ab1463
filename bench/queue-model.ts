import { planQueue } from '../src/queue/plan.ts';
import { bors } from '../test/sim/policies/bors.ts';
import { serial } from '../test/sim/policies/serial.ts';
import { zuul } from '../test/sim/policies/zuul.ts';
import { type Policy, simulate } from '../test/sim/simulate.ts';
import { DEFAULTS, drawWorkload, type Parameters } from '../test/sim/workload.ts';
import { type BenchOptions, quantile, type Row } from './measure.ts';

const CHANGES = 200;
const SLOTS = [1, 2, 4, 8];
const BAD = [0.01, 0.05, 0.1, 0.2];

/** The queues to compare. `wide`: more slots make a difference to it. */
const QUEUES: readonly { name: string; policy: Policy; batch: number; wide: boolean }[] = [
  { name: 'serial', policy: serial, batch: 1, wide: false },
  { name: 'bors(5)', policy: bors, batch: 5, wide: false },
  { name: 'Zuul', policy: zuul, batch: 1, wide: true },
  { name: 'furrow(8)', policy: planQueue, batch: 8, wide: true },
];

interface Cell {
  readonly makespan: number;
  readonly checks: number;
  readonly merges: number;
  readonly turnarounds: readonly number[];
}

/** The mean of so many workloads; one time unit is the mean time of a check. */
export function modelCell(policy: Policy, parameters: Parameters, seeds: number): Cell {
  const runs = Array.from({ length: seeds }, (_, n) => simulate(drawWorkload(`bench-${n}`, parameters), policy));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / seeds;
  return {
    makespan: mean(runs.map((run) => run.makespan)),
    checks: mean(runs.map((run) => run.started)) / parameters.changes,
    merges: mean(runs.map((run) => run.merges)) / parameters.changes,
    turnarounds: runs.flatMap((run) => run.turnarounds),
  };
}

/** All at once: how long until the last has landed or was rejected, and how many checks a change that took. */
function bursts(seeds: number, say: (line: string) => void): Row[] {
  say(`${CHANGES} changes at once: makespan in T, the mean time of a check (checks a change); mean of ${seeds} workloads`);
  say(line(['slots, bad', ...QUEUES.map(({ name }) => name), 'N·T/slots']));
  const narrow = new Map<string, Cell>();
  return SLOTS.flatMap((slots) => BAD.flatMap((bad) => burst(slots, bad, seeds, narrow, say)));
}

function burst(slots: number, bad: number, seeds: number, narrow: Map<string, Cell>, say: (line: string) => void): Row[] {
  const cells = QUEUES.map(({ name, policy, batch, wide }) => {
    const key = `${name} ${bad}`;
    const cell = (!wide && narrow.get(key)) || modelCell(policy, { ...DEFAULTS, changes: CHANGES, slots, bad, batch }, seeds);
    narrow.set(key, cell);
    return cell;
  });
  const what = `${slots}, ${Math.round(bad * 100)} %`;
  say(line([what, ...cells.map((cell) => `${cell.makespan.toFixed(1)} (${cell.checks.toFixed(2)})`), String(CHANGES / slots)]));
  const [first, last] = [cells[0]!, cells.at(-1)!];
  const row = (of: 'makespan' | 'checks' | 'merges', unit: string): Row => ({
    what: `burst, slots and bad ${what}: ${of}`,
    unit,
    raw: first[of],
    furrow: last[of],
    reps: seeds,
  });
  // With four slots and few bad changes the queue has to be worth it.
  const aim = slots >= 4 && bad <= 0.1 ? { aim: { ratio: 0.4 } } : {};
  return [{ ...row('makespan', 'T'), ...aim }, row('checks', 'a change'), row('merges', 'a change')];
}

/** One by one at 80 % of what the slots could check singly: how long from submitted to landed. */
function streams(seeds: number, say: (line: string) => void): Row[] {
  const rows: Row[] = [];
  say('a stream at 80 % load in 4 slots: submitted to landed in T, median / p95');
  say(line(['bad', ...QUEUES.map(({ name }) => name)]));
  for (const bad of [0.05, 0.15]) {
    const cells = QUEUES.map(({ policy, batch }) => modelCell(policy, { ...DEFAULTS, changes: CHANGES, bad, batch, load: 0.8 }, seeds));
    const at = (cell: Cell, q: number) => quantile(cell.turnarounds, q);
    say(line([`${Math.round(bad * 100)} %`, ...cells.map((cell) => `${at(cell, 0.5).toFixed(1)} / ${at(cell, 0.95).toFixed(1)}`)]));
    for (const [name, q] of [
      ['median', 0.5],
      ['p95', 0.95],
    ] as const) {
      const [raw, furrow] = [at(cells[0]!, q), at(cells.at(-1)!, q)];
      rows.push({ what: `stream, bad ${Math.round(bad * 100)} %: submitted to landed, ${name}`, unit: 'T', raw, furrow, reps: seeds });
    }
  }
  return rows;
}

const line = (cells: readonly string[]) => cells.map((cell) => cell.padEnd(14)).join('');

/** The planner against other queues on the same modelled workloads. `raw` is one change after the other. */
export async function queueModel({ reps = 8, say }: BenchOptions): Promise<Row[]> {
  return [...bursts(reps, say), ...streams(reps, say)];
}
