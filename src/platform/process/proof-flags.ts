import { constants } from 'node:fs';

/**
 * The flags with which a client opens the file that proves which process it is. No program that opens any new file, such as an editor or a
 * watcher, uses these two together, so it cannot be tricked into holding the file for somebody else. They have a file of their own because
 * clients load it.
 */
export const PROOF_FLAGS: number = constants.O_RDONLY | constants.O_SYNC | constants.O_NOFOLLOW;
