import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import type { LineLimits } from '../../src/api/lines.ts';
import { type Handlers, serve } from '../../src/api/server.ts';

/** A server on a socket of its own; `queue` is answered at once, `cost` when `release` is called, `add` with the length of its text. */
async function server(limits: Partial<LineLimits>) {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-api-'));
  const bugs: unknown[] = [];
  const held = Promise.withResolvers<void>();
  let under = 0;
  const handlers = {
    queue: async () => ({ fine: true }),
    add: async ({ body }: { body: string }) => ({ length: body.length }),
    cost: async () => {
      under++;
      await held.promise;
      return {};
    },
  } as unknown as Handlers;
  const path = join(folder, 'run', 'test.sock');
  const recognise = async () => ({ kind: 'person' }) as const;
  const serving = await serve(path, { handlers, recognise, onBug: (error) => bugs.push(error) }, limits);
  const dispose = async () => {
    held.resolve();
    await serving.close(true);
    await rm(folder, { recursive: true, force: true });
  };
  return { path, bugs, underWay: () => under, release: held.resolve, [Symbol.asyncDispose]: dispose };
}

function client(path: string): { socket: Socket; reply(): Promise<unknown>; [Symbol.dispose](): void } {
  const socket = connect(path).on('error', () => {});
  const reader = createInterface({ input: socket });
  socket.on('close', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const reply = async (): Promise<unknown> => {
    const { value, done } = await lines.next().catch(() => ({ value: '', done: true }));
    const said = done ? 'hung up' : JSON.parse(value);
    return said.hello ? reply() : said;
  };
  return { socket, reply, [Symbol.dispose]: () => socket.destroy() };
}

/** With the word about itself that every client says; a second one is not heard. */
const request = (call: string, args: object = {}) => `{"hello":{}}\n${JSON.stringify({ id: 7, call, args })}\n`;
const ANSWER = { id: 7, result: { fine: true } };

it('a client that never ends its first line is hung up on; one that has asked may be silent', async () => {
  await using it = await server({ lineMs: 150 });
  using asked = client(it.path);
  asked.socket.write(request('queue'));
  expect(await asked.reply()).toEqual(ANSWER);
  using silent = client(it.path);
  using slow = client(it.path);
  const drip = setInterval(() => slow.socket.write('x'), 40);
  expect([await silent.reply(), await slow.reply()]).toEqual(['hung up', 'hung up']);
  clearInterval(drip);
  asked.socket.write(request('queue'));
  expect(await asked.reply()).toEqual(ANSWER);
});

it('a client that begins a line and leaves it is hung up on, also after whole ones', async () => {
  await using it = await server({ lineMs: 150 });
  using odd = client(it.path);
  odd.socket.write(`${request('queue')}{"id":8`);
  expect([await odd.reply(), await odd.reply()]).toEqual([ANSWER, 'hung up']);
});

it('lines that are no requests are answered, and after twenty of them the client is hung up on', async () => {
  await using it = await server({});
  using odd = client(it.path);
  odd.socket.write('nonsense\n'.repeat(500));
  let answers = 0;
  for (let reply = await odd.reply(); reply !== 'hung up'; reply = await odd.reply()) answers++;
  expect(answers).toBeGreaterThanOrEqual(20);
  expect(answers).toBeLessThan(30);
});

it('a line of 2 MB is too long, unless it carries the text of a task', async () => {
  await using it = await server({});
  const body = 'x'.repeat(2 * 1024 * 1024);
  using long = client(it.path);
  long.socket.write(request('queue', { body }));
  using task = client(it.path);
  task.socket.write(request('add', { title: 'a task', body }));
  expect([await long.reply(), await task.reply()]).toEqual(['hung up', { id: 7, result: { length: body.length } }]);
});

it('a client with many requests under way is read again when they are answered', async () => {
  await using it = await server({ open: 4 });
  using eager = client(it.path);
  for (let sent = 0; sent < 12; sent++) {
    eager.socket.write(request('cost'));
    if (sent === 3) await expect.poll(it.underWay).toBe(4);
  }
  using other = client(it.path);
  other.socket.write(request('queue'));
  expect(await other.reply()).toEqual(ANSWER);
  expect(it.underWay()).toBeLessThan(12);
  it.release();
  for (let n = 0; n < 12; n++) expect(await eager.reply()).toEqual({ id: 7, result: {} });
});

it('unfinished lines of all clients together have a bound, and whoever is within it is answered', async () => {
  await using it = await server({ room: 300_000 });
  using first = client(it.path);
  using second = client(it.path);
  first.socket.write('x'.repeat(250_000));
  second.socket.write('x'.repeat(250_000));
  expect(await Promise.race([first.reply(), second.reply()])).toBe('hung up');
  using other = client(it.path);
  other.socket.write(request('queue'));
  expect(await other.reply()).toEqual(ANSWER);
});

it('only so many clients are taken at once', async () => {
  await using it = await server({ connections: 3 });
  const held = Array.from({ length: 3 }, () => client(it.path));
  for (const { socket, reply } of held) {
    socket.write(request('queue'));
    expect(await reply()).toEqual(ANSWER);
  }
  using late = client(it.path);
  expect(await late.reply()).toBe('hung up');
  for (const { socket } of held) socket.destroy();
  await expect
    .poll(async () => {
      using next = client(it.path);
      next.socket.write(request('queue'));
      return await next.reply();
    })
    .toEqual(ANSWER);
});

it('a letter that comes in two pieces is one letter', async () => {
  await using it = await server({});
  using torn = client(it.path);
  const bytes = Buffer.from(request('add', { title: 'a task', body: 'é' }));
  const cut = bytes.indexOf(0xc3) + 1;
  torn.socket.write(bytes.subarray(0, cut));
  // The greeting has arrived, so the first piece was read.
  using other = client(it.path);
  other.socket.write(request('queue'));
  expect(await other.reply()).toEqual(ANSWER);
  torn.socket.write(bytes.subarray(cut));
  expect(await torn.reply()).toEqual({ id: 7, result: { length: 1 } });
});

it('the room of an unfinished line is free again when its client has gone, or has finished it', async () => {
  await using it = await server({ room: 300_000 });
  for (let n = 0; n < 4; n++) {
    using gone = client(it.path);
    gone.socket.write(`${request('queue')}${'x'.repeat(200_000)}`);
    expect(await gone.reply()).toEqual(ANSWER);
    gone.socket.destroy();
  }
  using long = client(it.path);
  for (let n = 0; n < 4; n++) {
    long.socket.write(request('add', { title: 'a task', body: 'x'.repeat(200_000) }));
    expect(await long.reply()).toEqual({ id: 7, result: { length: 200_000 } });
  }
});

it('exactly so many lines that are no requests are borne', async () => {
  await using it = await server({ malformed: 2 });
  using odd = client(it.path);
  for (let n = 0; n < 2; n++) {
    odd.socket.write('nonsense\n');
    expect(await odd.reply()).toMatchObject({ error: { code: 'USAGE' } });
  }
  odd.socket.write(request('queue'));
  expect(await odd.reply()).toEqual(ANSWER);
});
