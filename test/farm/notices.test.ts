import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tmuxClient } from '../../src/platform/tmux/server.ts';
import { eventually, QUIET, farm as terminal } from '../platform/tmux/place.ts';
import { writeBoard } from '../support/board.ts';
import { BIN, farm, furrowIn } from '../support/farm.ts';
import { plainEnv, type TestRepo } from '../support/repo.ts';
import { type Webhook, webhook } from '../support/webhook.ts';
import { file, scriptedRepo } from './shell.ts';

const blocked = (id: number) => ({ id, script: ['blocked needs a key'] });
/** Each message once, by its key, with the items in it. */
const messages = (hook: Webhook) =>
  new Map(hook.got.map(({ key, body }) => [key, JSON.parse(body).items as { id: string; kind: string; subject: string }[]]));
const itemsOf = (hook: Webhook) => [...messages(hook).values()].flat();

/** A `notify-send` that writes its words down, the first on the PATH. */
async function desktop(repo: TestRepo): Promise<() => Promise<string>> {
  const bin = join(repo.base, 'desktop');
  const said = join(bin, 'said');
  await mkdir(bin);
  await writeFile(join(bin, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" >> ${said}\necho >> ${said}\n`);
  await chmod(join(bin, 'notify-send'), 0o755);
  repo.env['PATH'] = `${bin}:${process.env['PATH']}`;
  return () => readFile(said, 'utf8').catch(() => '');
}

it('what needs a person and the end of the work are told once by each channel, also when the receiver fails or leads elsewhere at first', async () => {
  await using hook = await webhook();
  hook.answers.push(500, 302);
  await using repo = await scriptedRepo(`notify: { desktop: true, webhook: "${hook.url}" }\n`);
  const said = await desktop(repo);
  await writeBoard(repo, [blocked(1), { id: 2, script: file(2) }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2');
  const kinds = () =>
    itemsOf(hook)
      .map(({ kind, subject }) => `${kind} ${subject}`)
      .sort();
  await expect.poll(kinds).toEqual(expect.arrayContaining(['finished default', 'needs-you 1']));
  // The two that were refused were sent again as they were.
  await expect.poll(() => hook.got.length - messages(hook).size).toBe(2);
  const ids = itemsOf(hook).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  await expect.poll(said).toContain('default: 1 of 2 tasks have landed');
  expect((await said()).split('\n').filter((line) => line.includes('1: needs a key'))).toHaveLength(1);
  expect((await running.events()).filter(({ kind }) => kind === 'notice.told').map(({ text }) => text)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^told you by webhook: \S+: .*1 thing needs you/)]),
  );
  const told = JSON.stringify(await running.events());
  expect(told).not.toContain('secret-path');
});

it('a message has the facts of the card and the address of it, without a token', async () => {
  await using hook = await webhook();
  await using repo = await scriptedRepo(`notify: { webhook: "${hook.url}" }\nland: approve\n`);
  await writeBoard(repo, [{ id: 7, title: 'Show prices', script: file(7) }]);
  await using running = farm(repo);
  const { port, token } = await running.ask('web');
  await running.furrow('work', '--parallel', '1');
  const found = () => itemsOf(hook).find(({ subject }) => subject === '7') as unknown as Record<string, unknown> | undefined;
  await expect.poll(found).toBeDefined();
  const [{ id, work }] = (await running.ask('status')).attention;
  expect(found()).toMatchObject({
    work: { task: '7', title: 'Show prices', agent: work.agent, attempt: 1, change: { files: 1, added: 1, removed: 0 } },
    link: `http://127.0.0.1:${port}/#/overview/${id}`,
  });
  expect(hook.got.map(({ body }) => body).join()).toContain('7 · Show prices: ');
  expect(hook.got.map(({ body }) => body).join()).not.toContain(token);
});

it.each(['notice.post.before', 'notice.post.after'])('killed at %s, the message still arrives, and only once', async (point) => {
  await using hook = await webhook();
  await using repo = await scriptedRepo(`notify: { webhook: "${hook.url}" }\n`);
  await writeBoard(repo, [blocked(1)]);
  await using running = farm(repo);
  await furrowIn(repo, { env: { FURROW_FAULT: `${point}:1:kill` } }, 'list');
  const before = (await running.ask('status')).farm.pid;
  await running.furrow('work', '--parallel', '1');
  const pid = async () => (await running.ask('status')).farm.pid;
  await expect.poll(pid).not.toBe(before);
  await expect
    .poll(() =>
      itemsOf(hook)
        .map(({ kind }) => kind)
        .sort(),
    )
    .toEqual(['finished', 'needs-you']);
  expect(hook.got).toHaveLength(messages(hook).size);
});

it('nothing is posted in quiet hours, nor for a question that was answered meanwhile', async () => {
  await using hook = await webhook();
  const hour = new Date().getHours();
  const quiet = `${String(hour).padStart(2, '0')}:00-${String((hour + 2) % 24).padStart(2, '0')}:00`;
  await using repo = await scriptedRepo(`notify: { webhook: "${hook.url}", quiet: "${quiet}" }\n`);
  await writeBoard(repo, [blocked(1), blocked(2)]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2');
  await running.furrow('move', '2', 'archived');
  await expect.poll(async () => (await running.ask('status')).attention.length).toBe(1);
  expect(hook.got).toEqual([]);
  const config = await readFile(join(repo.root, 'furrow.yaml'), 'utf8');
  await repo.write('furrow.yaml', config.replace(`, quiet: "${quiet}"`, ''));
  await repo.commit('the night is over');
  await expect
    .poll(() =>
      itemsOf(hook)
        .map(({ kind, subject }) => `${kind} ${subject}`)
        .sort(),
    )
    .toEqual(['finished default', 'needs-you 1']);
  expect(hook.got).toHaveLength(messages(hook).size);
});

it('a person who is attached sees the numbers in the status line and who waits, and hears the bell; so does one who waits for furrow work', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['ask Red or blue?', 'hang'] }]);
  await using running = farm(repo);
  await using desk = await terminal();
  const { TERM: _, ...env } = plainEnv(repo);
  const furrow = ['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), process.execPath, BIN];
  const attach = [...furrow, 'attach', '--repo', repo.root];
  // It begins with a key, when its bytes are listened to.
  const held = ['sh', '-c', 'read go; exec "$@"', 'sh', ...furrow, 'work', '--parallel', '1', '--repo', repo.root];
  const { pane: waits } = await desk.tmux.openWindow('waits', held, QUIET);
  const rung = join(desk.place.dir, 'rung');
  await tmuxClient(desk.place, ['pipe-pane', '-O', '-t', waits, `cat >> ${rung}`], 10_000);
  await tmuxClient(desk.place, ['send-keys', '-t', waits, 'Enter'], 10_000);
  const bytes = () => readFile(rung, 'latin1').catch(() => '');
  await eventually(bytes, (text) => text.includes('asks: Red or blue?') && text.includes('\x07'));
  // For what needs a person, and for nothing else.
  expect((await bytes()).match(/\x07/g)).toHaveLength(1);
  await expect.poll(async () => (await running.ask('status')).agents.length).toBe(1);
  const { pane } = await desk.tmux.openWindow('person', attach, QUIET);
  const heard = join(desk.place.dir, 'heard');
  await tmuxClient(desk.place, ['pipe-pane', '-O', '-t', pane, `cat >> ${heard}`], 10_000);
  const screen = await eventually(
    () => desk.tmux.screen(pane),
    (text) => text.includes('asks: Red or blue?') && text.includes('1:'),
  );
  await eventually(
    () => desk.tmux.screen(pane),
    (text) => /0\/1 landed · 1 agent · queue empty · 1 needs you +0:furrow\* +1:[a-z-]+!/.test(text),
  );
  expect(screen).toContain('needs you');
  await eventually(
    () => readFile(heard, 'latin1').catch(() => ''),
    (bytes) => bytes.includes('\x07'),
  );
  await tmuxClient(desk.place, ['send-keys', '-t', pane, 'C-b', 'd'], 10_000);
  await eventually(desk.tmux.panes, (panes) => panes.find((one) => one.pane === pane)?.dead === true);
});
