import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lacksDescriptors } from '../platform/descriptors.ts';
import { type Claim, canProve, findPeer, idOf, type Peer } from '../platform/process/peer.ts';
import { proofFolder } from './place.ts';

/** `unproven`: no process holds the file as it was claimed. `unprovable`: this machine has no means to tell. */
export type Proven = Peer | 'unproven' | 'unprovable';

/** One client's greeting. Its file is fresh, so a proof is good for one connection and cannot be shown again. */
interface Greeting {
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

/** Removes the folder again, unless somebody is proving just now. */
export function closeProofs(socket: string): void {
  try {
    rmdirSync(proofFolder(socket));
  } catch {
    // It is not empty, or not there.
  }
}

export function greet(socket: string): Greeting {
  if (!canProve()) return { nonce: null, prove: () => 'unprovable', end() {} };
  const nonce = randomBytes(16).toString('hex');
  const file = join(proofFolder(socket), nonce);
  let id: string | undefined;
  let none: unknown;
  try {
    id = make(socket, file);
  } catch (error) {
    none = error;
  }
  let there = true;
  const end = () => {
    if (there) remove(file);
    there = false;
  };
  return {
    nonce,
    prove(claim) {
      if (none) throw none;
      const peer = isClaim(claim) && id !== undefined ? findPeer(claim, id) : undefined;
      id = undefined;
      end();
      return peer ?? 'unproven';
    },
    end,
  };
}

/** Makes the file, also when somebody removed the folder, and answers its id. Without one nobody is proven, and the daemon goes on. Throws for want of descriptors. */
function make(socket: string, file: string): string | undefined {
  for (const again of [true, false])
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return idOf(file);
    } catch (error) {
      if (lacksDescriptors(error)) throw error;
      if (again) attempt(() => mkdirSync(proofFolder(socket), { recursive: true, mode: 0o700 }));
    }
  return undefined;
}

function isClaim(claim: unknown): claim is Claim {
  const { pid, fd } = (claim ?? {}) as Partial<Claim>;
  return Number.isInteger(pid) && Number.isInteger(fd);
}

/** Another call may have removed it first. */
const remove = (file: string) => attempt(() => unlinkSync(file));

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next step finds out.
  }
}
