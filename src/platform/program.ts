import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'cjs';

/**
 * The file of a program of ours that runs as its own process, by its path below `src`: a source starts a source, a build starts a build.
 * Every bundle is one folder below `dist`, as this file is below `src`, so the relative path is the same.
 */
export const programFile = (path: string): string => fileURLToPath(new URL(`../${path}.${extension}`, import.meta.url));

/** A file of the package, by its path in it. */
export const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
