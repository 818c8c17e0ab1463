import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, succeeds } from './cgroup.ts';

/** The most that all processes of one tree may use together. Bytes, and a count. */
interface Limits {
  readonly memory?: number | undefined;
  readonly processes?: number | undefined;
  /** The largest size of one file. */
  readonly disk?: number | undefined;
}

/** A controller of cgroups that this process can use: where it makes groups, and the files for setting and reading limits. */
interface Controller {
  readonly folder: string;
  readonly limit: string;
  /** The file that counts refusals, and the word before the count. */
  readonly told: string;
  readonly word: string;
}

type Kind = 'memory' | 'processes';

const FILES = {
  memory: {
    v1: { limit: 'memory.limit_in_bytes', told: 'memory.oom_control', word: 'oom_kill' },
    v2: { limit: 'memory.max', told: 'memory.events', word: 'oom_kill' },
  },
  processes: {
    v1: { limit: 'pids.max', told: 'pids.events', word: 'max' },
    v2: { limit: 'pids.max', told: 'pids.events', word: 'max' },
  },
} as const;

const NAMES: Readonly<Record<Kind, string>> = { memory: 'memory', processes: 'pids' };

/** Finds where a controller is mounted, and this process's group in it. A hybrid system has some controllers at v1 and an empty v2. */
export function controllerAt(kind: Kind, mountinfo: string, cgroup: string): { folder: string; version: 'v1' | 'v2' } | undefined {
  const name = NAMES[kind];
  const path = (pattern: RegExp) => pattern.exec(cgroup)?.[1];
  const mount = (pattern: RegExp) => {
    const [, , , root = '/', at = ''] =
      mountinfo
        .split('\n')
        .find((line) => pattern.test(line))
        ?.split(' ') ?? [];
    return at === '' ? undefined : { root, at };
  };
  const v1 = mount(new RegExp(` - cgroup .*\\b${name}\\b`));
  const own = v1 ? path(new RegExp(`^\\d+:(?:[^:]*,)?${name}(?:,[^:]*)?:(.*)$`, 'm')) : path(/^0::(.*)$/m);
  const at = v1 ?? mount(/ - cgroup2 /);
  if (own === undefined || !at) return undefined;
  const inside = at.root !== '/' && own.startsWith(at.root) ? own.slice(at.root.length) : own;
  return { folder: join(at.at, inside), version: v1 ? 'v1' : 'v2' };
}

/** The controller, if a group can be made here and given a limit; this is found by trying. */
function controller(kind: Kind): Controller | undefined {
  const found = process.platform === 'linux' ? controllerAt(kind, read('/proc/self/mountinfo'), read('/proc/self/cgroup')) : undefined;
  if (!found) return undefined;
  const files = FILES[kind][found.version];
  const probe = join(found.folder, `furrow-probe-${process.pid}-${kind}`);
  // cgroup v2 gives no controllers to the children of a group that has processes itself: then there is no such file.
  const works = succeeds(() => mkdirSync(probe)) && existsSync(join(probe, files.limit)) && existsSync(join(probe, files.told));
  succeeds(() => rmdirSync(probe));
  return works ? { folder: found.folder, ...files } : undefined;
}

/** The limits that this machine can enforce. Undefined: it cannot enforce that one. */
export interface LimitWays {
  readonly memory: Controller | undefined;
  readonly processes: Controller | undefined;
}

export const findLimitWays = (): LimitWays => ({ memory: controller('memory'), processes: controller('processes') });

const groupOf = ({ folder }: Controller, marker: string) => join(folder, `furrow-limit-${marker.replaceAll(/[^\w.-]/g, '_')}`);

const JOIN = 'for d in $1; do echo $$ > "$d/cgroup.procs" || exit 126; done; [ -z "$0" ] || ulimit -f "$0" || exit 126; shift; exec "$@"';

/** Makes the groups of a tree and returns the argv in front of its command; []: nothing is limited. */
export function limitArguments(ways: LimitWays, marker: string, limits: Limits): string[] {
  const groups = (['memory', 'processes'] as const).flatMap((kind) => {
    const [way, most] = [ways[kind], limits[kind]];
    if (!way || most === undefined) return [];
    const group = groupOf(way, marker);
    mkdirSync(group, { recursive: true });
    writeFileSync(join(group, way.limit), String(most));
    // Without this the excess would move to swap.
    if (kind === 'memory')
      succeeds(() =>
        writeFileSync(
          join(group, way.limit === 'memory.max' ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes'),
          way.limit === 'memory.max' ? '0' : String(most),
          { flag: 'r+' },
        ),
      );
    return [group];
  });
  // In blocks of 512 bytes.
  const file = limits.disk === undefined ? '' : String(Math.ceil(limits.disk / 512));
  return groups.length === 0 && file === '' ? [] : ['/bin/sh', '-c', JOIN, file, groups.join(' ')];
}

/** The limit that a tree has reached, in words; undefined when it reached none. */
export function metLimit(ways: LimitWays, marker: string): string | undefined {
  const met = (way: Controller | undefined) => {
    const text = way ? read(join(groupOf(way, marker), way.told)) : '';
    return Number(new RegExp(`^${way?.word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0) > 0;
  };
  if (met(ways.memory)) return 'it used more memory than limits.memory allows, and the kernel ended a process of it';
  return met(ways.processes) ? 'it had as many processes as limits.processes allows, and could start no more' : undefined;
}

/** Removes the groups; the kernel refuses while a process lives in them. */
export function removeLimits(ways: LimitWays, marker: string): void {
  for (const way of [ways.memory, ways.processes]) if (way) succeeds(() => rmdirSync(groupOf(way, marker)));
}
