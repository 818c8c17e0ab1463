/** Stored with a task that a person took over. No agent gets it until the person gives it back or submits it. */
export interface Taken {
  readonly by: string;
  readonly at: number;
  readonly branch: string;
  readonly worktree: string;
  /** The worktree was made for them; from then on only they touch it. */
  readonly ready: boolean;
  /** The reason why set-up failed there; they got the worktree anyway. */
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
