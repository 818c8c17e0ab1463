import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { proofFolder } from '../../src/api/place.ts';
import { type CallContext, type Handlers, serve } from '../../src/api/server.ts';

/** A server with a call that waits until its client, or the server, goes; and one that says whether it was told to trust. */
async function server(before: (path: string) => Promise<void> = async () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-api-'));
  const path = join(folder, 'run', 'test.sock');
  await before(path);
  const ended: string[] = [];
  const waiting: string[] = [];
  const settled = (_: unknown, { signal }: CallContext) =>
    new Promise((resolve) => {
      waiting.push('settled');
      signal.addEventListener('abort', () => resolve(ended.push('settled')));
    });
  const queue = async (_: unknown, { trust }: CallContext) => ({ trust });
  const handlers = { settled, queue } as unknown as Handlers;
  const serving = await serve(path, { handlers, recognise: async () => ({ kind: 'person' }), onBug: (error) => ended.push(String(error)) });
  const dispose = async () => {
    await serving.close(true);
    await rm(folder, { recursive: true, force: true });
  };
  return { path, ended, waiting, serving, [Symbol.asyncDispose]: dispose };
}

/** What is said to one who asks: the lines after the greeting, up to the end of the connection. */
function asking(path: string, ...requests: object[]) {
  const socket = connect(path).on('error', () => {});
  const heard: unknown[] = [];
  createInterface({ input: socket }).on('line', (line) => line.includes('"hello"') || heard.push(JSON.parse(line)));
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  socket.write(`{"hello":{}}\n${requests.map((request) => `${JSON.stringify(request)}\n`).join('')}`);
  return { socket, heard, closed };
}

const WAIT = { id: 1, call: 'settled', args: { phase: 'default' } };

it('a call that waits is answered when the farm ends, and not when another daemon follows: its client asks that one', async () => {
  for (const [answerAll, answers] of [
    [true, [{ id: 1, result: 1 }]],
    [false, []],
  ] as const) {
    await using it = await server();
    const { heard, closed } = asking(it.path, WAIT);
    await expect.poll(() => it.waiting).toEqual(['settled']);
    await it.serving.close(answerAll);
    await closed;
    expect([heard, it.ended]).toEqual([answers, ['settled']]);
  }
});

it('a call that waits is told that its client has gone', async () => {
  await using it = await server();
  const { socket } = asking(it.path, WAIT);
  await expect.poll(() => it.waiting).toEqual(['settled']);
  socket.destroy();
  await expect.poll(() => it.ended).toEqual(['settled']);
});

it('only the word true is trust', async () => {
  await using it = await server();
  const asked = [true, false, 'true', 1, null].map((trust, n) => ({ id: n + 1, call: 'queue', args: {}, trust }));
  const { heard, socket } = asking(it.path, ...asked);
  await expect.poll(() => heard.length).toBe(asked.length);
  const said = heard as { id: number; result: { trust: boolean } }[];
  expect(said.toSorted((a, b) => a.id - b.id).map(({ result }) => result.trust)).toEqual([true, false, false, false, false]);
  socket.destroy();
});

it('takes the place of a socket that a killed daemon left, lets nobody else in, and leaves nothing behind', async () => {
  const left = async (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    await writeFile(path, '');
  };
  await using it = await server(left);
  const before = await stat(it.path);
  expect([before.isSocket(), before.mode & 0o777]).toEqual([true, 0o600]);
  await it.serving.close(true);
  for (const path of [it.path, proofFolder(it.path)]) await expect(stat(path)).rejects.toThrow('ENOENT');
});
