import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/api/contract.ts';
import { RIGHTS } from '../../../src/api/rights.ts';
import { configKeys } from '../../../src/config/keys.ts';
import { optionsOf } from '../../../src/faces/cli/arguments.ts';
import { candidates, SCRIPTS } from '../../../src/faces/cli/complete.ts';
import { shown } from '../../../src/faces/cli/find.ts';
import { AGENTS_LOOK, allCommands, commandHelp, overview, usage } from '../../../src/faces/cli/help.ts';
import { referenceText } from '../../../src/faces/cli/reference.ts';
import { commands } from '../../../src/faces/cli/table.ts';

const named = (name: string) => commands.find((command) => command.name === name)!;

describe('every command', () => {
  it.each(commands.map((command) => [command.name, command] as const))('%s can be loaded', async (_name, command) => {
    expect(await command.run()).toBeTypeOf('function');
  });

  it('has a name and short options of its own', () => {
    expect(new Set(commands.map((command) => command.name)).size).toBe(commands.length);
    for (const command of commands) {
      const words = optionsOf(command).flatMap((option) => [option.name, ...(option.short ? [option.short] : [])]);
      expect(new Set(words).size, command.name).toBe(words.length);
    }
  });

  it('is in the list of all, unless it is hidden', () => {
    const text = allCommands(commands);
    const heads = [...text.matchAll(/^ {2}(\S.*?) {2}/gm)].map((line) => line[1]!);
    const parts = [...text.matchAll(/\(also: (.*?)\)$/gm)].flatMap((line) => line[1]!.split(', '));
    for (const { name, hidden, partOf } of commands)
      expect([heads.includes(name), parts.includes(name)], name).toEqual([!hidden && !partOf, partOf !== undefined]);
    expect(heads.length).toBeLessThan(60);
  });

  it('is explained with the command that it belongs to, and the other way round', () => {
    for (const command of commands.filter(({ partOf }) => partOf !== undefined)) {
      const head = named(command.partOf!);
      expect(head.group === 'steer' ? 'queue' : head.group, command.name).toBe(command.group);
      expect(commandHelp(head, commands)).toContain(`  ${command.name}`);
      expect(commandHelp(command, commands)).toContain(`see also: furrow ${head.name} --help`);
    }
  });
});

describe('help', () => {
  it('shows the fifteen commands of a day, and where the others are', () => {
    const text = overview(commands, {});
    const names = [...text.matchAll(/^ {2}(\S+) {2}/gm)].map((row) => row[1]!);
    expect(names.toSorted()).toEqual('add approve diff doctor init list logs next status stop submit top web why work'.split(' '));
    expect(text).toContain('furrow help all');
  });

  it('shows an agent what it may call, and nothing else', () => {
    const text = overview(commands, { FURROW_DOOR: '/farm/doors/1/furrow.sock' });
    const shown = [...text.matchAll(/^ {2}(\S.*?) {2}/gm)].map((row) => row[1]!);
    expect(shown).toEqual([
      'done',
      'blocked',
      'progress',
      'ask',
      'reply',
      'notify',
      'inbox',
      'messages',
      'job send',
      'job list',
      'job show',
      'job update',
      'job done',
      'job fail',
      'job cancel',
      'reserve',
      'release',
      'hold',
      'mcp',
      ...commands.flatMap(({ name }) => (AGENTS_LOOK.includes(name) ? [name] : [])),
    ]);
    for (const name of shown)
      expect([name, RIGHTS[name as CallName]?.who]).not.toEqual([name, expect.stringMatching(/persons|orchestrators/)]);
  });

  it('shows the usage as it is typed', () => {
    expect(usage(named('work'))).toBe(
      'furrow work [PHASE] [--parallel N] [--agent KIND] [--fresh] [--no-preflight] [--detach] [--until empty|forever] [--trust] [--json]',
    );
    expect(usage(named('block'))).toBe('furrow block TASK --reason TEXT [--json]');
    expect(usage(named('answer'))).toBe('furrow answer QUESTION [TEXT…] [--json]');
  });

  it('explains every option and gives an example', () => {
    const text = commandHelp(named('add'), commands);
    for (const option of optionsOf(named('add'))) expect(text).toContain(option.says);
    expect(text).toContain('examples:\n  furrow add "Parse dates"');
  });
});

describe('docs/reference.md', () => {
  it('says what this program does; refresh it with: furrow reference > docs/reference.md', () => {
    const file = readFileSync(fileURLToPath(new URL('../../../docs/reference.md', import.meta.url)), 'utf8');
    expect(file).toBe(referenceText(commands, configKeys(), RIGHTS));
  });

  it('names every shown command and every setting', () => {
    const text = referenceText(commands, configKeys(), RIGHTS);
    for (const command of shown(commands)) expect(text).toContain(`### furrow ${command.name}\n`);
    for (const key of configKeys()) expect(text).toContain(`| \`${key.key}\` |`);
    expect(text).not.toContain('__complete');
  });
});

describe('completion', () => {
  const at = (...words: string[]) => {
    const { fixed, ask } = candidates(shown(commands), words);
    return ask ?? fixed.map((candidate) => candidate.word);
  };

  it('offers commands first', () => expect(at('st')).toContain('status'));
  it('offers no hidden command', () => expect(at('')).not.toContain('daemon'));
  it('offers commands after a repository', () => expect(at('--repo', '/x', '')).toContain('status'));
  it('asks for tasks where a task stands', () => expect(at('show', '')).toBe('task'));
  it('asks for agents where an agent stands', () => expect(at('pause', '')).toBe('agent'));
  it('asks for tasks after an option that takes them', () => expect(at('add', 'x', '--depends-on', '')).toBe('task'));
  it('offers the choices of an option', () => expect(at('work', '--until', '')).toEqual(['empty', 'forever']));
  it('offers the choices of an argument', () => expect(at('completion', '')).toEqual(['bash', 'zsh', 'fish']));
  it('offers options after a dash', () => expect(at('work', '--')).toContain('--parallel'));
  it('offers sub-commands', () => expect(at('queue', '')).toEqual(['eject', 'pause', 'resume']));
  it('asks for tasks after a sub-command', () => expect(at('queue', 'eject', '')).toBe('work'));
  it('asks for branches where one can be submitted', () => expect(at('submit', '')).toBe('branch'));
  it('asks for tasks, agents and branches where one can look at any of them', () =>
    expect(['diff', 'path', 'open'].map((command) => at(command, ''))).toEqual(['place', 'place', 'place']));
  it('asks for what can be waited for', () => expect([at('submit', '--after', ''), at('why', '')]).toEqual(['work', 'work-or-agent']));
  it('asks for kinds of agents', () => expect([at('work', '--agent', ''), at('add', 'x', '--agent', '')]).toEqual(['kind', 'kind']));
  it('asks for no archived task where nothing can be done with one', () =>
    expect([at('retry', ''), at('take', ''), at('give', ''), at('submit', '--task', '')]).toEqual(Array(4).fill('current-task')));
  it('counts arguments past options and their values', () => expect(at('move', '--repo', '/x', '4', '')).toContain('done'));
  it('offers nothing for a repository, so that the shell offers files', () => expect(at('status', '--repo', '')).toEqual([]));

  it('works in bash', () => {
    const script = `${SCRIPTS['bash']}
      furrow() { printf 'status\\tshows\\n'; }
      COMP_WORDS=(furrow st); COMP_CWORD=1; _furrow; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('status\n');
  });
});
