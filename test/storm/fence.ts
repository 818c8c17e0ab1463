import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { type Report, runEscapes, type Tried } from '../../src/fence/escapes/suite.ts';
import { exec } from '../../src/platform/exec.ts';
import { limiter } from '../../src/platform/limit.ts';
import type { Scenario } from './scenario.ts';

/** Every escape as this user and, started by root, as nobody; then broken fences, each of which must be noticed. */
export const fence: Scenario = async ({ only, say }) => {
  const violations: string[] = [];
  const facts: Record<string, unknown> = {};
  if (only !== 'mutants')
    for (const level of ['guard', 'strict'] as const)
      for (const [who, run] of [
        ['this user', () => runEscapes({ level })],
        ...(process.getuid?.() === 0 ? [['nobody', () => asNobody(level)] as const] : []),
      ] as const) {
        const { escapes, needs } = await run();
        facts[`${level}, ${who}`] = `${escapes.length} escapes, ${needs.length} needs`;
        violations.push(...failed({ escapes, needs }).map(({ name, how }) => `${level} as ${who}: ${name}: ${how}`));
        say(`${level} as ${who}: ${escapes.length} tries, ${failed({ escapes, needs }).length} wrong`);
      }
  if (only !== 'suite')
    for (const level of ['guard', 'strict'] as const) {
      const { all, noticed, left } = await mutants(level, say);
      facts[`mutants of ${level}`] = `${all}, ${noticed} noticed, ${left.length} not, the rest named with a reason`;
      violations.push(...left.map((name) => `nothing breaks at ${level} with ${name}`));
    }
  return { facts, violations };
};

const failed = ({ escapes, needs }: Report): Tried[] => [...needs, ...escapes].filter(({ ok }) => !ok);

/** Arguments whose loss nothing in the suite can show, and why. */
const SILENT: readonly [RegExp, string][] = [
  [/--unshare-user/, 'for root the dropped capabilities hold alone; for others bwrap makes the namespace by itself'],
  [/--unshare-uts|--unshare-cgroup-try/, 'without capabilities neither can be changed anyway'],
  [/--die-with-parent|env |--ignore-signal|--default-signal/, 'held by test/fence/ends.test.ts'],
  [/--ro-bind-try \/proc\/(irq|bus|fs|acpi|scsi)/, 'not on every machine'],
  [/--tmpfs \/(run|var\/tmp|var\/lib|var\/snap)/, 'the stage puts nothing there'],
  [/--ro-bind(-try)? \/(etc|usr|lib|bin|opt|run)/, 'seen by the machine as a whole'],
  [/--chdir/, 'the same folder as outside'],
  [/node_modules|package\.json|\/(dist|src|bin) /, 'programs of this checkout that the tries do not all use'],
];

/** The place of these among the arguments is of no account: no other argument lies over what they do. */
const UNORDERED = /--(unshare|cap|unsetenv|die|chdir|remount)|--ro-bind \/ \/ /;

const WORDS: Record<string, number> = {
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

/** A broken fence: one argument less, or one that comes first and so lies under all others. */
interface Mutant {
  readonly name: string;
  readonly argv: (plain: readonly string[]) => readonly string[];
}

/** The arguments of a fence differ from stage to stage in the name of its folder only. */
function mutantsOf(plain: readonly string[], base: string): Mutant[] {
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

/**
 * Each is tried with the whole suite until something is not as it should be. All that is quick to notice is asked first: the
 * names of tries that share a word with the argument. Two at a time, in the home: below `/tmp` nobody sees that the home is shown.
 */
async function mutants(level: 'guard' | 'strict', say: (line: string) => void): Promise<{ all: number; noticed: number; left: string[] }> {
  const below = await mkdtemp(join(homedir(), '.furrow-mutants-'));
  try {
    let list: Mutant[] = [];
    const collect = (argv: readonly string[], { own }: { own: string }) => {
      list = mutantsOf(argv, own.slice(0, own.indexOf('/repo.furrow/')));
      return argv;
    };
    await runEscapes({ level, below, argv: collect, only: () => false });
    const isSilent = ({ name }: Mutant) =>
      SILENT.some(([pattern]) => pattern.test(name)) || (name.startsWith('first') && UNORDERED.test(name));
    const asked = list.filter((one) => !isSilent(one));
    const left: string[] = [];
    const pair = limiter(2);
    const tries = asked.map((mutant) =>
      pair(async () => {
        const notices = async (only?: (name: string) => boolean) =>
          failed(await runEscapes({ level, below, argv: mutant.argv, untilFirst: true, ...(only && { only }) })).length > 0;
        if ((await notices(likely(mutant.name))) || (await notices())) return;
        left.push(mutant.name);
        say(`UNNOTICED  ${mutant.name}`);
      }),
    );
    await Promise.all(tries);
    return { all: list.length, noticed: asked.length - left.length, left };
  } finally {
    await rm(below, { recursive: true, force: true });
  }
}

/** Tries that are likely to notice the loss of an argument, by its words. */
const LIKELY: readonly [RegExp, RegExp][] = [
  [/unshare-pid|--proc /, /process/],
  [/unshare-ipc/, /shared memory/],
  [/unshare-net/, /port of the machine|socket without/],
  [/cap-drop|\/proc\/sys/, /mount|kernel|priority/],
  [/unsetenv/, /variables/],
  [/--ro-bind \/ \//, /write into the system|user/],
  [/--dev /, /devices|shared memory/],
  [/\.git\b|repo\/\.git|objects|refs|hooks|worktrees\/ada/, /commit|rebase|hook|main|branch|registration|objects|\.git|configuration|farm/],
  [/home/, /key|token|tool|cache|home|start-up|consents|commits/],
  [/tmp/, /temporary|agent for keys/],
  [/run|door|prompt|bin/, /socket|door|furrow|prompt|attempt|pipe/],
];

const likely = (argument: string) => (name: string) => LIKELY.some(([word, tries]) => word.test(argument) && tries.test(name));

/** The suite as a program of its own, in a folder that everybody may read, run by the user nobody. */
async function asNobody(level: 'guard' | 'strict'): Promise<Report> {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'furrow-nobody-')));
  try {
    await chmod(place, 0o755);
    const suite = fileURLToPath(new URL('../../src/fence/escapes/suite.ts', import.meta.url));
    await writeFile(
      join(place, 'main.ts'),
      `import { runEscapes } from ${JSON.stringify(suite)};\nconsole.log(JSON.stringify(await runEscapes({ level: ${JSON.stringify(level)} })));\n`,
    );
    const bundle = await rolldown({ input: join(place, 'main.ts'), platform: 'node' });
    // As in a package: the program that runs inside a fence is found beside, and shown with it.
    const main = join(place, 'dist', 'suite', 'main.mjs');
    await bundle.write({ file: main, format: 'esm', codeSplitting: false });
    await bundle.close();
    const inner = await rolldown({ input: fileURLToPath(new URL('../../src/network/forward/main.ts', import.meta.url)), platform: 'node' });
    await inner.write({ file: join(place, 'dist', 'network', 'forward', 'main.cjs'), format: 'cjs', codeSplitting: false });
    await inner.close();
    const node = join(place, 'node');
    await copyFile(process.execPath, node);
    await chmod(node, 0o755);
    await mkdir(join(place, 'tmp'));
    await chmod(join(place, 'tmp'), 0o777);
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TMPDIR: join(place, 'tmp') };
    const user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] as const;
    const done = await exec([...user, node, main], { cwd: place, env, timeoutMs: 300_000 });
    if (done.code !== 0) throw new Error(`the suite as nobody: exit ${done.code}: ${done.stderr.slice(0, 500)}`);
    return JSON.parse(done.stdout) as Report;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
