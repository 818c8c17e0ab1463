/**
 * A branch that a person submits without a task has an entry like a task's, whose ref is this in place of a phase, and the
 * branch's name. No phase can have this name, so a branch `7` is never taken for task 7.
 */
export const BRANCHES = '@branch';

export const branchRef = (branch: string): string => `${BRANCHES}/${branch}`;

/** The branch that a ref names, if it is none of a task. */
export const branchOf = (ref: string): string | undefined => (ref.startsWith(`${BRANCHES}/`) ? ref.slice(BRANCHES.length + 1) : undefined);

/** The parts of git's own refs that are made of a ref: one for the phase, one for the id, whatever slashes a branch has. */
export function gitPath(ref: string): string {
  const slash = ref.indexOf('/');
  return `${ref.slice(0, slash)}/${ref
    .slice(slash + 1)
    .replaceAll('%', '%25')
    .replaceAll('/', '%2F')}`;
}

/** The ref of which `gitPath` made these parts. */
export const fromGitPath = (path: string): string => path.replaceAll('%2F', '/').replaceAll('%25', '%');
