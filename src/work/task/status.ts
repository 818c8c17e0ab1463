import { DEFAULT_CONFIG } from './board-config.ts';

/** The fields that a move looks at, as the file has them. */
interface StatusFields {
  status: string;
  started?: string | null | undefined;
  completed?: string | null | undefined;
}

/** kanban-md's times: RFC 3339. */
export function timestamp(now: number): string {
  return new Date(now).toISOString();
}

/** The fields that a move to `status` changes, by kanban-md's rules. `null` removes a field. */
export function statusChange(
  current: StatusFields,
  status: string,
  now: number,
  statuses: readonly string[] = DEFAULT_CONFIG.statuses,
): Record<string, string | null> {
  const at = timestamp(now);
  const set: Record<string, string | null> = { updated: at };
  if (status === current.status) return set;
  set['status'] = status;
  const ended = isTerminal(status, statuses);
  if (!current.started && (ended || (status !== statuses[0] && current.status === statuses[0]))) set['started'] = at;
  if (ended && !isTerminal(current.status, statuses)) set['completed'] = at;
  if (!ended && current.completed) set['completed'] = null;
  return set;
}

/** `archived`, the status just before it when it is last, and the last one of a board without it. */
function isTerminal(status: string, statuses: readonly string[]): boolean {
  if (status === 'archived') return true;
  const last = statuses.at(-1);
  return status === (last === 'archived' ? statuses.at(-2) : last);
}
