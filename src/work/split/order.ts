interface Waiting {
  readonly key: string;
  readonly depends_on: readonly string[];
}

/** The tasks of a proposal, each after those that it waits for; tasks in or behind a circle are left out. */
export function inOrder<T extends Waiting>(tasks: readonly T[]): T[] {
  const own = new Set(tasks.map((one) => one.key));
  const ordered: T[] = [];
  const done = new Set<string>();
  for (;;) {
    const next = tasks.find((one) => !done.has(one.key) && one.depends_on.every((name) => !own.has(name) || done.has(name)));
    if (!next) return ordered;
    ordered.push(next);
    done.add(next.key);
  }
}

/** The tasks that no other task of the proposal waits for. */
export function lastOf<T extends Waiting>(tasks: readonly T[]): T[] {
  const needed = new Set(tasks.flatMap((one) => one.depends_on));
  return tasks.filter((one) => !needed.has(one.key));
}
