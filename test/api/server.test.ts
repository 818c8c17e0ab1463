import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type Handlers, serve } from '../../src/api/server.ts';

/** A server on a socket of its own that can answer one call; `bugs` is what it could not explain. */
async function server() {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-api-'));
  const bugs: unknown[] = [];
  const handlers = { queue: async () => ({ fine: true }) } as unknown as Handlers;
  const path = join(folder, 'run', 'test.sock');
  const recognise = async () => ({ kind: 'person' }) as const;
  const serving = await serve(path, { handlers, recognise, onBug: (error) => bugs.push(error) });
  const dispose = async () => {
    await serving.close(true);
    await rm(folder, { recursive: true, force: true });
  };
  return { path, bugs, [Symbol.asyncDispose]: dispose };
}

function client(path: string): { socket: Socket; reply(): Promise<unknown>; [Symbol.dispose](): void } {
  const socket = connect(path).on('error', () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const reply = async (): Promise<unknown> => {
    const { value, done } = await lines.next().catch(() => ({ value: '', done: true }));
    const said = done ? 'hung up' : JSON.parse(value);
    return said.hello ? reply() : said;
  };
  return { socket, reply, [Symbol.dispose]: () => socket.destroy() };
}

/** With the word about itself that every client says; a second one is not heard. */
const ASK = `{"hello":{}}\n${JSON.stringify({ id: 7, call: 'queue', args: {} })}\n`;
const ANSWER = { id: 7, result: { fine: true } };

it.each(['null', '[]', '"x"', '7', '', '{', '\u0000\u0007', '{}', '{"id":1,"call":"toString"}', '{"id":1,"call":"nonsense","args":[]}'])(
  'the line %j is refused as no request, and both that client and another are answered after it',
  async (line) => {
    await using it = await server();
    using odd = client(it.path);
    using other = client(it.path);
    odd.socket.write(`${line}\n`);
    expect(await odd.reply()).toMatchObject({ error: { code: 'USAGE' } });
    for (const { socket, reply } of [odd, other]) {
      socket.write(ASK);
      expect(await reply()).toEqual(ANSWER);
    }
    expect(it.bugs).toEqual([]);
  },
);

it('a line of 20 MB ends its own connection and no other', async () => {
  await using it = await server();
  using endless = client(it.path);
  using other = client(it.path);
  endless.socket.write(Buffer.alloc(20 * 1024 * 1024, 'x'));
  other.socket.write(ASK);
  expect(await other.reply()).toEqual(ANSWER);
  expect(await endless.reply()).toBe('hung up');
  other.socket.write(ASK);
  expect(await other.reply()).toEqual(ANSWER);
  expect(it.bugs).toEqual([]);
});
