import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { isListening, tmuxClient } from '../../../src/platform/tmux/server.ts';
import { openTmux } from '../../../src/platform/tmux/tmux.ts';
import { type Farm, farm, QUIET } from './place.ts';

const gone = (at: Farm) => new Promise<string>((resolve) => at.tmux.onGone(resolve));

it('a killed server is told, and a new one starts on its stale socket', async () => {
  await using at = await farm();
  const { server } = at.tmux;
  await at.tmux.openWindow('ada', QUIET, QUIET);
  const told = gone(at);
  process.kill(server.pid, 'SIGKILL');
  expect(await told).not.toBe('');
  await expect(at.tmux.panes()).rejects.toMatchObject({ code: 'TMUX_GONE' });
  const again = await at.reopen();
  expect(again.server.pid).not.toBe(server.pid);
  expect(await again.panes()).toEqual([]);
});

it('a closed connection leaves server and panes as they are', async () => {
  await using at = await farm();
  await at.tmux.openWindow('ada', QUIET, QUIET);
  const before = { server: at.tmux.server, panes: await at.tmux.panes() };
  let told = false;
  at.tmux.onGone(() => (told = true));
  await at.tmux.close();
  const again = await at.reopen();
  expect({ server: again.server, panes: await again.panes() }).toEqual(before);
  expect(told).toBe(false);
});

it('a killed connection is told, and server and panes are found again', async () => {
  await using at = await farm();
  await at.tmux.openWindow('ada', QUIET, QUIET);
  const before = { server: at.tmux.server, panes: await at.tmux.panes() };
  const told = gone(at);
  const listed = await tmuxClient(at.place, ['list-clients', '-F', '#{client_pid}'], 5000);
  process.kill(Number(listed.stdout), 'SIGKILL');
  await told;
  await expect(at.tmux.panes()).rejects.toMatchObject({ code: 'TMUX_GONE' });
  const again = await at.reopen();
  expect({ server: again.server, panes: await again.panes() }).toEqual(before);
});

it('a stopped server can be killed', async () => {
  await using at = await farm();
  process.kill(at.tmux.server.pid, 'SIGSTOP');
  await at.tmux.killServer();
  expect(await isListening(at.place.socket)).toBe(false);
  await at.reopen();
});

it('a daemon killed with replies unread leaves no client behind, and the server can still exit', async () => {
  await using at = await farm();
  await at.tmux.openWindow('ada', QUIET, QUIET);
  await at.tmux.close();
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/platform/tmux/tmux.ts')).href;
  const script = `const { openTmux } = await import(${JSON.stringify(module)});
    const tmux = await openTmux(${JSON.stringify(at.place)});
    for (let n = 0; n < 300; n++) tmux.setStatus('x'), tmux.panes();
    setImmediate(() => process.kill(process.pid, 'SIGKILL'));`;
  const daemon = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  expect((await once(daemon, 'exit'))[1]).toBe('SIGKILL');
  const again = await at.reopen();
  expect((await again.panes()).map((pane) => pane.dead)).toEqual([false, false]);
  const kill = vi.spyOn(process, 'kill');
  await again.killServer();
  expect(kill).not.toHaveBeenCalledWith(again.server.pid, 'SIGKILL');
  kill.mockRestore();
  await at.reopen();
});

it('a session closed by a person is told, and made again', async () => {
  await using at = await farm();
  const { window, pane } = await at.tmux.openWindow('ada', ['tmux', '-S', at.place.socket, 'kill-session', '-t', '=farm'], QUIET);
  expect([window, pane]).toEqual(['@1', '%1']);
  await gone(at);
  expect(await (await at.reopen()).panes()).toEqual([]);
});

it('a silent server is silent, never dead, and its late replies go to nobody else', async () => {
  await using at = await farm();
  const { pane, pid } = await at.tmux.openWindow('ada', QUIET, QUIET);
  await at.tmux.close();
  // As long as a busy machine needs for the opening itself; then both wait for it at the same time.
  await at.reopen({ timeoutMs: 4000 });
  let told = false;
  at.tmux.onGone(() => (told = true));
  process.kill(at.tmux.server.pid, 'SIGSTOP');
  try {
    const asked = [at.tmux.capture(pane, 5), openTmux(at.place, { timeoutMs: 4000 })];
    for (const { reason } of (await Promise.allSettled<unknown>(asked)) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'TMUX_SILENT' });
  } finally {
    process.kill(at.tmux.server.pid, 'SIGCONT');
  }
  expect((await at.tmux.panes())[0]).toMatchObject({ pid, dead: false });
  expect(told).toBe(false);
});

it('windows and programs that furrow itself opens are told apart from what may be an end', async () => {
  await using at = await farm();
  const heard: string[] = [];
  const told = Promise.withResolvers<void>();
  at.tmux.onChange((change) => {
    heard.push(change);
    told.resolve();
  });
  const { pane, window } = await at.tmux.openWindow('ada', QUIET, QUIET);
  await at.tmux.respawn(pane, QUIET);
  await told.promise;
  expect(new Set(heard)).toEqual(new Set(['opened']));
  const closed = Promise.withResolvers<void>();
  at.tmux.onChange((change) => change === 'other' && closed.resolve());
  await at.tmux.closeWindow(window);
  await closed.promise;
});

it('every death is heard without asking, most of them long before tmux takes its own look each second', async () => {
  await using at = await farm();
  const { pane, pid } = await at.tmux.openWindow('ada', QUIET, QUIET);
  let heard = Promise.withResolvers<void>();
  at.tmux.onChange((change) => change === 'other' && heard.resolve());
  const delays: number[] = [];
  for (let round = 0, current = pid; round < 50; round++) {
    const killedAt = performance.now();
    process.kill(current, 'SIGKILL');
    for (let dead = false; !dead; ) {
      await heard.promise;
      heard = Promise.withResolvers();
      const [agent] = await at.tmux.panes();
      dead = agent?.dead === true && agent.signal === 9;
    }
    delays.push(performance.now() - killedAt);
    current = await at.tmux.respawn(pane, QUIET);
  }
  delays.sort((a, b) => a - b);
  // Its look alone would tell after a second in the median; the hook took 2 to 5 ms, and 50 is not much on a busy machine.
  expect(delays[25]).toBeLessThan(500);
});
