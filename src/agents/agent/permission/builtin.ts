import type { Effects } from './effects.ts';
import { gitEffects } from './git.ts';
import { programEffects } from './programs.ts';
import type { Simple } from './shell.ts';

/** Commands that only ask the farm something or tell it something. Its door refuses what the agent may not. */
const WORDS = new Set(
  `done blocked progress ask inbox notify reply messages job status list show why plan digest queue conflicts cost log
  reserve release locks add move block unblock retry review race split pause resume`.split(/\s+/),
);

/**
 * The effects of a command that may run under `act` without a rule of the user's: looking around in the worktree, committing, and
 * talking to the farm. Undefined: it is none of them, or may do more. Its paths are still to be judged.
 */
export function builtIn(simple: Simple): Effects | undefined {
  const [program = '', ...args] = simple.words;
  if (program === 'git') return gitEffects(args);
  if (program !== 'furrow') return programEffects(program, args);
  const elsewhere = args.some((arg) => arg.startsWith('--repo'));
  // A command below `furrow hold` is judged as if it ran alone.
  const below = args.indexOf('--') + 1;
  if (args[0] === 'hold' && below > 0 && !elsewhere) return builtIn({ ...simple, words: args.slice(below) });
  // Without an option it opens an editor, which is any program.
  const edits = args[0] === 'edit' && args.some((arg) => arg.startsWith('--') && arg !== '--json');
  return (edits || WORDS.has(args[0] ?? '')) && !elsewhere ? { what: `furrow ${args[0]}`, reads: [], writes: [] } : undefined;
}
