import { furrow } from '../support/farm.ts';
import { liveness, makeWay, nothingIsLeft } from './people/finish.ts';
import { circumstances, closingTable, farmTime, progressLine } from './people/report.ts';
import { Storm } from './people/storm.ts';
import { openWorld } from './people/world.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const MINUTES = 30;
const AGENTS = 8;
const PROGRESS_MS = 5000;
const KILL_EVERY_MS = 4000;

/** A person at work in the checkout, agents beside them, and `kill -9`: what lands is right, and nothing of the person's is disturbed. */
export async function people(options: StormOptions): Promise<Outcome> {
  return roaming(options, undefined);
}

async function roaming(options: StormOptions, bin: string | undefined): Promise<Outcome> {
  const agents = options.agents ?? AGENTS;
  const boardTracked = Number.parseInt(options.seed, 10) % 2 !== 0;
  const world = await openWorld({ seed: options.seed, agents, tasks: agents * 2, boardTracked, bin });
  options.opened(world.repo);
  const storm = new Storm(world);
  try {
    const started = performance.now();
    await storm.begin();
    const kills = storm.kills.run(KILL_EVERY_MS);
    let said = 0;
    await storm.roam((options.minutes ?? MINUTES) * 60_000, () => {
      if (performance.now() < said + PROGRESS_MS) return;
      said = performance.now();
      options.say(progressLine(storm, performance.now() - started));
    });
    storm.kills.stop();
    await kills;
    if (!storm.isOver) await storm.step('make way', makeWay);
    if (!storm.isOver) await storm.step('everything lands', liveness);
    options.say(
      `people, seed ${options.seed}, ${farmTime(performance.now() - started)} of farm time, board ${boardTracked ? 'tracked' : 'not tracked'}`,
    );
  } finally {
    await storm.end();
  }
  if (storm.isOver) for (const line of await circumstances(storm)) options.say(line);
  else await nothingIsLeft(storm.person);
  for (const line of closingTable(storm)) options.say(line);
  const violations = [...storm.violations];
  if (violations.length > 0) await furrow(world.repo, 'stop', '--all', '--now');
  if (options.keep) options.say(`the repository is kept: ${world.repo.root}`);
  else await world.repo[Symbol.asyncDispose]();
  const { history } = storm.person;
  return { facts: { agents, landed: history.published.size, kills: storm.kills.killed }, violations };
}
