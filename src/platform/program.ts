import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'cjs';

/**
 * The file of a program of ours that runs as a process of its own, by its path below `src`: a source starts a source, a build
 * starts a build. Every bundle of the build is one folder below `dist`, as this file is below `src`, so the way is the same.
 */
export const programFile = (path: string): string => fileURLToPath(new URL(`../${path}.${extension}`, import.meta.url));

/** A file of the package, by its path in it. */
export const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
