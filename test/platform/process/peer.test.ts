import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPeer, idOf } from '../../../src/platform/process/peer.ts';
import { PROOF_FLAGS } from '../../../src/platform/process/proof-flags.ts';

/** A file of proof, as the daemon makes one. */
function proof() {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-peer-'));
  const file = join(folder, 'nonce');
  writeFileSync(file, '');
  return { file, folder, id: idOf(file)!, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Another process that holds the file open and says which it is, as it sees itself. */
async function holder(file: string, flags: number, jail: readonly string[] = [], env: Record<string, string> = {}) {
  const code = `const fd = require('node:fs').openSync(${JSON.stringify(file)}, ${flags}); console.log(JSON.stringify({ pid: process.pid, fd })); process.stdin.resume()`;
  const [command, ...args] = [...jail, process.execPath, '-e', code];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], ...env } });
  const [line] = await once(child.stdout, 'data');
  const end = async () => {
    child.stdin.end();
    await once(child, 'close');
  };
  return { claim: JSON.parse(String(line)) as { pid: number; fd: number }, child, [Symbol.asyncDispose]: end };
}

const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];

describe.skipIf(process.platform !== 'linux')('the process at the other end', () => {
  it('is found by the file it holds, with its parents and their marks', async () => {
    using it = proof();
    await using one = await holder(it.file, PROOF_FLAGS, [], { FURROW_RUN: 'f.a1' });
    const found = findPeer(one.claim, it.id)!;
    expect(found.near).toBe(true);
    expect(found.cgroup).toBe(readFileSync(`/proc/${one.child.pid}/cgroup`, 'utf8'));
    expect(found.line.slice(0, 2).map(({ pid, marker }) => [pid, marker])).toEqual([
      [one.child.pid, 'f.a1'],
      [process.pid, undefined],
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)('is found in a pid namespace by the pid that it has there', async () => {
    using it = proof();
    await using one = await holder(it.file, PROOF_FLAGS, NAMESPACE, { FURROW_RUN: 'f.a1' });
    expect(one.claim.pid).toBe(1);
    const found = findPeer(one.claim, it.id)!;
    expect(found.near).toBe(false);
    expect(found.line.map(({ pid }) => pid)).toContain(one.child.pid);
    expect(found.line[0]!.marker).toBe('f.a1');
  });

  it('is not one that another names, whatever that one has open', async () => {
    using it = proof();
    await using one = await holder(it.file, PROOF_FLAGS);
    expect(findPeer({ pid: process.pid, fd: one.claim.fd }, it.id)).toBeUndefined();
    expect(findPeer({ pid: one.claim.pid, fd: 0 }, it.id)).toBeUndefined();
    expect(findPeer({ pid: 1, fd: one.claim.fd }, it.id)).toBeUndefined();
    expect(findPeer({ pid: -1, fd: -1 }, it.id)).toBeUndefined();
  });

  it('is not one that opened the file as any program would, an editor that was made to look at it', async () => {
    using it = proof();
    await using one = await holder(it.file, constants.O_RDWR);
    expect(findPeer(one.claim, it.id)).toBeUndefined();
  });

  it('is not one that holds another file which was given the name', async () => {
    using it = proof();
    const victim = join(it.folder, 'victim');
    writeFileSync(victim, '');
    const fd = openSync(victim, PROOF_FLAGS);
    renameSync(victim, it.file);
    expect(findPeer({ pid: process.pid, fd }, it.id)).toBeUndefined();
    closeSync(fd);
  });
});
