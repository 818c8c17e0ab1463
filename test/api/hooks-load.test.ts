import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type HOOK_LIMITS, type HookHandler, serveHooks } from '../../src/api/hooks.ts';
import { TOO_LARGE } from '../../src/api/read-body.ts';

async function door(limits: Partial<typeof HOOK_LIMITS> = {}, handle: HookHandler = async () => ({ heard: true })) {
  const bugs: unknown[] = [];
  const server = await serveHooks('secret', 0, handle, (error) => bugs.push(error), limits);
  return { server, bugs, [Symbol.asyncDispose]: server.close };
}

/** A client that says its bytes itself, and all that it is answered until it is hung up on. */
function caller(port: number): { socket: Socket; said: () => string; ended: Promise<string> } {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // Not `once` of events: whoever writes on after the end gets an error, and is hung up on all the same.
  return { socket, said: () => text, ended: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

const head = (port: number, token: string, length: number, name = 'Stop') =>
  `POST /hook/7/${name} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Furrow: ${token}\r\nContent-Length: ${length}\r\n\r\n`;

describe('the door for hooks under load', () => {
  it('hangs up on a head that comes drop by drop', async () => {
    await using at = await door({ headMs: 200, requestMs: 300, lookMs: 50 });
    const { socket, ended } = caller(at.server.port);
    const drip = setInterval(() => socket.write('X'), 20);
    expect(await ended).toMatch(/^(HTTP\/1.1 4|$)/);
    clearInterval(drip);
  });

  it('hangs up on a body that comes drop by drop, also with a token', async () => {
    await using at = await door({ headMs: 200, requestMs: 300, lookMs: 50 });
    const { socket, ended } = caller(at.server.port);
    socket.write(head(at.server.port, at.server.tokenOf(7), 1000));
    const drip = setInterval(() => socket.write('{'), 20);
    expect(await ended).toMatch(/^(HTTP\/1.1 4|$)/);
    clearInterval(drip);
    expect(at.bugs).toEqual([]);
  });

  it('waits for a person as long as it takes, once the request is complete', async () => {
    const answer = Promise.withResolvers<void>();
    await using at = await door({ headMs: 50, requestMs: 100, lookMs: 20 }, async () => {
      await answer.promise;
      return { late: true };
    });
    const { socket, said, ended } = caller(at.server.port);
    socket.write(head(at.server.port, at.server.tokenOf(7), 2, 'PermissionRequest').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n{}'));
    const timesOut = caller(at.server.port);
    timesOut.socket.write('POST');
    await timesOut.ended;
    expect(said()).toBe('');
    answer.resolve();
    expect(await ended).toContain('{"late":true}');
  });

  it('refuses a head of more than 16 KiB', async () => {
    await using at = await door();
    const { socket, ended } = caller(at.server.port);
    socket.write(`POST /hook/7/Stop HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(await ended).toMatch(/^HTTP\/1.1 431/);
  });

  it('answers who has no token at once, hangs up, and reads nothing more of what they send', async () => {
    // Nobody is hung up on by time while this test runs.
    await using at = await door({ headMs: 60_000, requestMs: 60_000 });
    const { socket, ended } = caller(at.server.port);
    const [length, room] = [64 * 1024 * 1024, 16 * 1024 * 1024];
    socket.write(head(at.server.port, 'x'.repeat(64), length));
    // What the kernel takes of it is less than this; a door that reads on would take all of it.
    const sent = new Promise((resolve) => socket.write(Buffer.alloc(length - room), resolve));
    expect(await ended).toMatch(/^HTTP\/1.1 403/);
    expect(await sent).toBeInstanceOf(Error);
  });

  it.each([
    ['PreToolUse', 1, 'large'],
    ['PostToolUse', 1, 'heard'],
    ['PostToolUse', 17, 'large'],
  ] as const)('%s with %i MB and a bit is %s, and its sender hears the answer', async (name, mb, fate) => {
    await using at = await door({}, async (_attempt, _name, payload) => ({ fate: payload === TOO_LARGE ? 'large' : 'heard' }));
    const answer = await fetch(`${at.server.urlOf(7)}/${name}`, {
      method: 'POST',
      headers: { 'x-furrow': at.server.tokenOf(7) },
      body: JSON.stringify({ text: 'x'.repeat(mb * 1024 * 1024) }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { fate }]);
  });

  it('keeps no more than its room, however many send at once, and answers afterwards', async () => {
    await using at = await door({ room: 100_000 });
    const post = (text: string) =>
      fetch(`${at.server.urlOf(7)}/Stop`, {
        method: 'POST',
        headers: { 'x-furrow': at.server.tokenOf(7) },
        body: JSON.stringify({ text }),
      });
    const held = caller(at.server.port);
    held.socket.write(head(at.server.port, at.server.tokenOf(7), 90_000) + 'x'.repeat(80_000));
    await expect.poll(async () => (await post('x'.repeat(50_000))).status).toBe(503);
    held.socket.destroy();
    await expect.poll(async () => (await post('x'.repeat(50_000))).status).toBe(200);
    expect(at.bugs).toEqual([]);
  });

  it('has only so many connections, and takes new ones when some have gone', async () => {
    await using at = await door({ connections: 5 });
    const held = Array.from({ length: 5 }, () => caller(at.server.port));
    await Promise.all(held.map(({ socket }) => once(socket, 'connect')));
    // The sixth is hung up on without a word.
    expect(await caller(at.server.port).ended).toBe('');
    for (const { socket } of held) socket.destroy();
    const asked = () => fetch(`${at.server.urlOf(7)}/Stop`, { method: 'POST', headers: { 'x-furrow': at.server.tokenOf(7) }, body: '{}' });
    await expect
      .poll(() =>
        asked().then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });
});
