import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, canProve, findPeer, type Peer } from '../platform/process/peer.ts';
import { proofFolder } from './place.ts';

/** `unproven`: no process holds the file as it was claimed. `unprovable`: this machine has no means to tell. */
export type Proven = Peer | 'unproven' | 'unprovable';

/** One client's greeting. Its file is fresh, so a proof is good for one connection and cannot be shown again. */
export interface Greeting {
  /** The name of the file that the client must open and keep open; null where nothing is to be proven. */
  readonly nonce: string | null;
  prove(claim: unknown): Proven;
  /** The file is removed; safe to call twice. */
  end(): void;
}

/** Makes the folder of proofs of a socket, and removes what a killed daemon left in it. */
export function openProofs(socket: string): void {
  const folder = proofFolder(socket);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) remove(join(folder, name));
}

export function greet(socket: string): Greeting {
  if (!canProve()) return { nonce: null, prove: () => 'unprovable', end() {} };
  const nonce = randomBytes(16).toString('hex');
  const file = join(proofFolder(socket), nonce);
  closeSync(openSync(file, 'wx', 0o600));
  const end = () => remove(file);
  return {
    nonce,
    prove(claim) {
      const peer = isClaim(claim) ? findPeer(claim, file) : undefined;
      end();
      return peer ?? 'unproven';
    },
    end,
  };
}

function isClaim(claim: unknown): claim is Claim {
  const { pid, fd } = (claim ?? {}) as Partial<Claim>;
  return Number.isInteger(pid) && Number.isInteger(fd);
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody was faster.
  }
}
