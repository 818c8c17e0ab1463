import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Session } from '../../../src/api/page/sessions.ts';
import { proofWords } from '../../../src/platform/page-proof.ts';
import { browse, type Door, door } from './door.ts';

const NONCE = 'ab'.repeat(16);
const sign = (key: string, words: string) => createHmac('sha256', key).update(words).digest('hex');

interface Hello {
  readonly control: boolean;
  readonly token: string;
  readonly session: Session;
}

const isHello = (frame: Record<string, unknown>) => 'hello' in frame;
const helloOf = async (page: Awaited<ReturnType<typeof browse>>) => (await page.frame(isHello))['hello'] as Hello;

/** A page that showed its token once. */
async function visited(at: Door, access: 'control' | 'read'): Promise<Hello> {
  using page = await browse(at, { token: at.server.tokens[access] });
  return await helloOf(page);
}

/** A page that comes back with a session, and what the door said to prove itself. */
async function comesBack(at: Door, { id, access }: Pick<Session, 'id' | 'access'>) {
  const page = await browse(at, { resume: { id, access, nonce: NONCE } });
  const { nonce, proof } = (await page.frame((frame) => 'proves' in frame))['proves'] as { nonce: string; proof: string };
  return { page, nonce, proof };
}

/** The next daemon: the same port and secret, everything else anew. */
async function next(at: Door): Promise<Door> {
  const { port, secret } = at.server;
  await at[Symbol.asyncDispose]();
  return door({}, {}, { port, secret });
}

it.each(['control', 'read'] as const)('a page with %s goes on with the next daemon, which proves itself first', async (access) => {
  const first = await door();
  const { session, token } = await visited(first, access);
  await using at = await next(first);
  const { page, nonce, proof } = await comesBack(at, session);
  const met = { port: String(at.server.port), daemon: nonce, page: NONCE };
  expect(proof).toBe(sign(session.key, proofWords('daemon', met)));
  page.say({ proof: sign(session.key, proofWords('page', met)) });
  const hello = await helloOf(page);
  expect([hello.control, hello.token]).toEqual([access === 'control', at.server.tokens[access]]);
  page.say({ id: 1, call: 'status', args: {} });
  await page.frame(({ id }) => id === 1);
  page.ws.terminate();
  // The token of before is nobody's any more.
  expect(hello.token).not.toBe(token);
  using old = await browse(at, { token });
  expect(await old.closed).toBe(4401);
});

it.each([
  ['without the key', (_key: string, right: string) => right.replace(/^./, (one) => (one === '0' ? '1' : '0'))],
  ['with the proof of the daemon itself', (_key: string, _right: string, daemons: string) => daemons],
  [
    'with the proof of another connection',
    (key: string, _right: string, _daemons: string, port: string) => sign(key, proofWords('page', { port, daemon: NONCE, page: NONCE })),
  ],
  ['with nothing', () => undefined],
])('a page that comes back %s is hung up on', async (_how, proofFor) => {
  await using at = await door();
  const { session } = await visited(at, 'control');
  const { page, nonce, proof } = await comesBack(at, session);
  const met = { port: String(at.server.port), daemon: nonce, page: NONCE };
  page.say({ proof: proofFor(session.key, sign(session.key, proofWords('page', met)), proof, met.port) });
  page.say({ id: 1, call: 'status', args: {} });
  expect(await page.closed).toBe(4401);
  expect(at.heard).toEqual([]);
});

it('a proof is good at its own port only: nobody in between can pass it on', async () => {
  await using at = await door();
  const { session } = await visited(at, 'control');
  const { page, nonce } = await comesBack(at, session);
  page.say({ proof: sign(session.key, proofWords('page', { port: String(at.server.port + 1), daemon: nonce, page: NONCE })) });
  expect(await page.closed).toBe(4401);
});

it('a session that may look does not become one that may do more', async () => {
  await using at = await door();
  const { session } = await visited(at, 'read');
  const { page, nonce } = await comesBack(at, { ...session, access: 'control' });
  page.say({ proof: sign(session.key, proofWords('page', { port: String(at.server.port), daemon: nonce, page: NONCE })) });
  expect(await page.closed).toBe(4401);
});

it('a session of a door that was shut is worth nothing at the next one', async () => {
  const first = await door();
  const { session } = await visited(first, 'control');
  const { port } = first.server;
  await first[Symbol.asyncDispose]();
  await using at = await door({}, {}, { port, secret: 'cd'.repeat(32) });
  const { page, nonce } = await comesBack(at, session);
  page.say({ proof: sign(session.key, proofWords('page', { port: String(port), daemon: nonce, page: NONCE })) });
  expect(await page.closed).toBe(4401);
});

it.each([[null], [{}], [{ id: 'x', access: 'control', nonce: NONCE }], [{ id: NONCE, access: 'all', nonce: NONCE }], [[NONCE]]])(
  'a page that comes back with %j is hung up on',
  async (resume) => {
    await using at = await door();
    using page = await browse(at, { resume });
    expect(await page.closed).toBe(4401);
    expect(at.bugs).toEqual([]);
  },
);
