import type { Out } from '../../../api/contract.ts';
import { diagnose } from '../../../config/project/diagnose.ts';
import type { Remark } from '../../../config/project/proposal.ts';
import { recognise } from '../../../config/project/recognise.ts';
import { newestEvents } from '../../../journal/event.ts';
import { readOutput } from '../../../platform/output/read.ts';
import { tellingLines } from '../../../platform/output/telling.ts';
import { lastNotPassed, runsAbout } from '../../../queue/check-run/read.ts';
import type { CheckSpec } from '../../../queue/snapshot.ts';
import { runningKey } from '../../acts/check-run/arguments.ts';
import type { Farm } from '../../farm/farm.ts';
import { namesOf } from '../../farm/verdict-keys.ts';
import type { LoopState } from '../state.ts';

/** A head that fails a check: one sentence, the telling lines, and what is probably missing. */
export interface HeadReport {
  readonly text: string;
  readonly telling: readonly string[];
  readonly advice: readonly Remark[];
}

export async function reportRed(farm: Farm, { queue }: LoopState, check: CheckSpec): Promise<HeadReport> {
  const names = await namesOf(farm, [check], queue.headTree);
  const run = await lastNotPassed(farm.db, check.id, names);
  const own = run ? await readOutput(run.log) : '';
  const log = SETUP_OUTPUT.exec(own)?.[1] ?? run?.log;
  const output = log === undefined || log === run?.log ? own : await readOutput(log);
  const verb = run?.outcome === 'error' ? `: \`${check.name}\` could not be run` : ` itself fails \`${check.name}\``;
  const detail = run?.detail ?? null;
  const text = `${farm.target}${verb}${detail ? ` (${detail})` : ''}, before any task${log ? `. Output: ${log}` : ''}`;
  const red = { run: check.run, detail, output, setup: farm.config.worktree.setup };
  return { text, telling: tellingLines(output), advice: diagnose(red, await proposalFor(farm, queue.head)) };
}

/** The proposal for the commit that was checked. */
const proposalFor = async (farm: Farm, commit: string) => recognise(await farm.git.readProject(process.env['PATH'] ?? '', commit));

/** The log of a set-up of this tree that has begun and not ended. */
async function setupUnderWay({ db }: Farm, tree: string): Promise<string | undefined> {
  const [last] = await newestEvents(db, ['setup.started', 'setup.built', 'setup.failed', 'setup.cloned'], 1);
  const data = last?.kind === 'setup.started' ? (JSON.parse(last.data) as { log?: string; tree?: string }) : undefined;
  return data?.tree === tree ? data.log : undefined;
}

/** A failing set-up writes its output into its own file, which the check's output names. */
const SETUP_OUTPUT = /^\[furrow: set-up .* all of its output: (.+)\]$/m;

const STATES = { pass: 'passed', fail: 'failed', error: 'error' } as const;

/** The state of each check on the head: its newest run, or the one under way. */
export async function headChecks(farm: Farm, { queue }: LoopState, checks: readonly CheckSpec[]): Promise<Out<'preflight'>['checks']> {
  const names = await namesOf(farm, checks, queue.headTree);
  const rows = (await runsAbout(farm.db, names)).filter(({ stage }) => stage === 'queue');
  const newest = new Map(rows.map((row) => [row.check, row]));
  const setup = await setupUnderWay(farm, queue.headTree);
  return checks.map(({ id, name, run }) => {
    const running = queue.running.get(runningKey({ tree: queue.headTree, check: id }));
    const row = newest.get(id);
    if (running)
      return {
        name,
        run,
        state: 'running',
        ms: null,
        since: new Date(running.since).toISOString(),
        detail: null,
        log: setup ?? running.log,
      };
    if (!row) return { name, run, state: 'open', ms: null, since: null, detail: null, log: null };
    return { name, run, state: STATES[row.outcome], ms: row.ms, since: null, detail: row.detail, log: row.log };
  });
}
