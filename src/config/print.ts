import type { Config } from './schema.ts';

type Plain = Record<string, unknown>;

/**
 * A configuration in the words of furrow.yaml: written into the file, it means the same. What the file has no word for, such
 * as a limit that is not set, is left out.
 */
export function toFile({ agents, checks, queue, permissions, ...rest }: Config): Plain {
  return {
    ...rest,
    agents: Object.fromEntries(Object.entries(agents).map(([name, kind]) => [name, timed(kind)])),
    checks: checks.map(timed),
    queue: { ...withoutNull(queue), after: queue.after.map(timed), regenerate: queue.regenerate.map(timed) },
    permissions: timed(permissions),
    notify: withoutNull(rest.notify),
    hosts: { lost_after: durationText(rest.hosts.lost_after) },
  };
}

/** Times that are kept in milliseconds get their names and their form back. */
function timed(of: object): Plain {
  const entries = Object.entries(of).map(([key, value]): [string, unknown] => {
    const name = key.replace(/Ms$/, '');
    return [name, typeof value === 'number' && (name !== key || key === 'timeout') ? durationText(value) : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function withoutNull(of: object): Plain {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
}

const UNITS: readonly [string, number][] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `1h30m`, as the file has it. */
function durationText(ms: number): string {
  let left = ms;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count}${unit}`] : [];
  });
  return [...parts, ...(left > 0 ? [`${left}ms`] : [])].join('') || '0s';
}
