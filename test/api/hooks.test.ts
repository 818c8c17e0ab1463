import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type HookHandler, serveHooks } from '../../src/api/hooks.ts';

async function hooks(handle: HookHandler = async (attempt, name, payload) => ({ attempt, name, payload })) {
  const bugs: unknown[] = [];
  const server = await serveHooks('secret', 0, handle, (error) => bugs.push(error));
  const post = async (path: string, headers: Record<string, string>, body = '{"a":1}', method = 'POST') => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, ...(method === 'POST' && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  return { server, bugs, post, [Symbol.asyncDispose]: server.close };
}

describe('the door for hooks', () => {
  it('hands a payload on and gives the answer back', async () => {
    await using at = await hooks();
    const { status, text } = await at.post('/hook/7/Stop', { 'x-furrow': at.server.tokenOf(7) });
    expect([status, JSON.parse(text)]).toEqual([200, { attempt: 7, name: 'Stop', payload: { a: 1 } }]);
  });

  it.each([
    ['no token', '/hook/7/Stop', {}, 403],
    ["another attempt's token", '/hook/8/Stop', { own: 7 }, 403],
    ['a browser', '/hook/7/Stop', { own: 7, origin: 'http://127.0.0.1' }, 404],
    ['another place', '/hook/7/../../etc', { own: 7 }, 404],
    ['no attempt', '/hook/x/Stop', { own: 7 }, 404],
  ])('refuses %s', async (_, path, { own, origin }: { own?: number; origin?: string }, status) => {
    await using at = await hooks();
    const headers = { ...(own && { 'x-furrow': at.server.tokenOf(own) }), ...(origin && { origin }) };
    expect((await at.post(path, headers)).status).toBe(status);
  });

  it('refuses a name that leads here from outside, and what is no JSON', async () => {
    await using at = await hooks();
    const token = { 'x-furrow': at.server.tokenOf(7) };
    const status = await new Promise((resolve, reject) => {
      const options = {
        port: at.server.port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/hook/7/Stop',
        headers: { ...token, host: 'evil.example' },
      };
      request(options, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end('{}');
    });
    expect([
      status,
      (await at.post('/hook/7/Stop', token, 'no json')).status,
      (await at.post('/hook/7/Stop', token, '', 'GET')).status,
    ]).toEqual([404, 400, 404]);
  });

  it('comes back on the same port, for agents that outlived a daemon', async () => {
    const first = await serveHooks(
      'secret',
      0,
      async () => ({}),
      () => {},
    );
    const { port } = first;
    await first.close();
    const second = await serveHooks(
      'secret',
      port,
      async () => ({}),
      () => {},
    );
    expect([second.port, second.tokenOf(3)]).toEqual([port, first.tokenOf(3)]);
    await second.close();
  });

  it('tells a handler when nobody waits for its answer any more', async () => {
    const [asks, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using at = await hooks(async (_attempt, _name, _payload, signal) => {
      signal.addEventListener('abort', () => left.resolve());
      asks.resolve();
      await left.promise;
      return {};
    });
    const end = new AbortController();
    const asked = fetch(`${at.server.urlOf(7)}/PermissionRequest`, {
      method: 'POST',
      headers: { 'x-furrow': at.server.tokenOf(7) },
      body: '{}',
      signal: end.signal,
    });
    await asks.promise;
    end.abort();
    await expect(asked).rejects.toThrow();
    await left.promise;
  });

  it('a mistake of ours is told to the daemon, and the agent gets an answer all the same', async () => {
    const mistake = new Error('a mistake');
    await using at = await hooks(async () => Promise.reject(mistake));
    expect((await at.post('/hook/7/Stop', { 'x-furrow': at.server.tokenOf(7) })).status).toBe(500);
    expect(at.bugs).toEqual([mistake]);
  });
});
