import { optionsOf } from './arguments.ts';
import type { Ask, Command, Completes, Option } from './command.ts';

/** A word that could come next, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly says: string;
}

interface Candidates {
  readonly fixed: readonly Candidate[];
  /** To be asked from the farm, or git. */
  readonly ask?: Ask;
}

/** Completions at the cursor. `words` are those after `furrow`, the last one being typed. */
export function candidates(commands: readonly Command[], words: readonly string[]): Candidates {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const { command, positional } = standing(commands, before);
  if (!command) return { fixed: names(commands, positional) };
  const previous = valueOption(command, before.at(-1));
  if (previous) return completing(previous.oneOf ?? previous.completes);
  if (typed.startsWith('-')) return { fixed: optionsOf(command).map((option) => ({ word: `--${option.name}`, says: option.says })) };
  const { fixed, ask } = completing(argumentAt(command, positional.length)?.completes);
  const subcommands = positional.length === 0 ? names(commands, [command.name]) : [];
  return { fixed: [...subcommands, ...fixed], ...(ask && { ask }) };
}

/** The command that the words so far name, and the arguments it has been given. */
function standing(commands: readonly Command[], before: readonly string[]): { command?: Command; positional: string[] } {
  let command: Command | undefined;
  let positional: string[] = [];
  for (let i = 0; i < before.length; i++) {
    const word = before[i]!;
    if (word.startsWith('-')) {
      if (command ? valueOption(command, word) : word === '--repo') i++;
      continue;
    }
    positional.push(word);
    const longer = positional.length === 1 ? `${command ? `${command.name} ` : ''}${word}` : '';
    const found = commands.find((one) => one.name === longer);
    if (found) [command, positional] = [found, []];
  }
  return { ...(command && { command }), positional };
}

function valueOption(command: Command, word: string | undefined): Option | undefined {
  return optionsOf(command).find((option) => option.type !== 'flag' && (word === `--${option.name}` || word === `-${option.short}`));
}

function argumentAt(command: Command, at: number) {
  const list = command.arguments ?? [];
  return list[at] ?? (list.at(-1)?.many ? list.at(-1) : undefined);
}

function completing(completes: Completes | undefined): Candidates {
  if (completes === undefined) return { fixed: [] };
  return typeof completes === 'string' ? { fixed: [], ask: completes } : { fixed: completes.map((word) => ({ word, says: '' })) };
}

/** Names one word longer than `after`: all first words, or the second words of `queue`. */
function names(commands: readonly Command[], after: readonly string[]): Candidate[] {
  const start = after.length === 0 ? '' : `${after.join(' ')} `;
  return commands
    .filter((command) => command.name.startsWith(start) && !command.name.slice(start.length).includes(' ') && command.name !== start)
    .map((command) => ({ word: command.name.slice(start.length), says: command.summary }));
}

/** Each script only asks `furrow __complete`, so that it stays right when furrow changes. No answer means file names. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_furrow() {
  local IFS=$'\\n'
  COMPREPLY=($(furrow __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _furrow furrow
`,
  zsh: `#compdef furrow
_furrow() {
  local -a found
  found=("\${(@f)$(furrow __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "\${found[1]}" ]]; then
    _files
  else
    found=("\${(@)found/$'\\t'/:}")
    _describe furrow found
  fi
}
compdef _furrow furrow
`,
  fish: `complete -c furrow -f -a '(furrow __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c furrow -l repo -r -F
`,
};
