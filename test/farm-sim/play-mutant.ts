import { play } from './simulate.ts';
import { morning } from './story.ts';

/** Plays days until one breaks a rule. */
const seeds = Number(process.argv[2]);
let said = `not in ${seeds} days`;
for (let n = 0; n < seeds; n++) {
  const { violation } = await play(morning(`mutants/${n}`));
  if (!violation) continue;
  said = `caught by day ${n}: ${violation.message.split('\n')[0]}`;
  break;
}
process.stdout.write(`${said}\n`);
