import { exec } from '../src/platform/exec.ts';
import { findKillMethod, jailPrefix } from '../src/platform/process/jail.ts';
import { openStage } from '../src/repo/escapes/stage.ts';
import { fenceArguments } from '../src/repo/fence/bwrap.ts';
import { type BenchOptions, inTurns, type Row, timed } from './measure.ts';

/** At most this many milliseconds more than without a fence. */
const MORE = 30;

/** The start and end of `true` as an agent or a check is started: raw in a jail, furrow in a fence that is looked up anew each time. */
export async function fence(options: BenchOptions): Promise<Row[]> {
  await using stage = await openStage();
  const method = await findKillMethod();
  const run = async (argv: readonly string[]) => {
    const [first, ...rest] = [...argv, 'true'];
    const done = await exec([first!, ...rest], { cwd: stage.own, env: stage.env, timeoutMs: 10_000 });
    if (done.code !== 0) throw new Error(done.stderr);
  };
  const reps = options.reps ?? 50;
  const rows: Row[] = [];
  for (const who of ['agent', 'check'] as const) {
    const none = () => timed(() => run(jailPrefix(method, 'bench')));
    const guard = () => timed(async () => run(fenceArguments(await stage.fenceOf(who))));
    const times = await inTurns(reps, none, guard);
    rows.push({
      what: `start of ${who === 'agent' ? 'an agent' : 'a check'} under guard, against none`,
      unit: 'ms',
      ...times,
      reps,
      aim: { value: Math.round(times.raw + MORE) },
    });
  }
  return rows;
}
