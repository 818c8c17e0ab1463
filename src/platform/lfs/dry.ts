/** Environment for a git that only looks: large files are hashed for their pointers, and not stored. */
export const DRY = { FURROW_LFS: 'dry' };
