import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readArguments } from '../../../src/faces/cli/arguments.ts';
import type { Ask } from '../../../src/faces/cli/command.ts';
import { offers } from '../../../src/faces/cli/completions.ts';
import { contextFor } from '../../../src/faces/cli/context.ts';
import { commands } from '../../../src/faces/cli/table.ts';
import { emptyStatus, farmWith, git, repository } from './stub.ts';

const task = (id: string, state: string) => ({ id, title: `Task ${id}`, phase: 'default', state, reason: null, agent: null });
const ANSWERS = {
  list: { tasks: [task('1', 'ready'), task('2', 'archived')], quarantined: [], problems: [] },
  status: { ...emptyStatus, agents: [{ name: 'ada', title: null, state: 'idle' }] },
  queue: {
    entries: [
      { task: '1', title: 'Task 1' },
      { task: 'fix/queued', title: 'Queued' },
    ],
  },
  flakes: { checks: [{ name: 'unit' }] },
  config: { config: { agents: { claude: { driver: 'claude' }, sh: { driver: 'command' } } } },
};

/** The words that the Tab key offers in this repository. */
async function offered(root: string, ask: Ask): Promise<string[]> {
  const command = commands.find((one) => one.name === '__complete')!;
  const context = contextFor(commands, command, readArguments(command, ['--repo', root]));
  const words = await offers(context, ask);
  context.close();
  return words.map((one) => one.word);
}

it('offers branches, agents, kinds and checks where they are taken, and archived tasks only where something can be done with them', async () => {
  await using repo = await repository();
  for (const name of ['fix/local', 'fix/queued', 'furrow/default/1']) git(repo.root, 'branch', name);
  await using _farm = await farmWith(repo.root, ANSWERS);
  for (const [ask, words] of [
    ['branch', ['fix/local', 'fix/queued', 'main']],
    ['place', ['1', '2', 'ada', 'fix/local', 'fix/queued', 'main']],
    ['output', ['1', '2', 'fix/queued', 'ada', 'unit']],
    ['work', ['1', 'fix/queued']],
    ['work-or-agent', ['1', 'fix/queued', 'ada']],
    ['kind', ['claude', 'sh']],
    ['task', ['1', '2']],
    ['current-task', ['1']],
  ] as const)
    expect(await offered(repo.root, ask), ask).toEqual(words);
});

it('offers branches also where no farm runs, and starts none', async () => {
  await using repo = await repository();
  writeFileSync(join(repo.root, 'furrow.yaml'), '');
  expect(await offered(repo.root, 'place')).toEqual(['main']);
  expect(existsSync(join(repo.root, '.furrow'))).toBe(false);
});
