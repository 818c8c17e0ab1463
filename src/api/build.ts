/** Set by the build: the hash of the sources that a program was built from. */
declare const FURROW_BUILD: string;

/** The hash of the sources that this program was built from; undefined when it runs from the sources, which may change meanwhile. */
export const BUILD: string | undefined = typeof FURROW_BUILD === 'undefined' ? undefined : FURROW_BUILD;
