import { optionsOf } from './arguments.ts';
import type { Argument, Command, Group, Option } from './command.ts';
import { shown } from './find.ts';
import { columns } from './view/columns.ts';

export const GROUPS: Record<Group, string> = {
  start: 'Start',
  board: 'The board',
  see: 'See',
  steer: 'Steer',
  queue: 'The merge queue',
  agents: 'What agents call',
  upkeep: 'Upkeep',
};

export function usage(command: Command): string {
  const words = ['furrow', command.name, ...(command.arguments ?? []).map(argumentWord)];
  for (const option of [...(command.options ?? []), ...(command.json ? [{ name: 'json', type: 'flag', says: '' } as const] : [])]) {
    words.push(option.required ? optionWord(option) : `[${optionWord(option)}]`);
  }
  return words.join(' ');
}

export function commandHelp(command: Command): string {
  const parts = [`${sentence(command.summary)}\n`, `usage: ${usage(command)}\n`];
  if (command.details) parts.splice(1, 0, `${command.details}\n`);
  const words = (command.arguments ?? []).map((argument) => [`  ${argumentWord(argument)}`, argument.says]);
  const options = optionsOf(command).map((option) => [`  ${option.short ? `-${option.short}, ` : ''}${optionWord(option)}`, option.says]);
  parts.push(`${columns([...words, ...options]).join('\n')}\n`);
  if (command.examples) parts.push(`examples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`);
  return parts.join('\n');
}

/** Commands by which an agent looks at the board; the table of rights lets it make their calls. */
export const AGENTS_LOOK: readonly string[] = ['status', 'list', 'show', 'plan', 'why', 'queue', 'conflicts'];

/** For an agent: only what it may call, by the door that furrow gave it. */
function agentOverview(commands: readonly Command[]): string {
  const row = (command: Command) => [`  ${command.name}`, command.summary];
  const own = commands.filter((command) => command.group === 'agents');
  const look = commands.filter((command) => AGENTS_LOOK.includes(command.name));
  return [
    'You are an agent that furrow started. These commands are yours:\n',
    `${columns(own.map(row), [14]).join('\n')}\n`,
    `The board (show: your own task)\n${columns(look.map(row), [14]).join('\n')}\n`,
    "Everything else is a person's: furrow ask TEXT asks one. Every command takes --help; where it prints state, --json.\n",
  ].join('\n');
}

export function overview(commands: readonly Command[], env: NodeJS.ProcessEnv = process.env): string {
  if (env['FURROW_DOOR']) return agentOverview(shown(commands));
  const parts = ['furrow runs N coding agents in parallel on one git repository and lands only what passed the checks.\n'];
  for (const [group, title] of Object.entries(GROUPS)) {
    const rows = shown(commands)
      .filter((command) => command.group === group)
      .map((command) => [`  ${command.name}`, command.summary]);
    parts.push(`${title}\n${columns(rows, [14]).join('\n')}\n`);
  }
  parts.push('Every command takes --repo PATH and --help; where it prints state, --json.\nStart with: furrow demo\n');
  return parts.join('\n');
}

function argumentWord(argument: Argument): string {
  const name = argument.many ? `${argument.name}…` : argument.name;
  return argument.optional ? `[${name}]` : name;
}

export function optionWord(option: Option): string {
  return option.value === undefined ? `--${option.name}` : `--${option.name} ${option.value}`;
}

export function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
