/**
 * The phase in the ref of a branch that a person submits without a task; the branch's name is the id. No phase can have this name, so a
 * branch `7` is never taken for task 7.
 */
export const BRANCHES = '@branch';

export const branchRef = (branch: string): string => `${BRANCHES}/${branch}`;

/** The branch that a ref names; `undefined` for the ref of a task. */
export const branchOf = (ref: string): string | undefined => (ref.startsWith(`${BRANCHES}/`) ? ref.slice(BRANCHES.length + 1) : undefined);

/** Turns a ref into two parts of a git ref: one for the phase, one for the id, however many slashes a branch has. */
export function gitPath(ref: string): string {
  const slash = ref.indexOf('/');
  return `${ref.slice(0, slash)}/${ref
    .slice(slash + 1)
    .replaceAll('%', '%25')
    .replaceAll('/', '%2F')}`;
}

/** The ref from which `gitPath` made these parts. */
export const fromGitPath = (path: string): string => path.replaceAll('%2F', '/').replaceAll('%25', '%');
