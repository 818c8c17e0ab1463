import { FurrowError } from '../../platform/error.ts';
import { suggest } from '../../platform/suggest.ts';
import type { Argument, Arguments, Command, Option } from './command.ts';

type Value = string | boolean | number | string[];

/** Every command takes these. */
const COMMON: readonly Option[] = [
  { name: 'repo', type: 'text', value: 'PATH', says: 'the repository (default: the one of the current folder)' },
  { name: 'help', short: 'h', type: 'flag', says: 'explains the command' },
];
const JSON_OPTION: Option = { name: 'json', type: 'flag', says: 'prints one JSON document on stdout and nothing else' };

export function optionsOf(command: Command): readonly Option[] {
  return [...(command.options ?? []), ...(command.json === false ? [] : [JSON_OPTION]), ...COMMON];
}

/** Reads by hand: `util.parseArgs` costs 4.7 ms to load, and a whole `status` may take 8 more than a bare node. */
export function readArguments(command: Command, argv: readonly string[]): Arguments {
  const values = new Map<string, Value>();
  const positional: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') {
      positional.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const { option, inline } = optionFor(command, word);
    if (option.type === 'flag') {
      if (inline !== undefined) throw wrong(command, `--${option.name} takes no value`);
      values.set(option.name, true);
      continue;
    }
    const value = inline ?? nextValue(argv[++i]);
    if (value === undefined) throw wrong(command, `--${option.name} needs a value`);
    values.set(option.name, typed(command, option, value, values.get(option.name)));
  }
  // Help is shown even when required words are missing.
  if (!values.has('help')) {
    assign(command, positional, values);
    const missing = (command.options ?? []).find((option) => option.required && !values.has(option.name));
    if (missing) throw wrong(command, `furrow ${command.name} needs --${missing.name} ${missing.value}`);
  }
  return access(command, values);
}

/** A value that looks like an option is more likely a forgotten value; `--name=-value` says that it is meant. */
function nextValue(word: string | undefined): string | undefined {
  return word !== undefined && (word === '-' || !word.startsWith('-')) ? word : undefined;
}

function optionFor(command: Command, word: string): { option: Option; inline: string | undefined } {
  const [, name, inline] = (word.startsWith('--') ? /^--([^=]*)(?:=(.*))?$/s : /^-(.)(.+)?$/s).exec(word) ?? [];
  const options = optionsOf(command);
  const found = options.find((option) => (word.startsWith('--') ? option.name === name : option.short === name));
  if (found) return { option: found, inline };
  const long = options.map((option) => option.name);
  const meant = word.startsWith('--') ? suggest(name ?? '', long) : undefined;
  const written = word.startsWith('--') ? `--${name}` : `-${name}`;
  throw wrong(command, `furrow ${command.name} has no option ${written}${meant ? `; did you mean --${meant}?` : ''}`);
}

function typed(command: Command, option: Option, value: string, before: Value | undefined): Value {
  if (option.oneOf && !option.oneOf.includes(value)) {
    throw wrong(command, `--${option.name} must be ${option.oneOf.join(' or ')}, not "${value}"`);
  }
  if (option.type === 'list') {
    const items = value.split(',').map((item) => item.trim());
    return [...((before as string[] | undefined) ?? []), ...items.filter((item) => item !== '')];
  }
  if (option.type === 'text') return value;
  const [least, most] = option.range ?? [0, 999_999_999];
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most))
    throw wrong(command, `--${option.name} must be a whole number${option.range ? ` from ${least} to ${most}` : ''}, not "${value}"`);
  return number;
}

function assign(command: Command, positional: string[], values: Map<string, Value>): void {
  const left = [...positional];
  for (const argument of command.arguments ?? []) {
    const value = argument.many ? left.splice(0) : left.shift();
    if (value !== undefined && value.length > 0) values.set(argument.name, value);
    else if (!argument.optional) throw wrong(command, `furrow ${command.name} needs ${argument.name}`);
  }
  if (left.length > 0) throw wrong(command, `furrow ${command.name} does not know what to do with "${left[0]}"`);
}

function access(command: Command, values: Map<string, Value>): Arguments {
  const known = new Set<string>([...optionsOf(command), ...((command.arguments ?? []) as readonly Argument[])].map((one) => one.name));
  const value = (name: string): Value | undefined => {
    if (!known.has(name)) throw new Error(`furrow ${command.name} is not described with ${name}`);
    return values.get(name);
  };
  return {
    text: (name) => joined(value(name)),
    need: (name) => joined(value(name))!,
    flag: (name) => value(name) === true,
    number: (name) => value(name) as number | undefined,
    list: (name) => value(name) as string[] | undefined,
  };
}

const joined = (value: Value | undefined) => (Array.isArray(value) ? value.join(' ') : value) as string | undefined;

const wrong = (command: Command, sentence: string) => new FurrowError('USAGE', sentence, { hint: `furrow ${command.name} --help` });
