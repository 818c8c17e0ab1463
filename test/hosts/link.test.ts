import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { LeaderAddress } from '../../src/hosts/invitation.ts';
import { fingerprintOf, makeCertificate } from '../../src/hosts/link/certificate.ts';
import { askLeader, dial } from '../../src/hosts/link/dial.ts';
import { readSaid } from '../../src/hosts/link/frames.ts';
import { type ListenOrder, listen } from '../../src/hosts/link/listen.ts';

async function leader(order: Partial<ListenOrder> = {}) {
  const certificate = makeCertificate();
  const came: WebSocket[] = [];
  const bugs: unknown[] = [];
  const listener = await listen({
    ...certificate,
    ...{ address: '127.0.0.1', port: 0 },
    attend: (ws) => {
      came.push(ws);
      ws.on('error', () => {});
    },
    objects: async () => undefined,
    work: async () => undefined,
    onBug: (error) => bugs.push(error),
    ...order,
  });
  const at: LeaderAddress = { host: '127.0.0.1', port: listener.port, farm: '0123abcd', certificate: fingerprintOf(certificate.cert) };
  return { at, came, bugs, [Symbol.asyncDispose]: () => listener.close() };
}

it('a certificate is signed by its own key and has no end', () => {
  const { cert } = makeCertificate();
  const read = new X509Certificate(cert);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(new Date(read.validTo).getUTCFullYear()).toBe(9999);
});

describe('a host', () => {
  it('speaks to the leader whose certificate the invitation names', async () => {
    await using there = await leader();
    const ws = await dial(there.at);
    await expect.poll(() => there.came.length).toBe(1);
    ws.send('x');
    expect(String((await once(there.came[0]!, 'message'))[0])).toBe('x');
    ws.terminate();
  });

  it('says nothing to another one', async () => {
    await using there = await leader();
    await expect(dial({ ...there.at, certificate: 'ab'.repeat(32) })).rejects.toMatchObject({ code: 'OTHER_LEADER' });
    expect(there.came).toEqual([]);
  });

  it('hears that nobody listens, with what to look at', async () => {
    const gone = await leader();
    await gone[Symbol.asyncDispose]();
    await expect(dial(gone.at)).rejects.toMatchObject({ code: 'LEADER_UNREACHABLE', hint: expect.stringContaining('furrow hosts') });
  });

  it('gets no objects without a key, nor with a body that is too long', async () => {
    const asked: string[] = [];
    await using there = await leader({
      objects: async (_key, body) => {
        asked.push(body);
        return undefined;
      },
    });
    const { signal } = new AbortController();
    await expect(askLeader(there.at, '/objects', 'nokey', '{}', signal)).rejects.toMatchObject({ code: 'LEADER_REFUSED' });
    await expect(askLeader(there.at, '/objects', 'ab'.repeat(32), 'x'.repeat(100_000), signal)).rejects.toThrow();
    await expect(askLeader(there.at, '/other', 'ab'.repeat(32), '{}', signal)).rejects.toMatchObject({ code: 'LEADER_REFUSED' });
    expect(asked).toEqual([]);
    expect(there.bugs).toEqual([]);
  });

  it('is hung up on when a frame of its is too long', async () => {
    await using there = await leader();
    const ws = await dial(there.at);
    ws.on('error', () => {});
    await expect.poll(() => there.came.length).toBe(1);
    ws.send('x'.repeat(2 * 1024 * 1024));
    const [code] = await once(ws, 'close');
    expect(code).toBe(1009);
  });
});

it.each([
  ['no JSON', '{'],
  ['another word', '{"say":"land","id":"1.1"}'],
  ['one field more', '{"say":"started","id":"1.1","host":"lab"}'],
  ['a path in an id', '{"say":"output","id":"../../x","at":0,"bytes":""}'],
  ['a part of a log before its beginning', '{"say":"output","id":"1.1","at":-1,"bytes":""}'],
  ['an outcome that there is not', '{"say":"done","id":"1.1","result":{"outcome":"maybe","ms":1,"detail":null,"beside":1,"class":""}}'],
  ['an endless time', '{"say":"done","id":"1.1","result":{"outcome":"pass","ms":1e999,"detail":null,"beside":1,"class":""}}'],
])('what a host says is refused at the door: %s', (_what, text) => {
  expect(readSaid(text)).toBeUndefined();
});
