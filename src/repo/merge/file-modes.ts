/** Modes in git's trees: of a folder, a submodule, a symbolic link. */
export const TREE = '040000';
export const GITLINK = '160000';
export const LINK = '120000';
