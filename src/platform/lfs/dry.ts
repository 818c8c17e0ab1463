/** Environment for a git that only looks: it hashes large files for their pointers and does not store them. */
export const DRY = { FURROW_LFS: 'dry' };
