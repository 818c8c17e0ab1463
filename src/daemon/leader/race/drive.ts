import { planRace, type RaceStep } from '../../../queue/race/plan.ts';
import { entrantsOf, openRaces, type Race } from '../../../queue/race/store.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { LoopState } from '../state.ts';
import { cancel, lose, win } from './end.ts';
import { lookAtRace, type RaceLook } from './facts.ts';
import { mergeEntrant } from './merge.ts';
import { askJudge, checkEntrant, moveEntrant } from './steps.ts';

/** One look at all races: stores their plans' decisions, and starts what they ask for. */
export async function driveRaces(farm: Farm, state: LoopState, perform: Performer): Promise<void> {
  const { races } = state;
  races.waiting.clear();
  const open = await openRaces(farm.db);
  await cancelChecks(farm, state, open);
  for (const race of open) {
    const look = await lookAtRace(farm, state, perform, race);
    const steps = planRace(look.facts);
    const errands = errandsOf(look);
    if (steps.length === 0 && errands.length > 0) races.waiting.set(race.task, errands);
    for (const step of steps) await carryOut(farm, state, perform, look, step);
    if (race.deadline !== null && !look.facts.late) wakeAt(farm, race.deadline);
  }
}

/** The errands that a race waits for: its entrants, then its judge, unless that is a command. */
function errandsOf({ race: { judge }, entrants }: RaceLook): string[] {
  const running = entrants.filter((one) => one.state === 'running').map((one) => one.ref);
  return running.length > 0 || judge === null || judge === 'command' ? running : [judge];
}

/** Ends the checks of entrants that are out of their race. */
async function cancelChecks({ db }: Farm, { queue }: LoopState, open: readonly Race[]): Promise<void> {
  const running = [...queue.running.values()].filter((run) => run.race !== undefined);
  if (running.length === 0) return;
  const entrants = (await Promise.all(open.map((race) => entrantsOf(db, race.id)))).flat();
  const wanted = new Set(entrants.filter((one) => one.state === 'finished').map((one) => one.tree));
  for (const run of running) if (!wanted.has(run.tree)) run.abort.abort();
}

async function carryOut(farm: Farm, state: LoopState, perform: Performer, look: RaceLook, step: RaceStep): Promise<void> {
  const { race, task } = look;
  const entrant = 'n' in step ? look.entrants.find((one) => one.n === step.n)! : undefined;
  switch (step.do) {
    case 'finish':
    case 'pass':
    case 'fail':
    case 'stop':
      await farm.db.transaction().execute((tx) => moveEntrant(tx, farm, look, step, farm.clock.now()));
      return farm.wake();
    case 'merge':
      if (task) void mergeEntrant(farm, state, race, entrant!, task);
      return;
    case 'check':
      return checkEntrant(farm, state, perform, look, entrant!);
    case 'judge':
      return askJudge(farm, state, perform, look, step);
    case 'win':
      return win(farm, look, step.n, step.why);
    case 'lose':
      return lose(farm, look);
    case 'cancel':
      return cancel(farm, look, step.why);
    default:
      return step satisfies never;
  }
}
