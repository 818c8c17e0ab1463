import { play } from './simulate.ts';
import { morning } from './story.ts';

/** Most processor time that this takes before it gives up. */
const MOST_SECONDS = 60;

const seconds = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

/** Plays mornings until one breaks a rule. */
const seeds = Number(process.argv[2]);
let said = `not in ${seeds} mornings, or in ${MOST_SECONDS} s`;
for (let n = 0; n < seeds && seconds() < MOST_SECONDS; n++) {
  const { violation } = await play(morning(`mutants/${n}`));
  if (!violation) continue;
  said = `caught by morning ${n}: ${violation.message.split('\n')[0]} (${Math.round(seconds())} s)`;
  break;
}
process.stdout.write(`${said}\n`);
