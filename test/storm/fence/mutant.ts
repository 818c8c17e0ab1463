import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A broken fence: one argument less, one that comes first and so lies under all others, or one that opens more. */
export interface Mutant {
  readonly name: string;
  readonly argv: (plain: readonly string[]) => readonly string[];
  /** The one try that must notice it, whatever else does. */
  readonly by?: string;
}

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** Arguments whose loss nothing in the suite can show, and why. */
const SILENT: readonly [RegExp, string][] = [
  [/--unshare-user/, 'for root the dropped capabilities hold alone; for others bwrap makes the namespace by itself'],
  [/--unshare-uts|--unshare-cgroup-try/, 'without capabilities neither can be changed anyway'],
  [/--die-with-parent/, 'held by test/repo/fence/ends.test.ts'],
  [/--tmpfs \/var\/(lib|snap)/, 'the stage may not write there'],
  [/--ro-bind(-try)? \/(etc|usr|lib|bin|opt|run)/, 'seen by the machine as a whole'],
  [/--ro-bind-try \/proc\/(irq|bus)/, 'bwrap 0.8 lies over these by itself; ours is for those that do not'],
  [/--ro-bind-try \/proc\/(fs|acpi|scsi)/, 'what root may write there is not on every machine'],
  [new RegExp(`--ro-bind ${CHECKOUT}`), 'programs of this checkout: the tries do not use all, and Node lies in two of these folders'],
];

/** The place of these among the arguments is of no account: no other argument lies over what they do. */
const UNORDERED = /--(unshare|cap|seccomp|unsetenv|die|chdir)|--ro-bind \/ \/ /;

/** Nothing could notice it, as is said above. */
export const isSilent = ({ name }: Mutant): boolean =>
  SILENT.some(([pattern]) => pattern.test(name)) || (name.startsWith('first') && UNORDERED.test(name));

const WORDS: Record<string, number> = {
  '--seccomp': 2,
  '--cap-drop': 2,
  '--tmpfs': 2,
  '--dev': 2,
  '--proc': 2,
  '--unsetenv': 2,
  '--chdir': 2,
  '--remount-ro': 2,
};
const lengthOf = (word: string) => WORDS[word] ?? (/^--(ro-)?bind/.test(word) ? 3 : 1);

/** The arguments between `bwrap` and `--`, each with its words. */
function argumentsIn(argv: readonly string[]): string[][] {
  const [first, last] = [argv.indexOf('bwrap') + 1, argv.indexOf('--')];
  const found: string[][] = [];
  for (let at = first; at < last; at += lengthOf(argv[at]!)) found.push(argv.slice(at, at + lengthOf(argv[at]!)));
  return found;
}

/** The arguments of a fence differ from stage to stage in the name of its folder only. */
export function mutantsOf(plain: readonly string[], base: string): Mutant[] {
  const count = argumentsIn(plain).length;
  return (['without', 'first'] as const).flatMap((how) =>
    Array.from({ length: count }, (_, n): Mutant => {
      const words = argumentsIn(plain)[n]!.join(' ').replaceAll(base, '…');
      const argv = (now: readonly string[]) => {
        const parts = argumentsIn(now);
        const changed = how === 'without' ? parts.toSpliced(n, 1) : [parts[n]!, ...parts.toSpliced(n, 1)];
        return [...now.slice(0, now.indexOf('bwrap') + 1), ...changed.flat(), ...now.slice(now.indexOf('--'))];
      };
      return { name: `${how}: ${words} `, argv };
    }),
  );
}

/** The same fence with an argument more, in front of the command. */
const opened = (now: readonly string[], ...words: string[]) => [
  ...now.slice(0, now.indexOf('--')),
  ...words,
  ...now.slice(now.indexOf('--')),
];

/** Fences that open what they must not: what a key of the repository names, and its objects to be written. `HOME` and `GIT` are those of the stage. */
export const openedMutants: readonly Mutant[] = [
  ...(['.ssh', '.netrc', '.aws'] as const).map((name, at): Mutant => {
    const key = ['lfs.storage', 'core.excludesFile', 'core.hooksPath'][at]!;
    return {
      name: `opened: the path that ${key} of the repository names`,
      argv: (now) => opened(now, '--ro-bind', join(homeIn(now), name), join(homeIn(now), name)),
      by: 'read what the settings of the repository name',
    };
  }),
  ...['change an object under its id', 'write an object of the repository', 'delete objects of the repository'].map(
    (by): Mutant => ({ name: `opened: the objects of the repository, to be written (${by})`, argv: (now) => writable(now), by }),
  ),
];

const OBJECTS = '/.git/furrow/objects';

/** The fence with the objects of the repository mounted like a folder of the agent's. */
function writable(now: readonly string[]): readonly string[] {
  const to = now.findIndex((word) => word.endsWith(OBJECTS));
  if (now[to - 2] !== '--ro-bind')
    throw new Error(`the objects are not mounted as this mutant expects: ${now.slice(to - 2, to + 1).join(' ')}`);
  return now.with(to - 2, '--bind');
}

/** The home of the stage lies beside its repository. */
function homeIn(now: readonly string[]): string {
  const git = now.find((word) => word.endsWith(OBJECTS)) ?? '';
  return join(git.slice(0, -OBJECTS.length), '..', 'home');
}

/** Tries that are likely to notice the loss of an argument, by its words. */
const LIKELY: readonly [RegExp, RegExp][] = [
  [/seccomp/, /terminal/],
  [/unshare-pid|--proc /, /process/],
  [/unshare-ipc/, /shared memory/],
  [/unshare-net/, /port of the machine|socket without/],
  [/cap-drop|\/proc\//, /mount|kernel|priority/],
  [/unsetenv/, /variables/],
  [/--ro-bind \/ \//, /write into the system|user/],
  [/--dev /, /devices|shared memory/],
  [/lfs/, /large/],
  [
    /\.git\b|repo\/\.git|objects|refs|hooks|worktrees\/ada/,
    /commit|rebase|hook|main|branch|registration|objects|module|\.git|configuration|farm/,
  ],
  [/home/, /key|token|tool|cache|home|start-up|consents|commits|own/],
  [/tmp/, /temporary|agent for keys/],
  [/run|door|prompt|bin/, /socket|door|furrow|prompt|its task|attempt|pipe|running system/],
];

export const likely = (argument: string) => (name: string) => LIKELY.some(([word, tries]) => word.test(argument) && tries.test(name));
