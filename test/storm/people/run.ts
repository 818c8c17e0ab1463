import { join } from 'node:path';
import { furrow } from '../../support/farm.ts';
import type { StormOptions } from '../scenario.ts';
import { liveness, makeWay, nothingIsLeft } from './finish.ts';
import type { Opening } from './openings.ts';
import { circumstances, closingTable, farmTime, progressLine } from './report.ts';
import { Storm } from './storm.ts';
import type { Violation } from './violation.ts';
import { openWorld, type World } from './world.ts';

const MINUTES = 30;
const AGENTS = 8;
const OPENING_AGENTS = 3;
const PROGRESS_MS = 5000;
const KILL_EVERY_MS = 4000;

/** What one part of the storm came to. */
export interface Played {
  readonly title: string;
  readonly facts: Record<string, unknown>;
  readonly violations: readonly Violation[];
}

export async function playOpening(opening: Opening, options: StormOptions, bin: string | undefined): Promise<Played> {
  const { boardTracked, tasks, apart, pushes, fault } = opening;
  const seed = `${options.seed}/${opening.name}`;
  const world = await openWorld({ seed, agents: OPENING_AGENTS, tasks, boardTracked, apart, pushes, bin });
  const how = fault?.how === 'hold' ? `hold=${join(world.repo.base, 'go')}` : 'kill';
  if (fault) world.repo.env['FURROW_FAULT'] = `${fault.at}:1:${how}`;
  return inWorld(`opening ${opening.name}`, world, options, (storm) => opening.play(storm));
}

export async function roam(options: StormOptions, bin: string | undefined): Promise<Played> {
  const agents = options.agents ?? AGENTS;
  const number = Number.parseInt(options.seed, 10);
  const [boardTracked, apart] = [number % 2 !== 0, number % 3 === 0];
  const world = await openWorld({ seed: options.seed, agents, tasks: agents * 2, boardTracked, apart, bin });
  const place = apart ? ', git folder apart' : '';
  return inWorld(`a person at work, board ${boardTracked ? 'tracked' : 'not tracked'}${place}`, world, options, async (storm) => {
    const started = performance.now();
    const kills = storm.kills.run(KILL_EVERY_MS);
    let said = 0;
    await storm.roam((options.minutes ?? MINUTES) * 60_000, options.skip, () => {
      if (performance.now() < said + PROGRESS_MS) return;
      said = performance.now();
      options.say(progressLine(storm, performance.now() - started));
    });
    storm.kills.stop();
    await kills;
  });
}

/** A play in a world of its own, then everything must come to its end, and the closing table. */
async function inWorld(title: string, world: World, options: StormOptions, play: (storm: Storm) => Promise<void>): Promise<Played> {
  options.opened(world.repo);
  const started = performance.now();
  const storm = new Storm(world);
  try {
    await storm.begin();
    // Only the first daemon has it.
    delete world.repo.env['FURROW_FAULT'];
    await play(storm);
    if (!storm.isOver) await storm.step('make way', makeWay);
    if (!storm.isOver) await storm.step('everything lands', liveness);
  } finally {
    await storm.end();
  }
  if (storm.isOver) for (const line of await circumstances(storm)) options.say(line);
  else await nothingIsLeft(storm.person);
  options.say(`${title}: seed ${options.seed}, ${farmTime(performance.now() - started)} of farm time`);
  for (const line of closingTable(storm)) options.say(line);
  if (storm.isOver) await furrow(world.repo, 'stop', '--all', '--now');
  if (options.keep) options.say(`the repository is kept: ${world.repo.root}`);
  else await world.repo[Symbol.asyncDispose]();
  const { history } = storm.person;
  const facts = { agents: world.agents, landed: history.published.size, kills: storm.kills.killed };
  return { title, facts, violations: storm.violations };
}
