/** The facts about a task that decide its place in the order. */
interface Ready {
  readonly purpose: string;
  readonly reworking: boolean;
  readonly class: string;
  readonly due: string | null;
  readonly paths: readonly string[];
}

interface Hands {
  readonly inHand?: readonly (readonly string[])[];
  readonly overlap?: (a: readonly string[], b: readonly string[]) => boolean;
  readonly agents: readonly { readonly free: boolean; readonly paused: boolean }[];
}

/** The number of tasks that are compared for so many free agents: keeping tasks apart is not worth a look at thousands. */
export const lookedAt = (free: number): number => free * 4 + 12;

/**
 * Among equally urgent tasks, puts those that mean to change paths which others have in hand behind the rest. They come last, but they do
 * come: the queue can merge what overlaps.
 */
export function keepApart<T extends Ready>(ready: readonly T[], { inHand, overlap, agents }: Hands): readonly T[] {
  if (!inHand || !overlap) return ready;
  const most = lookedAt(agents.filter((agent) => agent.free && !agent.paused).length);
  const taken = [...inHand];
  const ordered: T[] = [];
  const later: T[] = [];
  let urgency = '';
  for (const task of ready.slice(0, most)) {
    if (urgencyOf(task) !== urgency) ordered.push(...later.splice(0));
    urgency = urgencyOf(task);
    const meets = task.paths.length > 0 && taken.some((paths) => overlap(paths, task.paths));
    (meets ? later : ordered).push(task);
    if (!meets && task.paths.length > 0) taken.push(task.paths);
  }
  return [...ordered, ...later, ...ready.slice(most)];
}

const urgencyOf = ({ purpose, reworking, class: kind, due }: Ready) => [purpose === 'work', reworking, kind, due].join();
