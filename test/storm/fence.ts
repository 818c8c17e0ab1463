import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { type Report, runEscapes, type Tried } from '../../src/fence/escapes/suite.ts';
import { exec } from '../../src/platform/exec.ts';
import type { Scenario } from './scenario.ts';

/** Every escape as this user and, started by root, as nobody; then broken fences, each of which must be noticed. */
export const fence: Scenario = async ({ only, say }) => {
  const violations: string[] = [];
  const facts: Record<string, unknown> = {};
  if (only !== 'mutants') {
    for (const [who, run] of [
      ['this user', () => runEscapes()],
      ...(process.getuid?.() === 0 ? [['nobody', asNobody] as const] : []),
    ] as const) {
      const { escapes, needs } = await run();
      facts[who] = `${escapes.length} escapes, ${needs.length} needs`;
      violations.push(...failed({ escapes, needs }).map(({ name, how }) => `as ${who}: ${name}: ${how}`));
      say(`${who}: ${escapes.length} tries, ${failed({ escapes, needs }).length} wrong`);
    }
  }
  if (only !== 'suite') {
    const unnoticed = await mutants(say);
    facts['mutants'] = unnoticed.all;
    violations.push(...unnoticed.left.map((name) => `nothing breaks with ${name}`));
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

async function mutants(say: (line: string) => void): Promise<{ all: number; left: string[] }> {
  let count = 0;
  const counted = (argv: readonly string[]) => {
    count = argumentsIn(argv).length;
    return argv;
  };
  await runEscapes({ argv: counted, only: () => false });
  const left: string[] = [];
  let all = 0;
  for (const how of ['without', 'first'] as const)
    for (let n = 0; n < count; n++) {
      let name = '';
      const argv = (plain: readonly string[], { own }: { own: string }) => {
        const parts = argumentsIn(plain);
        const base = own.slice(0, own.indexOf('/repo.furrow/'));
        name = `${how}: ${parts[n]!.join(' ').replaceAll(base, '…')} `;
        const changed = how === 'without' ? parts.toSpliced(n, 1) : [parts[n]!, ...parts.toSpliced(n, 1)];
        return [...plain.slice(0, plain.indexOf('bwrap') + 1), ...changed.flat(), ...plain.slice(plain.indexOf('--'))];
      };
      const noticed = failed(await runEscapes({ argv, untilFirst: true })).length > 0;
      const silent =
        SILENT.some(([pattern]) => pattern.test(name)) ||
        (how === 'first' && /--(unshare|cap|unsetenv|die|chdir|remount)|--ro-bind \/ \//.test(name));
      all++;
      if (!noticed && !silent) left.push(name);
      if (!noticed) say(`${silent ? 'silent' : 'UNNOTICED'}  ${name}`);
    }
  return { all, left };
}

/** The suite as a program of its own, in a folder that everybody may read, run by the user nobody. */
async function asNobody(): Promise<Report> {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'furrow-nobody-')));
  try {
    await chmod(place, 0o755);
    const suite = fileURLToPath(new URL('../../src/fence/escapes/suite.ts', import.meta.url));
    await writeFile(
      join(place, 'main.ts'),
      `import { runEscapes } from ${JSON.stringify(suite)};\nconsole.log(JSON.stringify(await runEscapes()));\n`,
    );
    const bundle = await rolldown({ input: join(place, 'main.ts'), platform: 'node' });
    await bundle.write({ file: join(place, 'main.mjs'), format: 'esm', codeSplitting: false });
    await bundle.close();
    const node = join(place, 'node');
    await copyFile(process.execPath, node);
    await chmod(node, 0o755);
    await mkdir(join(place, 'tmp'));
    await chmod(join(place, 'tmp'), 0o777);
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TMPDIR: join(place, 'tmp') };
    const user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] as const;
    const done = await exec([...user, node, join(place, 'main.mjs')], { cwd: place, env, timeoutMs: 300_000 });
    if (done.code !== 0) throw new Error(`the suite as nobody: exit ${done.code}: ${done.stderr.slice(0, 500)}`);
    return JSON.parse(done.stdout) as Report;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
