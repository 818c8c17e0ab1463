import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../../support/browser.ts';
import { titled, without } from '../../support/needs.ts';
import { door } from './door.ts';

/** A page of somebody else, at a port of this machine: a development server that an agent started. */
async function elsewhere() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>elsewhere</title><p>hello');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

/** Everything that a page can try at an address, and what came of it. Written as text: it runs in the browser. */
const ATTACK = `async ({ at, token }) => {
  const tried = {};
  const note = async (name, act) => { tried[name] = await act().then((value) => value, () => 'failed'); };
  await note('fetch', async () => (await fetch(at + '/figures', { headers: { authorization: 'Bearer ' + token } })).text());
  await note('fetch of a file', async () => (await fetch(at + '/')).text());
  await note('opaque fetch', async () => (await fetch(at + '/', { mode: 'no-cors' })).type);
  const loads = (name, make) => note(name, () => new Promise((done, fail) => {
    const element = make(); element.onload = () => done('loaded'); element.onerror = fail; document.body.append(element);
  }));
  await loads('script', () => Object.assign(document.createElement('script'), { src: at + '/assets/main-abcdef12.js' }));
  await loads('image', () => Object.assign(new Image(), { src: at + '/icon.svg' }));
  await note('socket', () => new Promise((done, fail) => {
    const ws = new WebSocket(at.replace('http', 'ws') + '/ws');
    ws.onopen = () => ws.send(JSON.stringify({ token })); ws.onmessage = ({ data }) => done(data); ws.onerror = fail; ws.onclose = fail;
  }));
  tried['ran'] = String(window.loaded);
  return tried;
}`;

describe.skipIf(without('chromium'))(titled('chromium', 'in a real browser'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it.each(['127.0.0.1', 'localhost', 'evil.localhost'])('a page at another port of %s gets nothing, even with the token', async (host) => {
    await using at = await door();
    using other = await elsewhere();
    const tab = await browser.newPage();
    await tab.goto(`http://${host}:${other.port}/`);
    const got = await tab.evaluate(`(${ATTACK})(${JSON.stringify({ at: at.at, token: at.server.tokens.control })})`);
    expect(got).toEqual({
      fetch: 'failed',
      'fetch of a file': 'failed',
      'opaque fetch': 'failed',
      script: 'failed',
      image: 'failed',
      socket: 'failed',
      ran: 'undefined',
    });
    const frame = tab.waitForResponse((response) => response.url() === `${at.at}/`).catch(() => undefined);
    await tab.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(`${at.at}/`)} }))`);
    expect((await frame)?.status() ?? 403).toBe(403);
    const posted = tab.waitForResponse((response) => response.url().startsWith(at.at));
    await tab.evaluate(
      `(() => { const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(`${at.at}/`)} }); document.body.append(form); form.submit(); })()`,
    );
    expect((await posted).status()).toBe(403);
    expect([at.heard, at.bugs]).toEqual([[], []]);
    await tab.close();
  });

  it('a name that leads to this machine is refused, whatever it says', async () => {
    await using at = await door();
    const rebound = await launch('--host-resolver-rules=MAP rebound.example 127.0.0.1');
    try {
      const tab = await rebound.newPage();
      const answer = await tab.goto(`http://rebound.example:${at.server.port}/`);
      expect(answer?.status()).toBe(421);
    } finally {
      await rebound.close();
    }
  });

  it.each(['127.0.0.1', 'localhost'])('the page itself, at %s, is opened with a code and talks to the farm', async (host) => {
    await using at = await door();
    const tab = await browser.newPage();
    const own = at.at.replace('127.0.0.1', host);
    await tab.goto(`${own}/open?code=${at.server.tokens.code('control')}`);
    expect(tab.url()).toBe(`${own}/#token=${at.server.tokens.control}`);
    expect(await tab.evaluate('window.loaded')).toBe(true);
    const got = (await tab.evaluate(`(${ATTACK})(${JSON.stringify({ at: own, token: at.server.tokens.control })})`)) as object;
    expect(got).toMatchObject({ fetch: 'one 1', socket: expect.stringContaining('"control":true'), script: 'loaded' });
    await tab.close();
  });

  it('the page runs no script that is written into it', async () => {
    await using at = await door();
    const tab = await browser.newPage();
    await tab.goto(`${at.at}/`);
    await tab.evaluate(`document.body.innerHTML = '<img src=x onerror="window.ran=1"><a href="javascript:window.ran=1">x</a>'`);
    await tab.evaluate('document.querySelector("a").click()');
    await tab.evaluate(`document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = 1' }))`);
    expect(await tab.evaluate('window.ran')).toBeUndefined();
    await tab.close();
  });
});
