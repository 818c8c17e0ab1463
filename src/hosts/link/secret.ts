import { createHash, randomBytes } from 'node:crypto';

/** A new token or key. */
export const newSecret = (): string => randomBytes(32).toString('hex');

/** The stored form of one. It is compared by a look-up of the hash, so the time of that tells nothing of the secret. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
