/** The commits of an attempt as they go home: what it submits or keeps, a head apart from its branch, and files that are in no commit. */
export const HOME_REFS = ['tip', 'head', 'uncommitted'] as const;
export type HomeRef = (typeof HOME_REFS)[number];

/** The folder of their refs in a bundle. */
export const homeRefs = (attempt: number): string => `refs/furrow/home/${attempt}/`;

/** The most that comes home of one attempt, packed. */
export const WORK_BYTES = 1024 ** 3;
