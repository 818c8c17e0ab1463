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
  for (const option of [
    ...(command.options ?? []),
    ...(command.json === false ? [] : [{ name: 'json', type: 'flag', says: '' } as const]),
  ]) {
    words.push(option.required ? optionWord(option) : `[${optionWord(option)}]`);
  }
  return words.join(' ');
}

/** `all`: the other commands, of which some belong to it. */
export function commandHelp(command: Command, all: readonly Command[]): string {
  const parts = [`${sentence(command.summary)}\n`, `usage: ${usage(command)}\n`];
  if (command.details) parts.splice(1, 0, `${command.details}\n`);
  const words = (command.arguments ?? []).map((argument) => [`  ${argumentWord(argument)}`, argument.says]);
  const options = optionsOf(command).map((option) => [`  ${option.short ? `-${option.short}, ` : ''}${optionWord(option)}`, option.says]);
  parts.push(`${columns([...words, ...options]).join('\n')}\n`);
  if (command.examples) parts.push(`examples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`);
  const partsOfIt = partsOf(command, all);
  if (partsOfIt.length > 0) parts.push(`see also:\n${columns(partsOfIt.map(row)).join('\n')}\n`);
  if (command.partOf) parts.push(`see also: furrow ${command.partOf} --help\n`);
  return parts.join('\n');
}

/** Commands by which an agent looks at the board; the table of rights lets it make their calls. */
export const AGENTS_LOOK: readonly string[] = ['status', 'list', 'show', 'plan', 'why', 'queue', 'conflicts'];

/** For an agent: only what it may call, by the door that furrow gave it. */
function agentOverview(commands: readonly Command[]): string {
  const own = commands.filter((command) => command.group === 'agents');
  const look = commands.filter((command) => AGENTS_LOOK.includes(command.name));
  return [
    'You are an agent that furrow started. These commands are yours:\n',
    `${columns(own.map(row), [14]).join('\n')}\n`,
    listed('The board (show: your own task)', look),
    "Everything else is a person's: furrow ask TEXT asks one. Every command takes --help; where it prints state, --json.\n",
  ].join('\n');
}

/** The commands of a day, of about 70. */
const DAILY: Record<string, readonly string[]> = {
  'Give work': ['init', 'add', 'work', 'submit'],
  'See how it goes': ['status', 'list', 'why', 'logs', 'diff', 'top', 'web'],
  Decide: ['next', 'approve', 'stop', 'doctor'],
};

/** For the `COMMAND` of `furrow help`. */
export const ALL = 'all';

const row = ({ name, summary }: Command) => [`  ${name}`, summary];

const listed = (title: string, commands: readonly Command[]) => `${title}\n${columns(commands.map(row), [14]).join('\n')}\n`;

const EVERY = 'Every command takes --repo PATH and --help; where it prints state, --json.';

export function overview(commands: readonly Command[], env: NodeJS.ProcessEnv = process.env): string {
  if (env['FURROW_DOOR']) return agentOverview(shown(commands));
  return [
    'furrow runs N coding agents in parallel on one git repository and lands only what passed the checks.\n',
    ...Object.entries(DAILY).map(([title, names]) =>
      listed(
        title,
        names.flatMap((name) => commands.filter((command) => command.name === name)),
      ),
    ),
    `All commands: furrow help ${ALL}. ${EVERY}\nTry it without an account: furrow demo\n`,
  ].join('\n');
}

const partsOf = ({ name }: Command, all: readonly Command[]) => all.filter((one) => one.partOf === name);

/** A command and those that belong to it are one line, because nobody reads a list of 70. */
function withParts(command: Command, all: readonly Command[]): Command {
  const parts = partsOf(command, all);
  return parts.length === 0 ? command : { ...command, summary: `${command.summary} (also: ${parts.map(({ name }) => name).join(', ')})` };
}

export function allCommands(commands: readonly Command[]): string {
  const heads = shown(commands).filter(({ partOf }) => partOf === undefined);
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    listed(
      title,
      heads.filter((command) => command.group === group).map((command) => withParts(command, commands)),
    ),
  );
  return [...groups, `${EVERY}\n`].join('\n');
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
