import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { doorFolder, doorSocket, socketPath } from '../../src/api/place.ts';
import { exec } from '../../src/platform/exec.ts';
import { writeBoard } from '../support/board.ts';
import { agentEnv, BIN, farm, furrowIn, killDaemon } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const CONFIG = `${SHELL.replace('agents:\n', 'agents:\n  boss: { driver: command, run: "sh do/$FURROW_TASK.sh", role: orchestrator }\n')}parallel: 3\n`;
/** Runs a line of the agent's shell, and notes how it ended and what it said. */
const tries = (name: string, line: string) => `{ ${line} && echo "exit 0" || echo "exit $?"; } > "$HOME/${name}" 2>&1`;
const wait = (name: string) => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done`;
/** The same for a file that is read: it is there a moment before its content. */
const waitFilled = (name: string) => wait(name).replace('-e', '-s');

it('each attempt has a door, which hears its own agent, before and after a kill of the daemon, and goes with it', async () => {
  const first = [
    'furrow ask "may I?"',
    waitFilled('go'),
    tries('other', `FURROW_DOOR=\${FURROW_DOOR%/*/*}/$(cat "$HOME/go")/furrow.sock furrow progress "in the name of another"`),
    tries('reads', 'furrow status --json && furrow show 1 --json && furrow list --json && furrow inbox --json'),
    wait('killed'),
    tries('started', `env -i PATH="$PATH" HOME="$HOME" "${process.execPath}" "${BIN}" --repo "$FURROW_REPO" status`),
    wait('again'),
    tries('after', 'furrow progress "after the kill"'),
    commits('1'),
  ];
  const boss = [
    wait('go'),
    tries('added', 'furrow add "By the boss" && furrow edit 4 --note "and a note"'),
    tries('checked', 'furrow add "Runs what I like" --check true'),
    tries('attached', 'furrow edit 4 --attach /etc/passwd'),
    tries('answered', 'furrow answer 1 allow'),
    wait('again'),
    commits('3'),
  ];
  const check = `"${process.execPath}" "${BIN}" pause > "$HOME/check-said" 2>&1; exit 0\n`;
  await using repo = await shellRepo(
    { 1: first.join('\n'), 2: `${wait('again')}; ${commits('2')}`, 3: boss.join('\n'), 4: commits('4') },
    CONFIG,
    {
      'check.sh': check,
    },
  );
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3, agent: 'boss' }]);
  const home = (name: string) => readFile(join(repo.home, name), 'utf8').catch(() => '');
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  await expect.poll(async () => (await running.ask('status')).attention.length).toBe(1);
  const { agents } = await running.ask('status');
  expect(agents).toHaveLength(3);

  // Folders and sockets are the user's alone, and no other user gets in.
  for (const path of [doorFolder(repo.root, 1), join(doorFolder(repo.root, 1), '..')]) expect(statSync(path).mode & 0o777).toBe(0o700);
  for (const path of [doorSocket(repo.root, 1), socketPath(repo.root)]) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await asNobody(path)).toBe('EACCES');
  }

  await repo.write('../home/go', '2');
  await expect.poll(() => home('answered')).toContain('exit');
  await expect.poll(() => home('reads')).toContain('exit');
  expect(await home('other')).toMatch(/this is the door of attempt 2, and the calling process does not belong to that attempt\n.*\nexit 1/);
  expect(await home('reads')).toContain('exit 0');
  expect(await home('added')).toContain('exit 0');
  expect(await home('checked')).toMatch(/an orchestrator cannot set the check of a task.*\n.*\nexit 1/);
  expect(await home('attached')).toMatch(/an orchestrator cannot change the files that are attached to a task.*\n.*\nexit 1/);
  expect(await home('answered')).toMatch(/an agent cannot answer questions; only a person can\n.*\nexit 1/);

  await killDaemon(running);
  await repo.write('../home/killed', '');
  await expect.poll(() => home('started')).toMatch(/an agent cannot start the daemon of its farm; only a person can\n.*\nexit 1/);
  expect((await running.ask('status')).attention).toHaveLength(1);
  await repo.write('../home/again', '');
  await expect.poll(() => home('after')).toContain('exit 0');
  const told = (await running.events('--task', '1')).filter((one) => one.kind === 'agent.progress');
  expect(told.map((one) => one.text)).toEqual([`${agents.find((one: { task: string }) => one.task === '1').name}: after the kill`]);

  await expect.poll(async () => (await running.ask('list')).every((one: { state: string }) => one.state === 'landed')).toBe(true);
  expect(await home('check-said')).toContain('a check or a set-up command cannot call furrow');
  await expect.poll(() => existsSync(doorFolder(repo.root, 1))).toBe(false);
  const [{ agent }] = (await running.ask('show', '1')).attempts;
  const env = { ...(await agentEnv(repo, 1, { agent, task: '1', attempt: 1 })), FURROW_DOOR: doorSocket(repo.root, 1) };
  expect(await furrowIn(repo, { env }, 'progress', 'late')).toMatchObject({ code: 1, stderr: expect.stringContaining('its door is gone') });
});

it.skipIf(without('bwrap'))(titled('bwrap', 'an agent behind the fence has its own door and reaches no other socket'), async () => {
  const notes = (name: string, line: string) =>
    `if ${line} >> src/said.txt 2>&1; then echo ${name}=yes; else echo ${name}=no; fi >> src/seen.txt`;
  const task = [
    notes('progress', 'furrow progress "from inside"'),
    notes('answer', 'furrow answer 1 allow'),
    notes('person', 'test -S "$FURROW_REPO/.furrow/run/daemon.sock"'),
    notes('other-door', 'ls "$(dirname "$(dirname "$FURROW_DOOR")")" | grep -qvx "$(basename "$(dirname "$FURROW_DOOR")")"'),
    commits('1'),
  ];
  await using repo = await shellRepo({ 1: task.join('\n'), 2: commits('2') }, `${SHELL}isolation: guard\n`);
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '2');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'main:src/seen.txt')).toBe('progress=yes\nanswer=no\nperson=no\nother-door=no');
  expect(await repo.git('show', 'main:src/said.txt')).toContain('an agent cannot answer questions; only a person can');
});

/** Knocks as another user; only root can try. */
async function asNobody(socket: string): Promise<string> {
  if (process.getuid?.() !== 0) return 'EACCES';
  const knock = `require('node:net').connect(process.argv[1]).on('error', (e) => console.log(e.code)).on('connect', () => { console.log('in'); process.exit(); })`;
  const { stdout } = await exec(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', knock, socket], {
    cwd: '/',
    env: {},
    timeoutMs: 30_000,
  });
  return stdout.trim();
}
