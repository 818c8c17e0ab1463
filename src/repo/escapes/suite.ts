import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { exec, spawnPiped } from '../../platform/exec.ts';
import { findOnPath } from '../../platform/on-path.ts';
import { identify } from '../../platform/process/identity.ts';
import { killTree } from '../../platform/process/kill.ts';
import { shellQuote } from '../../platform/shell.ts';
import { fenceArguments } from '../fence/bwrap.ts';
import type { Escape, Need } from './escape.ts';
import { GIT } from './git.ts';
import { KEYRING } from './keyring.ts';
import { OWN_GIT, OWN_GIT_NEEDS } from './own-git.ts';
import { HOST_NETWORK, NEEDS, PROCESSES } from './processes.ts';
import { READING } from './reading.ts';
import { openStage, type Stage } from './stage.ts';
import { STRICT, STRICT_NEEDS } from './strict.ts';
import { WRITING } from './writing.ts';

const GUARD: readonly Escape[] = [...READING, ...KEYRING, ...WRITING, ...GIT, ...OWN_GIT, ...PROCESSES];
const GUARD_NEEDS: readonly Need[] = [...NEEDS, ...OWN_GIT_NEEDS];

const escapesOf = (level: 'guard' | 'strict'): readonly Escape[] => (level === 'strict' ? [...GUARD, ...STRICT] : GUARD);

/** The number of tries at a level: lines of `sh`, and one that needs a terminal. */
export const countOf = (level: 'guard' | 'strict'): number => escapesOf(level).length + 1;

const needsOf = (level: 'guard' | 'strict'): readonly Need[] =>
  level === 'strict' ? [...GUARD_NEEDS.filter(({ name }) => name !== HOST_NETWORK), ...STRICT_NEEDS] : GUARD_NEEDS;

/** The result of one try. `how` tells what revealed an escape, or what went wrong with a line that must work. */
export interface Tried {
  readonly name: string;
  readonly ok: boolean;
  readonly how: string | null;
}

export interface Report {
  readonly escapes: readonly Tried[];
  readonly needs: readonly Tried[];
}

interface SuiteOptions {
  readonly level?: 'guard' | 'strict';
  /** The folder that the stage is made in. */
  readonly below?: string;
  /** Changes the argv of the fence before its start, to see what that breaks. */
  readonly argv?: (argv: readonly string[], stage: Stage) => readonly string[];
  readonly only?: (name: string) => boolean;
  /** The tries that come before the others. */
  readonly first?: (name: string) => boolean;
  /** Stops at the first unexpected result. */
  readonly untilFirst?: boolean;
}

/** Reads names of scripts and runs each of them; the answer is its name and its exit code. */
const LOOP = `while read -r name; do timeout -k 1 10 sh "$FOLDER/$name" > "$FOLDER/$name.out" 2>&1 < /dev/null; echo "$name $?"; done`;

/** The longest that a line may take inside is 11 s; a fence that is silent for longer is dead. */
const ANSWER_MS = 20_000;

/** Makes every try in one fence, one after the other, and looks outside after each. */
export async function runEscapes(options: SuiteOptions = {}): Promise<Report> {
  const level = options.level ?? 'guard';
  await using stage = await openStage(level, options.below);
  const changed = (argv: readonly string[]) => options.argv?.(argv, stage) ?? argv;
  await using fence = startFence(stage, [...stage.login, ...changed([...fenceArguments(stage.fence), 'sh', '-c', LOOP])]);
  const untilFirst = Boolean(options.untilFirst);
  const first = (name: string) => Number(options.first?.(name) ?? false);
  const wanted = <T extends { name: string }>(all: readonly T[]) =>
    all.filter(({ name }) => options.only?.(name) ?? true).toSorted((a, b) => first(b.name) - first(a.name));
  const needs = await inTurn(wanted(needsOf(level)), untilFirst, async (need) =>
    judgeNeed(need, await fence.say(need.run), stage.changes()),
  );
  if (untilFirst && needs.some(({ ok }) => !ok)) return { needs, escapes: [] };
  const escapes = await inTurn(wanted<{ name: string }>([...escapesOf(level), AT_TERMINAL]), untilFirst, async (one) => {
    if (!isLine(one)) return judgeTerminal(await typesIntoTerminal(changed(fenceArguments(stage.fence)), stage.own, stage.env));
    if (KEYRING.includes(one) && stage.login.length === 0)
      return { name: one.name, ok: true, how: 'not tried: no perl or no keyrings here' };
    const tried = judgeEscape(one, await fence.say(one.run), stage.changes(), stage.secret);
    stage.restore();
    return tried;
  });
  return { needs, escapes };
}

const TERMINAL = 'type into the terminal that the fence was started in';
const AT_TERMINAL = { name: TERMINAL };
const isLine = (one: { name: string }): one is Escape => 'run' in one;

/** A fence that runs one line after the other. It has no terminal, so that nothing is typed into that of the person who runs the suite. */
function startFence(stage: Stage, [first, ...rest]: readonly string[]) {
  const marker = `escapes-${randomUUID()}`;
  const child = spawnPiped([first!, ...rest], { cwd: '/', env: { ...stage.env, FURROW_RUN: marker }, detached: true });
  const errors: string[] = [];
  child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.once('error', (error) => errors.push(error.message));
  child.stdin!.on('error', () => {});
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async say(run: string): Promise<Said> {
      await writeFile(join(stage.folder, 'try'), run);
      child.stdin!.write('try\n');
      const answer = await Promise.race([lines.next(), setTimeout(ANSWER_MS, undefined, { ref: false })]);
      if (!answer || answer.done)
        return { code: null, output: errors.join('') || (answer ? 'the fence ended' : 'the fence does not answer') };
      const code = Number(String(answer.value).split(' ')[1]);
      return { code, output: await readFile(join(stage.folder, 'try.out'), 'latin1').catch(() => '') };
    },
    /** Ends it by the marker too: a bwrap that is killed before it has begun leaves a child that waits for ever. */
    async [Symbol.asyncDispose]() {
      await killTree({ root: child.pid === undefined ? undefined : identify(child.pid), marker }, 0);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    },
  };
}

interface Said {
  /** Null when the fence is gone. */
  readonly code: number | null;
  readonly output: string;
}

async function inTurn<T>(all: readonly T[], untilFirst: boolean, act: (one: T) => Promise<Tried>): Promise<Tried[]> {
  const found: Tried[] = [];
  for (const one of all) {
    found.push(await act(one));
    if (untilFirst && !found.at(-1)?.ok) break;
  }
  return found;
}

function judgeNeed({ name }: Need, { code, output }: Said, changes: readonly string[]): Tried {
  if (changes.length > 0) return { name, ok: false, how: `it changed ${changes.join(', ')}` };
  return { name, ok: code === 0, how: code === 0 ? null : (output.trim().split('\n').at(-1) ?? `exit ${code}`) };
}

function judgeEscape({ name, by }: Escape, { code, output }: Said, changes: readonly string[], secret: string): Tried {
  if (code === null) return { name, ok: false, how: output };
  if (changes.length > 0) return { name, ok: false, how: changes.slice(0, 3).join(', ') };
  if (output.includes(secret)) return { name, ok: false, how: 'it read a secret' };
  return by === 'done' && code === 0 ? { name, ok: false, how: 'it ended with 0' } : { name, ok: true, how: null };
}

function judgeTerminal(typed: boolean | undefined): Tried {
  return { name: TERMINAL, ok: !typed, how: typed === undefined ? 'not tried: no script, perl or stty here' : typed ? 'it typed' : null };
}

/**
 * Asks the kernel to put characters into the input of the terminal (TIOCSTI): the next program that reads there takes them for a person's.
 */
const TYPE = `perl -e 'open my $t, "+<", "/dev/tty" or exit 3; ioctl($t, 0x5412, $_) for split //, "furrow-typed\\n"'`;

/** Reads what is left in the input of the terminal, without waiting for more. */
const LEFT = 'stty -icanon -echo min 0 time 0; echo "left: $(cat)"';

/**
 * Starts a fence in a terminal of its own, as a window of tmux does, and looks at the terminal's input after the fence has ended.
 * `undefined` where the machine has no program that makes terminals.
 */
async function typesIntoTerminal(
  fence: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean | undefined> {
  const path = env['PATH'] ?? '';
  if (!['script', 'perl', 'stty'].every((program) => findOnPath(program, path))) return undefined;
  const line = `${[...fence, 'sh', '-c', TYPE].map(shellQuote).join(' ')}; ${LEFT}`;
  const done = await exec(['script', '-qefc', line, '/dev/null'], { cwd, env: { ...env, SHELL: '/bin/sh' }, timeoutMs: 15_000 });
  return /left: \S*furrow-typed/.test(done.stdout);
}
