import { driverNamed } from '../../../agents/agent/drivers/index.ts';
import { goWithWork } from '../../../agents/lease/paths.ts';
import type { TurnEnd } from '../../../agents/supervision/record.ts';
import { FurrowError } from '../../../platform/error.ts';
import { readIfThere } from '../../../platform/files.ts';
import { brokenObjects } from '../../../platform/git/broken-objects.ts';
import { putPlantedAway } from '../../../platform/git/own-ref.ts';
import { resolve } from '../../../platform/git/refs.ts';
import { identityOf } from '../../../platform/git/repository.ts';
import { killTree } from '../../../platform/process/kill.ts';
import { metLimit, removeLimits } from '../../../platform/process/limits.ts';
import { pinnedLevel } from '../../../repo/fence/level.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { type Harvest, harvest } from '../../../repo/worktree/harvest.ts';
import { commitAll } from '../../../repo/worktree/snapshot.ts';
import { givenUp, readSaid } from '../../../work/attempt/end-report.ts';
import { changedNothing, type Judgement, judge, withUnlanded } from '../../../work/attempt/evidence.ts';
import type { Attempt } from '../../../work/attempt/store.ts';
import { endsByAnswer } from '../../../work/errand/purpose.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { settingsOf } from '../../farm/agent-settings.ts';
import { attemptFiles, attemptMarker } from '../../farm/process-names.ts';
import { targetOf } from '../../farm/target-of.ts';
import { isSome, landOrDrop, unlandedWork } from '../../farm/unlanded-work.ts';
import { removeTemporary } from '../../host/agents/temporary.ts';
import { lastLine, logComplete, tail } from '../../host/agents/terminal-log.ts';
import { hiddenByFence } from '../../host/hidden-by-fence.ts';
import type { AgentHost } from '../../host/host.ts';
import { keepWork } from '../../host/keep-work.ts';
import type { HostHalf } from '../table.ts';
import type { EndArgs, Ended, EndFacts } from './arguments.ts';

interface Ending {
  /** Reads what is left of a transcript, and answers how the last turn ended; `undefined`: nobody listens to the attempt. */
  drain(attempt: number): Promise<TurnEnd | null | undefined>;
  /** The paths among these that an agent may not change. */
  protectedIn(paths: readonly string[]): readonly string[];
}

/** Ends what still lives of an attempt, looks at what it left, and pins every commit of it. */
export function attemptEnd(farm: AgentHost, { drain, protectedIn }: Ending): HostHalf<'attempt.end'> {
  return {
    // Every step of `run` is safe to repeat, so after a crash it is simply done again.
    probe: async () => undefined,

    async run(args, facts) {
      const { row, worktree, task } = facts;
      await endProcesses(farm, row, args);
      // What it used is known before its end is: whoever asks then is told all of it.
      const heard = await drain(row.id);
      const turn = heard === undefined ? facts.turn : heard;
      const lost = await farm.ownGits.end(row);
      const word = await lastWord(farm, row, args, turn);
      const left = await harvestWork(farm, facts, word.claimsDone);
      const stuck = givenUp(row) === undefined ? stuckTurn(word.turn) : undefined;
      const said = notTaken(lost, stuck ?? (await judgeLeft(farm, facts, { args, word, left, paths: protectedIn(left.changed) })));
      const { purpose } = task;
      const open = changedNothing(said) && purpose === 'work';
      const unlanded = open ? await unlandedWork(farm.repo, row.task, facts.earlier, targetOf(row, farm), left.tip) : [];
      const judged = isSome(unlanded) ? withUnlanded(said, landOrDrop(unlanded)) : said;
      // The commits of a race's entrant are in no queue: a lost store must not be made again as if they were.
      const submitted = judged.outcome === 'submitted' && purpose === 'work';
      const kept = await keepWork(farm, { row, worktree, left, submitted });
      const met = limitMet(farm, row, judged) ?? (await missedFile(farm, row, judged));
      await removeTemporary(farm, row.id);
      await farm.doors.close(row.id);
      const goesOn = word.turn?.do === 'budget' && left.commits > 0;
      return {
        ...judged,
        ...(met && { reason: `${judged.reason}; ${met}` }),
        sha: left.tip ?? null,
        kept,
        ...(submitted && { leases: goWithWork(facts.leases, left.changed).map(({ id }) => id) }),
        ...(unlanded.length > 0 && { unlanded }),
        ...(goesOn && left.tip && { from: left.tip }),
      } satisfies Ended;
    },
  };
}

const filesOf = (farm: AgentHost, row: Attempt) => attemptFiles(farm.places, row.agent, row.id, row.launch);

/** The limit that an attempt which did not come to its end has met; its groups go with it. */
function limitMet(farm: AgentHost, row: Attempt, { outcome }: Judgement): string | undefined {
  const marker = attemptMarker(farm, row.id);
  const met = outcome === 'failed' || outcome === 'crashed' ? metLimit(farm.limitWays, marker) : undefined;
  removeLimits(farm.limitWays, marker);
  return met;
}

/** An agent's command whose script the fence shows and the files beside it not ends with an error of some other program. */
const missedFile = async (farm: AgentHost, row: Attempt, { outcome }: Judgement) =>
  outcome === 'failed' ? hiddenByFence(farm, row, await tail(filesOf(farm, row).log)) : undefined;

/** A lease ends by proof of death: while one process of it lives, nobody else may start on this task. */
async function endProcesses(farm: AgentHost, row: Attempt, { why, graceMs }: EndArgs): Promise<void> {
  if (why === 'exit') await logComplete(filesOf(farm, row).log);
  const root = row.pid !== null && row.pid_start ? { pid: row.pid, start: row.pid_start } : undefined;
  const killed = await killTree({ root, marker: attemptMarker(farm, row.id) }, graceMs);
  if (killed.survivors.length === 0) return;
  const pids = killed.survivors.map((one) => one.pid).join(', ');
  throw new FurrowError('SURVIVORS', `processes of attempt ${row.n} cannot be ended: ${pids}`, { hint: `ps -fp ${pids}` });
}

/** All that an attempt said of its own end: by its exit code, by `furrow done`, by the end of its turn. */
interface LastWord {
  readonly exit: string | undefined;
  readonly said: ReturnType<typeof readSaid>;
  readonly turn: TurnEnd | null | undefined;
  readonly turnEnded: boolean;
  readonly claimsDone: boolean;
}

async function lastWord(farm: AgentHost, row: Attempt, { why }: EndArgs, last: TurnEnd | null): Promise<LastWord> {
  const exit = await readIfThere(filesOf(farm, row).exit);
  const said = readSaid(row.said);
  const turn = why === 'turn' || why === 'exit' ? last : undefined;
  const turnEnded = why === 'turn' && turn?.do === 'end';
  const ended = why === 'exit' || why === 'gone' || why === 'said' || turnEnded;
  const claimsDone = ended && (said ? 'done' in said : turnEnded || exit?.trim() === '0');
  return { exit, said, turn, turnEnded, claimsDone };
}

/** The work that it left in its worktree. Where furrow commits for the agent, what it calls done is committed first. */
async function harvestWork(farm: AgentHost, { row, worktree, task }: EndFacts, claimsDone: boolean): Promise<Harvest> {
  const { repo } = farm;
  const target = (await resolve(repo, headRef(targetOf(row, farm)))) ?? row.base;
  const place = { branch: row.branch, base: reworkOf(task)?.from ?? row.base, target };
  // No process of it lives: what it put in the place of its branch goes, and git sees a branch that is not there.
  const ref = `refs/heads/${row.branch}`;
  const planted = await putPlantedAway(repo, ref);
  const left = { ...(await harvest(repo, worktree, place)), ...(planted && { planted: `${ref} was ${planted.what}` }) };
  if (endsByAnswer(task.purpose)) return left;
  const settings = settingsOf(farm.config, row);
  const commits = settings.commit ?? driverNamed(settings.driver).commits;
  if (!claimsDone || !left.dirty || left.detached || left.operation || left.planted || commits !== 'auto') return left;
  const author = await identityOf(repo);
  await commitAll(repo, worktree, { branch: row.branch, message: `${task.title}\n`, author, at: row.started });
  return harvest(repo, worktree, place);
}

interface Left {
  readonly args: EndArgs;
  readonly word: LastWord;
  readonly left: Harvest;
  /** Protected paths that it changed. */
  readonly paths: readonly string[];
}

async function judgeLeft(farm: AgentHost, { row, task }: EndFacts, { args: { why }, word, left, paths }: Left): Promise<Judgement> {
  const judged = judge({
    answers: endsByAnswer(task.purpose),
    turnEnded: word.turnEnded,
    exit: word.exit === undefined ? undefined : Number(word.exit),
    stopped: why === 'stop',
    timedOut: why === 'timeout',
    said: word.said,
    lastLine: await lastLine(filesOf(farm, row).log),
    commits: left.commits,
    own: left.own,
    changed: left.changed,
    protectedPaths: paths,
    dirty: left.dirty,
    detached: left.detached,
    special: left.special,
    operation: left.operation,
    ...(left.submodules && { submodules: left.submodules }),
    planted: left.planted,
  });
  return judged.outcome === 'submitted' && left.tip ? ((await refused(farm, row, left.tip)) ?? judged) : judged;
}

/** Work that stayed in the agent's own repository is neither submitted nor gone: the reason says where it is. */
function notTaken(lost: string | undefined, judged: Judgement): Judgement {
  if (lost === undefined || judged.outcome === 'answered') return judged;
  if (judged.outcome === 'submitted' || judged.outcome === 'unchanged') return { outcome: 'failed', reason: lost };
  return { ...judged, reason: `${judged.reason}; ${lost}` };
}

/** Commits that git itself would not take from anybody. Those of an agent in a fence were looked at on their way home. */
async function refused(farm: AgentHost, row: Attempt, tip: string): Promise<Judgement | undefined> {
  if (pinnedLevel(row.settings) !== 'none') return undefined;
  const head = await resolve(farm.repo, headRef(targetOf(row, farm)));
  const broken = await brokenObjects(farm.repo, tip, [row.base, ...(head ? [head] : [])]);
  return broken === undefined ? undefined : { outcome: 'failed', reason: `git does not take its commits: ${broken}` };
}

/**
 * A turn that ended without its evidence is for a person: the agent does not wait for them. One that ended for want of
 * money is nobody's fault: its task is open again, and what holds its next start back is what a person is asked.
 */
function stuckTurn(turn: TurnEnd | null | undefined): Judgement | undefined {
  if (turn?.do === 'budget') return { outcome: 'stopped', reason: `over its budget: ${turn.reason}` };
  return turn?.do === 'question' ? { outcome: 'blocked', reason: turn.reason } : undefined;
}
