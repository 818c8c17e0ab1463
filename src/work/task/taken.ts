/** Stored with a task that a person took over. No agent gets it until they give it back or submit it. */
export interface Taken {
  readonly by: string;
  readonly at: number;
  readonly branch: string;
  readonly worktree: string;
  /** The worktree was made for them; from then on nobody but they touches it. */
  readonly ready: boolean;
  /** Why set-up did not work there; they got the worktree all the same. */
  readonly problem?: string;
}

export const takenOf = (task: { readonly taken: string | null }): Taken | undefined =>
  task.taken === null ? undefined : (JSON.parse(task.taken) as Taken);

/** A person's name as part of a branch and a folder. */
export function slugOf(name: string, agents: ReadonlySet<string>): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32);
  const known = slug || 'person';
  return agents.has(known) ? `${known}-person` : known;
}
