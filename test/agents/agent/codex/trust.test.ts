import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../../../src/agents/agent/driver.ts';
import { codex } from '../../../../src/agents/agent/drivers/codex/index.ts';
import { FakeLink, FakeServer, requestFor, THREAD, userMessage } from './fake.ts';

const hook = (attempt: number, port = 4711) => {
  const url = `http://127.0.0.1:${port}/hook/${attempt}`;
  return { url, relay: ['/usr/bin/node', "/it's/relay.js", url] };
};
const LINE = `'/usr/bin/node' '/it'\\''s/relay.js' 'http://127.0.0.1:4711/hook/'"$FURROW_HOOK" PreToolUse`;
const ours = { key: 'k', command: LINE, enabled: true, currentHash: 'sha256:1', trustStatus: 'trusted' };

describe('the trust', () => {
  let base: string;
  /** Stands for `codex`: lists the hook it was given under a hash, and notes that it was asked. */
  const standIn = (answer: string) => `#!${process.execPath}
import { appendFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { WebSocketServer } from '${pathToFileURL(join(import.meta.dirname, '../../../../node_modules/ws/wrapper.mjs')).href}';
const words = process.argv.slice(2);
const link = words.at(-1).slice(7);
appendFileSync('${base}/asked', JSON.stringify({ home: process.env.CODEX_HOME, link }) + '\\n');
const command = JSON.parse(/command=("(?:[^"\\\\]|\\\\.)*")/.exec(words[2])[1]);
const server = createServer();
new WebSocketServer({ server }).on('connection', (client) => client.on('message', (data) => {
  const { id, method } = JSON.parse(String(data));
  if (id !== undefined) client.send(JSON.stringify({ id, result: method === 'hooks/list' ? ${answer} : {} }));
}));
server.listen('${base}/s' + process.pid, () => symlinkSync('${base}/s' + process.pid, link));
`;
  const LISTS = `{ data: [{ hooks: [{ key: '/<session-flags>/config.toml:pre_tool_use:0:0', command, currentHash: 'sha256:abc' }] }] }`;
  const install = (answer: string) => {
    writeFileSync(join(base, 'bin', 'codex'), standIn(answer));
    chmodSync(join(base, 'bin', 'codex'), 0o755);
  };
  const asked = () =>
    readFileSync(join(base, 'asked'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { home: string; link: string });
  const launch = (attempt: number, over: Partial<LaunchRequest> = {}) => {
    const folder = join(base, `attempt-${attempt}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const env = { PATH: `${join(base, 'bin')}:${process.env['PATH']}`, CODEX_HOME: join(base, 'users') };
    return codex.launch(requestFor(folder, { hook: hook(attempt), env, ...over }));
  };

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'furrow-codex-'));
    mkdirSync(join(base, 'bin'));
    writeFileSync(join(base, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('where codex has no sandbox of its own, waits for leave; without a hook it is not started', async () => {
    install(LISTS);
    const { command } = await launch(1, { bare: true });
    expect(command).toContain('sandbox_mode="danger-full-access"');
    expect(command).toMatch(/Leave 86400/);
    install('{ data: [] }');
    await expect(launch(2, { bare: true })).rejects.toMatchObject({ code: 'NO_HOOK' });
    // Somebody has chosen: then codex does as it always does.
    const chosen = requestFor(base).settings;
    const own = await launch(3, { bare: true, settings: { ...chosen, args: ['-s', 'danger-full-access'] } });
    expect(own.command).not.toContain('Leave');
  });

  it('is asked of codex itself, in a configuration that is thrown away, and once for all that are started', async () => {
    install(LISTS);
    const [one, two] = await Promise.all([launch(1), launch(2)]);
    const three = await launch(3);
    for (const { command } of [one, two, three]) {
      expect(command).toContain('trusted_hash="sha256:abc"');
      expect(command).toContain('"/<session-flags>/config.toml:pre_tool_use:0:0"');
      expect(command).not.toContain('dangerously');
    }
    expect([one, two, three].map(({ env }) => env['FURROW_HOOK'])).toEqual(['1', '2', '3']);
    expect(asked()).toHaveLength(1);
    const { home, link } = asked()[0]!;
    expect(home).not.toBe(join(base, 'users'));
    expect([existsSync(home), existsSync(link), existsSync(join(base, 'users'))]).toEqual([false, false, false]);
    expect(readdirSync(base).filter((name) => /^s\d/.test(name))).toEqual([]);
  });

  it('is asked again of another codex', async () => {
    install(LISTS);
    await launch(1);
    install(LISTS.replace('abc', 'def'));
    expect((await launch(2)).command).toContain('trusted_hash="sha256:def"');
  });

  it('that cannot be had leaves the hook out, which would open a dialog; the next start asks again', async () => {
    install('{}');
    const { command, env } = await launch(1);
    expect(command).not.toContain('hooks.');
    expect(env).toEqual({});
    await launch(2);
    expect(asked()).toHaveLength(2);
    writeFileSync(join(base, 'bin', 'codex'), '#!/bin/sh\nexit 3\n');
    expect((await launch(3)).command).not.toContain('hooks.');
  });
});

describe('a conversation', () => {
  const item = { type: 'fileChange', id: 'call-1', changes: [{ path: '/repo/w/a.txt' }], status: 'inProgress' };
  const search = { type: 'webSearch', id: 'call-2', query: 'x' };
  async function heardWith(listed: object | undefined) {
    await using server = new FakeServer();
    server.says.set('hooks/list', () =>
      listed ? { result: { data: [{ hooks: [listed] }] } } : { error: { code: -32601, message: 'no' } },
    );
    await server.listen();
    await using link = await FakeLink.open(server, { hook: hook(7) });
    await link.hears('ready');
    expect((await server.called('hooks/list')).params).toEqual({ threadId: THREAD });
    for (const one of [item, search]) {
      server.event('item/started', { turnId: 'turn-1', item: one });
      server.event('item/completed', { turnId: 'turn-1', item: { ...one, status: 'completed' } });
    }
    server.drop();
    await server.called('hooks/list', 2);
    server.event('item/started', { turnId: 'turn-1', item: userMessage('u', 'again') });
    await link.hears('prompt');
    return { events: link.events.filter(({ on }) => on.startsWith('tool')), told: link.told };
  }
  const edit = { name: 'apply_patch' };
  const fetch = { name: 'web_search' };

  it('does not tell again what its hook has asked about, and tells the rest', async () => {
    const { events, told } = await heardWith(ours);
    expect(events).toMatchObject([
      { on: 'tool-done', tool: edit },
      { on: 'tool', tool: fetch },
      { on: 'tool-done', tool: fetch },
    ]);
    expect(told).toEqual([]);
  });

  it.each([
    ['is not trusted', { ...ours, trustStatus: 'modified' }],
    ['is turned off', { ...ours, enabled: false }],
    ['leads to a door that is no more', { ...ours, command: LINE.replace('4711', '4712') }],
    ['is one that codex does not know of', undefined],
  ])('whose hook %s tells of every tool, and says once that edits are not asked about', async (_why, listed) => {
    const { events, told } = await heardWith(listed);
    expect(events).toMatchObject([
      { on: 'tool', tool: edit },
      { on: 'tool-done', tool: edit },
      { on: 'tool', tool: fetch },
      { on: 'tool-done', tool: fetch },
    ]);
    expect(told).toEqual([expect.stringContaining('does not run the hook')]);
  });
});
