import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { PROOF_FLAGS } from '../platform/process/proof-flags.ts';
import { proofFolder } from './place.ts';

/** A client's proof of which process it is: a file that only it holds open. */
export interface Proof {
  readonly fd: number | null;
  end(): void;
}

/** Opens the file that the daemon named. Without one, or where it cannot be opened, there is no proof, and the daemon decides. */
export function showProof(socket: string, nonce: unknown): Proof {
  if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce)) return { fd: null, end() {} };
  let fd: number | null = null;
  try {
    fd = openSync(join(proofFolder(socket), nonce), PROOF_FLAGS);
  } catch {
    // Without a proof the daemon decides, and says why if it refuses.
  }
  return {
    fd,
    end() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
