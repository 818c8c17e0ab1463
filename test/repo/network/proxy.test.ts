import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveProxy } from '../../../src/repo/network/proxy.ts';

/** A proxy with rules and names of the test's own, and a program of this machine that answers `hello`. */
async function stage(rules: (port: number) => string[], names: Record<string, string[]> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-proxy-'));
  const server = createServer((asked, answer) => answer.end(`hello ${asked.headers.host}`)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused: string[] = [];
  const options = { rules: () => rules(port), refused: (host: string, why: string) => void refused.push(`${host}: ${why}`) };
  const addresses = async (name: string) => names[name] ?? [];
  const proxy = await serveProxy(join(folder, 'net.sock'), { ...options, addresses });
  /** Says some bytes to the proxy; the answer is all that comes back. */
  const say = async (text: string) => {
    const socket = connect(join(folder, 'net.sock'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
    socket.write(text);
    await once(socket, 'close');
    return Buffer.concat(chunks).toString('latin1');
  };
  return {
    ...{ port, refused, say },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

it('carries a call to a port of this machine that a rule names, and no other', async () => {
  await using at = await stage((port) => [`localhost:${port}`]);
  expect(await at.say(`CONNECT localhost:${at.port} HTTP/1.1\r\nhost: x\r\n\r\n${GET}`)).toMatch(/^HTTP\/1.1 200 [\s\S]*hello x$/);
  expect(await at.say(`GET http://localhost:${at.port}/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toMatch(
    /200 OK[\s\S]*hello localhost/,
  );
  expect(await at.say(`CONNECT localhost:${at.port + 1} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /);
  expect(await at.say(`CONNECT 127.0.0.1:${at.port} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /);
  expect(at.refused).toEqual([`localhost: port ${at.port + 1} of it is not in fence.network`, '127.0.0.1: it is no name']);
});

it('an allowed name that leads to this machine or its neighbours is refused', async () => {
  await using at = await stage(() => ['rebound.example.org'], { 'rebound.example.org': ['127.0.0.1', '169.254.169.254', '::1'] });
  expect(await at.say(`CONNECT rebound.example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /);
  expect(at.refused).toEqual(['rebound.example.org: it leads to this machine or its neighbours']);
});

it.each([
  'CONNECT rebound.example.org HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT good.example.org:443@127.0.0.1:1 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /etc/passwd HTTP/1.1\r\nhost: good.example.org\r\nconnection: close\r\n\r\n',
  'GET http://good.example.org@127.0.0.1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'GET ftp://good.example.org/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
])('%j is refused', async (text) => {
  await using at = await stage(() => ['good.example.org']);
  expect(await at.say(text)).toMatch(/^HTTP\/1.1 403 /);
});
