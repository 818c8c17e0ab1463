import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { windows } from './windows.ts';

/** A page that says its token, and every frame it hears. */
async function page(url: string) {
  const { host, hash } = new URL(url);
  const ws = new WebSocket(`ws://${host}/ws`, { origin: `http://${host}` });
  const frames: { id?: number; item?: { reset?: string; data?: string }; error?: { code: string }; result?: unknown }[] = [];
  ws.on('message', (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => ws.on('open', resolve).on('error', reject));
  ws.send(JSON.stringify({ token: hash.slice('#token='.length) }));
  const seen = () => frames.map(({ item }) => item?.reset ?? item?.data ?? '').join('');
  return { frames, seen, say: (value: unknown) => ws.send(JSON.stringify(value)), [Symbol.dispose]: () => ws.terminate() };
}

it('the page is opened, shows the live terminal of an agent, takes typing and is closed', async () => {
  await using at = await windows((gate) => [{ id: 1, script: [gate('one')] }]);
  const farm = at.farm;
  await farm.furrow('work', '--detach', '--no-preflight');
  await at.at('one');
  const { name } = await at.agent('1');
  const opened = (await farm.furrow('web', '--json')).json();
  expect(opened).toMatchObject({ url: `http://127.0.0.1:${opened.port}/#token=${opened.token}`, read_only: false });
  expect((await farm.furrow('web')).stdout.trim()).toBe(opened.url);
  const looking = (await farm.furrow('web', '--read-only', '--json')).json();
  expect(looking.token).not.toBe(opened.token);
  using steers = await page(opened.url);
  using looks = await page(looking.url);
  for (const one of [steers, looks]) one.say({ id: 1, call: 'screen', args: { agent: name, lines: 100 } });
  await expect.poll(() => [steers.seen() !== '', looks.seen() !== '']).toEqual([true, true]);
  looks.say({ id: 2, call: 'typeInto', args: { agent: name, text: 'no' } });
  await expect.poll(() => looks.frames.find(({ id }) => id === 2)?.error?.code).toBe('READ_ONLY');
  steers.say({ id: 2, call: 'typeInto', args: { agent: name, text: 'typed-here' } });
  await expect.poll(looks.seen).toContain('typed-here');
  steers.say({ id: 3, call: 'resizeScreen', args: { agent: name, cols: 100, rows: 30 } });
  await expect.poll(() => steers.frames.find(({ id }) => id === 3)?.result).toEqual({ resized: true, why: null });
  await expect.poll(() => JSON.stringify(looks.frames)).toContain('{"size":{"cols":100,"rows":30}}');
  steers.say({ id: 4, call: 'pause', args: {} });
  await expect.poll(() => steers.frames.some(({ id }) => id === 4)).toBe(true);
  const log = (await farm.furrow('log', '--json')).stdout;
  expect(log).toContain('"kind":"agent.typed"');
  expect(log).toContain('from the page: pause');
  expect(log).not.toContain('typed-here');
  // Open pages find the next daemon by this; it goes with the door.
  const kept = join(at.repo.home, '.config/furrow/pages');
  const [door, ...others] = await readdir(kept);
  expect([(await stat(join(kept, door!))).mode & 0o777, others]).toEqual([0o600, []]);
  expect((await farm.furrow('web', '--stop')).stdout).toContain('closed');
  expect(await readdir(kept)).toEqual([]);
  await expect(fetch(opened.url)).rejects.toThrow();
  await at.open('one');
});
