import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browse, door } from './door.ts';

const get = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

/** Bytes of our own, and all that is answered until the other side hangs up. */
async function raw(port: number, ...bytes: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  for (const piece of bytes) socket.write(piece);
  await new Promise((closed) => socket.on('close', closed));
  return text;
}

describe('the files of the page', () => {
  it('are served with every header that shuts others out, and kept by browsers only where the name changes with them', async () => {
    await using at = await door();
    const index = await get(`${at.at}/`);
    expect(Object.fromEntries(index.headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'self'; .*frame-ancestors 'none'; base-uri 'none'; form-action 'none'/,
      ),
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    expect([...index.headers.keys()].filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([]);
    expect((await get(`${at.at}/assets/main-abcdef12.js`)).headers.get('cache-control')).toContain('immutable');
  });

  it.each(['/../package.json', '/%2e%2e/package.json', '/assets/', '/assets/..%2findex.html', '//index.html', '/index.html?x', '/nothing'])(
    'nothing is at %s',
    async (path) => {
      await using at = await door();
      const answer = await raw(at.server.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${at.server.port}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    },
  );

  it('are those of the last asking', async () => {
    await using at = await door();
    await writeFile(join(at.folder, 'index.html'), 'another');
    expect(await (await get(`${at.at}/`)).text()).toContain('page');
    await at.server.refresh();
    expect(await (await get(`${at.at}/`)).text()).toBe('another');
  });
});

describe('a code in place of the token', () => {
  it('leads to the address with the token, once', async () => {
    await using at = await door();
    const url = `${at.at}/open?code=${at.server.tokens.code('read')}`;
    const first = await get(url);
    expect([first.status, first.headers.get('location')]).toEqual([303, `/#token=${at.server.tokens.read}`]);
    expect((await get(url)).status).toBe(401);
  });
});

describe('a request', () => {
  it.each([
    ['with a Host twice', (port: number) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n\r\n`, 400],
    [
      'with an Origin twice',
      (port: number) =>
        `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nOrigin: http://evil.example\r\n\r\n`,
      400,
    ],
    ['with a body', (port: number) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100000000\r\n\r\n`, 400],
    ['with the whole address of another', (port: number) => `GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 404],
    ['with a head of 17 KiB', (port: number) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    [
      'for another upgrade',
      (port: number) =>
        `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      404,
    ],
  ])('%s is refused and hung up on', async (_name, bytes, status) => {
    await using at = await door();
    expect(await raw(at.server.port, bytes(at.server.port))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(at.bugs).toEqual([]);
  });

  it('that comes drop by drop is hung up on', async () => {
    await using at = await door({}, { headMs: 200, requestMs: 300, lookMs: 50 });
    expect(await raw(at.server.port, 'GET / HT')).toMatch(/^(HTTP\/1.1 4|$)/);
  });
});

describe('a WebSocket', () => {
  it.each([[{}], [{ token: 'x' }], [{ token: 7 }], [[]]])('that begins with %j is hung up on', async (first) => {
    await using at = await door();
    using page = await browse(at, first);
    expect(await page.closed).toBeOneOf([4400, 4401]);
    expect(at.heard).toEqual([]);
  });

  it('that says nothing in time is hung up on, and not told that its token is wrong', async () => {
    await using at = await door({}, { helloMs: 50 });
    using page = await browse(at, null);
    expect(await page.closed).toBe(4408);
  });

  it('makes calls as a person from the page, who may only look with the token for that', async () => {
    const callers: unknown[] = [];
    await using at = await door({
      status: async (_args, { caller }) => {
        callers.push(caller);
        return {};
      },
    });
    using page = await browse(at);
    expect(await page.frame((frame) => 'hello' in frame)).toEqual({
      hello: { control: true, version: '1', repo: 'app', token: at.server.tokens.control, session: expect.anything() },
    });
    using looks = await browse(at, { token: at.server.tokens.read });
    expect(await looks.frame((frame) => 'hello' in frame)).toMatchObject({ hello: { control: false } });
    for (const one of [page, looks]) {
      one.say({ id: 1, call: 'status', args: {} });
      expect(await one.frame(({ id }) => id === 1)).toEqual({ id: 1, result: {} });
    }
    expect(callers).toEqual([
      { kind: 'person', face: 'page' },
      { kind: 'person', face: 'page', readOnly: true },
    ]);
  });

  it('is told of a call that is not there, and goes on', async () => {
    await using at = await door();
    using page = await browse(at);
    page.say({ id: 1, call: 'constructor', args: {} });
    expect(await page.frame(({ id }) => id === 1)).toMatchObject({ error: { code: 'USAGE' } });
    page.say({ id: 2, call: 'status', args: {} });
    await page.frame(({ id }) => id === 2);
  });

  it('ends a stream by cancelling it, and all of them by leaving', async () => {
    let ended = 0;
    const wait = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await using at = await door({
      watch: async (_args, { signal, item }) => {
        item({ seq: 1 });
        await wait(signal);
        ended++;
        return {};
      },
    });
    const page = await browse(at);
    page.say({ id: 5, call: 'watch', args: {} });
    page.say({ id: 6, call: 'watch', args: {} });
    await page.frame((frame) => frame['id'] === 6);
    page.say({ id: 5, cancel: true });
    expect(await page.frame((frame) => 'result' in frame)).toMatchObject({ id: 5 });
    page.ws.terminate();
    await expect.poll(() => ended).toBe(2);
  });

  it('with a frame past the bound is hung up on', async () => {
    await using at = await door();
    using page = await browse(at);
    page.ws.send(JSON.stringify({ id: 1, call: 'add', args: { title: 'x'.repeat(1024 * 1024) } }));
    expect(await page.closed).toBe(1009);
  });

  it('with too many calls under way is told so', async () => {
    await using at = await door(
      { settled: (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)) },
      { open: 3 },
    );
    using page = await browse(at);
    for (const id of [1, 2, 3, 4]) page.say({ id, call: 'settled', args: { phase: 'p' } });
    expect(await page.frame(({ id }) => id === 4)).toMatchObject({ error: { message: '3 calls are under way already' } });
  });

  it('past the bound of pages is refused, and the others go on', async () => {
    await using at = await door({}, { pages: 2 });
    using first = await browse(at);
    using second = await browse(at);
    using third = await browse(at);
    expect(await third.closed).toBe(0);
    for (const page of [first, second]) await page.frame((frame) => 'hello' in frame);
  });

  it('that does not read is hung up on, with its memory', async () => {
    let [sent, ended] = [0, false];
    await using at = await door(
      {
        log: async (_args, { item, signal }) => {
          for (; !signal.aborted; sent++) {
            item({ text: 'x'.repeat(100_000) });
            await new Promise((turn) => setImmediate(turn));
          }
          ended = true;
          return {};
        },
      },
      { mostUnreadBytes: 4_000_000 },
    );
    using page = await browse(at);
    await page.frame((frame) => 'hello' in frame);
    page.ws.pause();
    page.say({ id: 1, call: 'log', args: {} });
    await expect.poll(() => at.heard.includes('log') && sent > 0, { timeout: 20_000 }).toBe(true);
    // It goes on until the bound, and ends there.
    await expect.poll(() => ended, { timeout: 30_000 }).toBe(true);
    expect(sent).toBeLessThan(400);
    expect(at.bugs).toEqual([]);
  });

  it('that asks before it sends is waited for', async () => {
    let waited = 0;
    await using at = await door({
      log: async (_args, { item, signal, drained }) => {
        for (let n = 0; n < 100 && !signal.aborted; n++) {
          item({ text: 'x'.repeat(100_000) });
          await drained?.();
          waited = n;
        }
        return {};
      },
    });
    using page = await browse(at);
    await page.frame((frame) => 'hello' in frame);
    page.say({ id: 1, call: 'log', args: {} });
    await page.frame((frame) => 'result' in frame);
    expect(waited).toBe(99);
  });

  it('whose machine answers no ping is hung up on, and its place is free', async () => {
    await using at = await door({}, { pingMs: 50, pages: 1 });
    using deaf = await browse(at);
    await deaf.frame((frame) => 'hello' in frame);
    deaf.ws.pause();
    await expect
      .poll(async () => {
        using next = await browse(at);
        return await next.frame((frame) => 'hello' in frame).then(Boolean, () => false);
      })
      .toBe(true);
  });
});

it('a closed door answers nobody, and its tokens are worth nothing', async () => {
  const at = await door();
  const page = await browse(at);
  await page.frame((frame) => 'hello' in frame);
  await at[Symbol.asyncDispose]();
  expect(await page.closed).toBe(1001);
  await expect(get(`${at.at}/`)).rejects.toThrow();
});
