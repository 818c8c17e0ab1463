import { constants } from 'node:fs';

/**
 * Flags with which a client opens the file that proves which process it is. No program that opens whatever file appears uses these two
 * together, so nobody's editor or watcher can be made to hold the file for somebody else. A file of its own, because clients load it.
 */
export const PROOF_FLAGS: number = constants.O_RDONLY | constants.O_SYNC | constants.O_NOFOLLOW;
