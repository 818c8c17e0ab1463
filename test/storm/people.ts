import { join } from 'node:path';
import { furrow } from '../support/farm.ts';
import { liveness, makeWay, nothingIsLeft } from './people/finish.ts';
import { type Opening, openings } from './people/openings.ts';
import { circumstances, closingTable, farmTime, progressLine } from './people/report.ts';
import { Storm } from './people/storm.ts';
import { openWorld, type World } from './people/world.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const MINUTES = 30;
const AGENTS = 8;
const OPENING_AGENTS = 3;
const PROGRESS_MS = 5000;
const KILL_EVERY_MS = 4000;

/**
 * A person at work in the checkout, agents beside them, and `kill -9`: what lands is right, and nothing of the person's is disturbed.
 * First the openings, each in a small repository of its own, then whatever the seed says for so many minutes.
 */
export async function people(options: StormOptions): Promise<Outcome> {
  return storms(options, undefined);
}

async function storms(options: StormOptions, bin: string | undefined): Promise<Outcome> {
  const wanted = openings.filter(({ name }) => options.only === undefined || options.only === name);
  for (const opening of wanted) {
    const outcome = await playOpening(opening, options, bin);
    if (outcome.violations.length > 0 || opening.name === options.only) return outcome;
  }
  return roam(options, bin);
}

async function playOpening(opening: Opening, options: StormOptions, bin: string | undefined): Promise<Outcome> {
  const { boardTracked, tasks, holdAt } = opening;
  const world = await openWorld({ seed: `${options.seed}/${opening.name}`, agents: OPENING_AGENTS, tasks, boardTracked, bin });
  if (holdAt !== undefined) world.repo.env['FURROW_FAULT'] = `${holdAt}:1:hold=${join(world.repo.base, 'go')}`;
  return inWorld(`opening ${opening.name}`, world, options, (storm) => opening.play(storm));
}

async function roam(options: StormOptions, bin: string | undefined): Promise<Outcome> {
  const agents = options.agents ?? AGENTS;
  const boardTracked = Number.parseInt(options.seed, 10) % 2 !== 0;
  const world = await openWorld({ seed: options.seed, agents, tasks: agents * 2, boardTracked, bin });
  return inWorld(`a person at work, board ${boardTracked ? 'tracked' : 'not tracked'}`, world, options, async (storm) => {
    const started = performance.now();
    const kills = storm.kills.run(KILL_EVERY_MS);
    let said = 0;
    await storm.roam((options.minutes ?? MINUTES) * 60_000, () => {
      if (performance.now() < said + PROGRESS_MS) return;
      said = performance.now();
      options.say(progressLine(storm, performance.now() - started));
    });
    storm.kills.stop();
    await kills;
  });
}

/** A play in a world of its own, then everything must come to its end, and the closing table. */
async function inWorld(title: string, world: World, options: StormOptions, play: (storm: Storm) => Promise<void>): Promise<Outcome> {
  options.opened(world.repo);
  const started = performance.now();
  const storm = new Storm(world);
  try {
    await storm.begin();
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
  const violations = storm.violations.map(({ promise, text }) => `${promise}: ${text}`);
  return { facts: { agents: world.agents, landed: history.published.size, kills: storm.kills.killed }, violations };
}
