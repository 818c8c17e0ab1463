import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { greet, openProofs } from '../../src/api/hello.ts';
import { proofFolder } from '../../src/api/place.ts';
import { showProof } from '../../src/api/proof.ts';

/** A place for a socket; where nothing can be proven these tests have nothing to say. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-hello-'));
  const socket = join(folder, 'daemon.sock');
  openProofs(socket);
  return { socket, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const linux = it.skipIf(process.platform !== 'linux');

linux('a proof holds for one connection: not twice, not for another greeting, and its file goes with it', () => {
  using at = place();
  const [first, second] = [greet(at.socket), greet(at.socket)];
  const shown = showProof(at.socket, first.nonce);
  const claim = { pid: process.pid, fd: shown.fd };
  expect(second.prove(claim)).toBe('unproven');
  expect(first.prove(claim)).toMatchObject({ near: true });
  expect(first.prove(claim)).toBe('unproven');
  expect(readdirSync(proofFolder(at.socket))).toEqual([]);
  shown.end();
});

linux('a folder of proofs that somebody removed is made again; what cannot be made proves nothing', () => {
  using at = place();
  rmSync(proofFolder(at.socket), { recursive: true });
  const greeting = greet(at.socket);
  const shown = showProof(at.socket, greeting.nonce);
  expect(greeting.prove({ pid: process.pid, fd: shown.fd })).toMatchObject({ near: true });
  shown.end();
  rmSync(proofFolder(at.socket), { recursive: true });
  writeFileSync(proofFolder(at.socket), '');
  expect(greet(at.socket).prove({ pid: process.pid, fd: 0 })).toBe('unproven');
});

linux.each([undefined, null, {}, { pid: 'x', fd: 3 }, { pid: 1.5, fd: 3 }, { pid: 1 }, [], 'x'])(
  'the word %j about itself proves nothing',
  (claim) => {
    using at = place();
    expect(greet(at.socket).prove(claim)).toBe('unproven');
  },
);

linux('a client opens no other file than one of proof, whatever name it is told', () => {
  using at = place();
  for (const nonce of ['../daemon.sock', '/etc/passwd', '', 7, null, 'A'.repeat(32)]) expect(showProof(at.socket, nonce).fd).toBeNull();
});
