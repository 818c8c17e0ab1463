import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type HookHandler, type HookServer, serveHooks } from '../../../src/api/hooks.ts';
import { look } from '../../support/processes.ts';

const MAIN = fileURLToPath(new URL('../../../src/agents/agent/relay/main.ts', import.meta.url));
const serve = (handle: HookHandler, port = 0): Promise<HookServer> =>
  serveHooks('secret', port, handle, (error) => {
    throw error;
  });

const relay = (server: HookServer, ...words: string[]) => relayTo(server.urlOf(7), server.tokenOf(7), '{"a":1}', ...words);

function relayTo(url: string, token: string, payload: string, ...words: string[]) {
  const env = { ...process.env, FURROW_TOKEN: token };
  const child = spawn(process.execPath, [MAIN, url, ...words], { stdio: ['pipe', 'pipe', 'inherit'], env });
  child.stdin.end(payload);
  return { ended: Promise.all([text(child.stdout), once(child, 'exit').then(([code]) => code as number)]) };
}

/** Never answers, and says when it was asked. */
function deaf() {
  const asked = Promise.withResolvers<void>();
  const handle: HookHandler = (_attempt, _name, _payload, signal) => {
    asked.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  };
  return { asked: asked.promise, handle };
}

it('hands on the result of a tool, however long, and prints the reply as it is', async () => {
  const server = await serve(async (attempt, name, payload) => ({ attempt, name, payload, reason: 'ü'.repeat(100_000) }));
  const payload = { patch: '+ö\n'.repeat(1_000_000) };
  const [said, code] = await relayTo(server.urlOf(7), server.tokenOf(7), JSON.stringify(payload), 'PostToolUse').ended;
  const refused = await relayTo(server.urlOf(7), 'another', '{}', 'Stop', '60').ended;
  await server.close();
  expect([JSON.parse(said), code]).toEqual([{ attempt: 7, name: 'PostToolUse', payload, reason: 'ü'.repeat(100_000) }, 0]);
  expect(refused).toEqual(['', 0]);
});

it.each([
  ['broke off', 'HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"a":1}'],
  ['is an error', 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 7\r\n\r\n{"a":1}'],
])('prints nothing of a reply that %s', async (_how, reply) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await relayTo(`http://127.0.0.1:${port}/hook/1`, '', '{}', 'Stop').ended).toEqual(['', 0]);
  server.close();
});

it('says nothing and fails nobody when there is no daemon, or it goes away', async () => {
  const { asked, handle } = deaf();
  const server = await serve(handle);
  const cut = relay(server, 'Stop');
  await asked;
  await server.close();
  expect([await cut.ended, await relay(server, 'Stop').ended]).toEqual([
    ['', 0],
    ['', 0],
  ]);
});

it('asks the next daemon what the last one did not live to answer, when it is given time', async () => {
  const { asked, handle } = deaf();
  const first = await serve(handle);
  const waits = relay(first, 'PermissionRequest', '60');
  await asked;
  await first.close();
  const seen: unknown[] = [];
  const next = await serve(async (_attempt, name, payload) => {
    seen.push([name, payload]);
    return { said: 'yes' };
  }, first.port);
  expect(await waits.ended).toEqual(['{"said":"yes"}', 0]);
  await next.close();
  expect(seen).toEqual([['PermissionRequest', { a: 1 }]]);
});

it('does not outlive whoever started it', async () => {
  const { asked, handle } = deaf();
  const server = await serve(handle);
  const line = `"$0" "$1" "$2" PermissionRequest 60 < /dev/null > /dev/null & echo $!; wait`;
  const env = { ...process.env, FURROW_TOKEN: server.tokenOf(7) };
  const shell = spawn('sh', ['-c', line, process.execPath, MAIN, server.urlOf(7)], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const [said] = await once(shell.stdout, 'data');
  await asked;
  shell.kill('SIGKILL');
  await once(shell, 'exit');
  await server.close();
  await expect.poll(() => look(Number(said))).toBeUndefined();
});
