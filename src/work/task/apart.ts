/** A task, as far as its place in the order goes. */
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

/** The tasks that are looked at for so many free agents: to keep tasks apart is a wish, and not worth a look at thousands. */
export const lookedAt = (free: number): number => free * 4 + 12;

/**
 * Puts tasks that mean to change what others have in hand behind those that do not, among tasks that are as urgent. They come last, and
 * not never: the queue can merge what overlaps.
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
