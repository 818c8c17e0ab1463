import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fetchBySocket } from '../../src/platform/fetch-by-socket.ts';

async function listening() {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-socket-'));
  const socket = join(folder, 'a.sock');
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    if (request.url === '/nothing') return void reply.writeHead(204).end();
    request.pipe(reply.writeHead(201));
  });
  server.listen(socket);
  await once(server, 'listening');
  const remove = async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, socket, asked, [Symbol.asyncDispose]: remove };
}

const order = { method: 'POST', headers: { authorization: 'Basic x' }, signal: AbortSignal.timeout(10_000), body: 'hello' };

it('asks whoever listens at a socket, and reads the answer', async () => {
  await using at = await listening();
  const reply = await fetchBySocket(at.socket, '/a?b', order);
  expect([reply.status, await reply.text(), at.asked]).toEqual([201, 'hello', ['POST /a?b Basic x']]);
  expect((await fetchBySocket(at.socket, '/nothing', order)).status).toBe(204);
});

it('does not follow a link to a socket, and calls no file', async () => {
  await using at = await listening();
  await symlink(at.socket, join(at.folder, 'link'));
  await writeFile(join(at.folder, 'file'), '');
  for (const name of ['link', 'file', 'none']) await expect(async () => fetchBySocket(join(at.folder, name), '/', order)).rejects.toThrow();
  expect(at.asked).toEqual([]);
});
