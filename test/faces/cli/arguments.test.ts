import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/faces/cli/arguments.ts';
import { findCommand, optionsBefore } from '../../../src/faces/cli/find.ts';
import { commands } from '../../../src/faces/cli/table.ts';

/** Reads a line as the shell would split it (no quotes here: `_` stands for a space) and shows what came out of it. */
function reading(line: string) {
  const argv = line.split(' ').map((word) => word.replaceAll('_', ' '));
  const { command, rest } = findCommand(commands, argv);
  return { command: command.name, args: readArguments(command, rest) };
}

const reads =
  (line: string, ...expected: [kind: 'text' | 'flag' | 'number' | 'list', name: string, value: unknown][]) =>
  () => {
    const { args } = reading(line);
    for (const [kind, name, value] of expected) expect(args[kind](name), name).toEqual(value);
  };

const refuses = (line: string, sentence: string, hint: string) => () => {
  let error: unknown;
  try {
    reading(line);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(sentence), hint });
};

describe('words that are understood', () => {
  it('an argument', reads('show 4', ['text', 'TASK', '4']));
  it('a title of several words', reads('add Parse all dates', ['text', 'TITLE', 'Parse all dates']));
  it('a value after a space', reads('add x --priority high', ['text', 'priority', 'high']));
  it('a value after an equals sign', reads('add x --body=a=b', ['text', 'body', 'a=b']));
  it('an empty value after an equals sign', reads('add x --body=', ['text', 'body', '']));
  it('a value that begins with a dash, after an equals sign', reads('add x --body=-v', ['text', 'body', '-v']));
  it('a dash alone as a value', reads('add x --body -', ['text', 'body', '-']));
  it('a list', reads('add x --depends-on 1,2,_3', ['list', 'depends-on', ['1', '2', '3']]));
  it('a list given twice', reads('add x --paths a --paths b,c', ['list', 'paths', ['a', 'b', 'c']]));
  it('no list', reads('add x', ['list', 'paths', undefined]));
  it('a number', reads('work --parallel 4', ['number', 'parallel', 4]));
  it('a number by its short name', reads('work -n 4', ['number', 'parallel', 4]));
  it('a number right after its short name', reads('work -n4', ['number', 'parallel', 4]));
  it('a flag', reads('log -f', ['flag', 'follow', true]));
  it('a flag that is not there', reads('log', ['flag', 'follow', false]));
  it(
    'options after the argument and before',
    reads('work --fresh one --detach', ['text', 'PHASE', 'one'], ['flag', 'fresh', true], ['flag', 'detach', true]),
  );
  it('words after -- as they are', reads('add -- --json -x', ['text', 'TITLE', '--json -x'], ['flag', 'json', false]));
  it('the last of two values', reads('add x --due 1 --due 2', ['text', 'due', '2']));
  it('a sub-command', () => expect(reading('queue eject 4').command).toBe('queue eject'));
  it('a command that has sub-commands', () => expect(reading('queue --json').command).toBe('queue'));
  it.each(commands.filter(({ hidden }) => !hidden))('the options of every command before $name', ({ name }) => {
    const { before, words } = optionsBefore(['--repo', '/x', '--json', ...name.split(' '), '4']);
    expect(before).toEqual(['--repo', '/x', '--json']);
    expect(findCommand(commands, words)).toMatchObject({ command: { name }, rest: ['4'] });
  });
  it('help, whatever is missing', reads('show --help', ['flag', 'help', true]));
});

describe('words that are refused with the next command to try', () => {
  it('a missing argument', refuses('show', 'furrow show needs TASK', 'furrow show --help'));
  it('an empty argument', refuses('show ', 'furrow show needs TASK', 'furrow show --help'));
  it('an argument too many', refuses('show 4 5', 'does not know what to do with "5"', 'furrow show --help'));
  it('a missing option', refuses('block 4', 'furrow block needs --reason TEXT', 'furrow block --help'));
  it('a missing value at the end', refuses('block 4 --reason', '--reason needs a value', 'furrow block --help'));
  it('a missing value before an option', refuses('block 4 --reason --json', '--reason needs a value', 'furrow block --help'));
  it('a flag with a value', refuses('status --json=yes', '--json takes no value', 'furrow status --help'));
  it('no number', refuses('work --parallel many', '--parallel must be a whole number from 1 to 500, not "many"', 'furrow work --help'));
  it('no agent at all', refuses('demo --agents 0', '--agents must be a whole number from 1 to 64, not "0"', 'furrow demo --help'));
  it('half a number', refuses('work --parallel 1.5', '--parallel must be a whole number', 'furrow work --help'));
  it(
    'a word that is not among the choices',
    refuses('work --until done', '--until must be empty or forever, not "done"', 'furrow work --help'),
  );
  it('a misspelt option', refuses('work --paralel 4', 'has no option --paralel; did you mean --parallel?', 'furrow work --help'));
  it('an unknown option', refuses('work --xyzzy', 'furrow work has no option --xyzzy', 'furrow work --help'));
  it('an unknown short option', refuses('work -z', 'furrow work has no option -z', 'furrow work --help'));
  it('a misspelt command', refuses('stauts', 'did you mean status?', 'furrow status --help'));
  it('an unknown command', refuses('frobnicate', 'there is no command "frobnicate" in this furrow', 'furrow --help'));
});

it('throws a bug, not a user error, when a command asks for a word it is not described with', () => {
  expect(() => reading('status').args.text('phase')).toThrow('furrow status is not described with phase');
});
