import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { tmux } from '../support/pane.ts';
import { processesOf, variable } from '../support/processes.ts';
import { plainEnv, type TestRepo } from '../support/repo.ts';
import { isWindowAgent } from '../support/window-agent.ts';
import { windows } from './windows.ts';

const STARTER = {
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  NODE_OPTIONS: '--no-warnings',
  SOME_TOKEN: 'hunter2-of-the-starter',
  AWS_SECRET_ACCESS_KEY: 'hunter3-of-the-starter',
};

/** A person's terminal at the farm: a tmux of their own, whose pane is attached to it. */
async function attached(repo: TestRepo): Promise<AsyncDisposable & { press(...keys: string[]): Promise<void> }> {
  const own = async (...args: string[]) => {
    const done = await exec(['tmux', '-S', join(repo.base, 'person'), '-f', '/dev/null', ...args], {
      cwd: repo.base,
      env: plainEnv(repo),
      timeoutMs: 30_000,
    });
    if (done.code !== 0) throw new Error(done.stderr);
  };
  const socket = (await tmux(repo, 'display-message', '-p', '#{socket_path}')).trim();
  await own('new-session', '-d', '-x', '120', '-y', '30', `exec tmux -S '${socket}' attach`);
  await expect.poll(() => tmux(repo, 'list-clients', '-F', '#{client_tty}')).toMatch(/\S/);
  return {
    press: (...keys) => own('send-keys', ...keys),
    [Symbol.asyncDispose]: () => own('kill-server'),
  };
}

it('a paused agent stops at the end of its turn and goes on when it is resumed, by command and by key; no secret shows', async () => {
  const script = (gate: (name: string) => string) => [
    'permission sh tell.sh',
    gate('one'),
    'turn',
    gate('two'),
    'write 1.txt 1',
    'commit 1',
  ];
  const permissions = { rules: [{ do: 'allow' }] };
  const files = { 'tell.sh': 'furrow progress "my token is $FURROW_TOKEN"\n' };
  await using it = await windows((gate) => [{ id: 1, script: script(gate) }], { config: { permissions }, files, env: STARTER });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('one');

  const own = processesOf(it.repo.base);
  const agent = own.find(({ command }) => isWindowAgent(command))!;
  const token = variable(agent, 'FURROW_TOKEN')!;
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  for (const name of Object.keys(STARTER)) expect(variable(agent, name), name).toBeUndefined();
  expect(agent.environ).not.toContain('hunter');
  expect(own.filter(({ command }) => command.includes(token))).toEqual([]);
  const log = await it.farm.furrow('log', '--json');
  expect(log.stdout).toContain('my token is');
  expect(log.stdout).not.toContain(token);
  expect(await readFile(join(it.repo.root, '.furrow/logs/daemon.log'), 'utf8')).not.toContain(token);

  const { name } = await it.agent('1');
  const turns = async () => (await it.farm.events()).filter(({ kind }) => kind === 'agent.turn').map(({ text }) => text);
  await it.farm.furrow('pause', name);
  await it.open('one');
  await expect.poll(() => turns()).toEqual([`${name} ended its turn and waits (paused)`]);
  expect(await it.agent('1')).toMatchObject({ state: 'idle', paused: true });
  await it.farm.furrow('resume', name);
  await it.at('two');

  {
    await using person = await attached(it.repo);
    await tmux(it.repo, 'select-window', '-t', `=furrow:${name}`).catch(() => tmux(it.repo, 'select-window', '-t', name));
    await person.press('C-b', 'P');
    await expect.poll(() => it.agent('1')).toMatchObject({ paused: true });
    await it.open('two');
    await expect.poll(async () => (await turns()).at(-1)).toBe(`${name} ended its turn and waits (paused)`);
    expect((await it.farm.ask('queue')).entries).toEqual([]);
    await person.press('C-b', 'R');
    await expect.poll(() => it.main('1.txt')).toBe('1');
  }
});
