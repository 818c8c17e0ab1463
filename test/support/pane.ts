import { connect } from '../../src/api/client.ts';
import { exec } from '../../src/platform/exec.ts';
import { plainEnv, type TestRepo } from './repo.ts';

/** The farm's own tmux, asked as a person's would be. */
export async function tmux(repo: TestRepo, ...args: string[]): Promise<string> {
  const client = await connect(repo.root, { start: false });
  const { socket } = await client.call('attach', {});
  client.close();
  const done = await exec(['tmux', '-S', socket, ...args], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
  if (done.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** Keys into the pane of the farm's one agent, the way a person's terminal sends them. */
export async function press(repo: TestRepo, ...keys: string[]): Promise<void> {
  await inPane(repo, 'send-keys', ...keys);
}

/** A tmux command about the pane of the farm's one agent. */
export async function inPane(repo: TestRepo, command: string, ...words: string[]): Promise<string> {
  const panes = (await tmux(repo, 'list-panes', '-a', '-F', '#{pane_id} #{pane_dead} #{pane_start_command}')).split('\n');
  const pane = panes.find((line) => /^%\d+ 0 .*run\/a\d/.test(line))?.split(' ')[0];
  if (!pane) throw new Error(`no agent is in any of these panes:\n${panes.join('\n')}`);
  return tmux(repo, command, '-t', pane, ...words);
}
