import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawnPiped } from '../../platform/exec.ts';
import { fenceArguments } from '../arguments.ts';
import type { Escape, Need } from './escape.ts';
import { GIT } from './git.ts';
import { HOST_NETWORK, NEEDS, PROCESSES } from './processes.ts';
import { READING } from './reading.ts';
import { openStage, type Stage } from './stage.ts';
import { STRICT, STRICT_NEEDS } from './strict.ts';
import { WRITING } from './writing.ts';

const GUARD: readonly Escape[] = [...READING, ...WRITING, ...GIT, ...PROCESSES];

/** Every way out that is tried at a level. */
export const escapesOf = (level: 'guard' | 'strict'): readonly Escape[] => (level === 'strict' ? [...GUARD, ...STRICT] : GUARD);

const needsOf = (level: 'guard' | 'strict'): readonly Need[] =>
  level === 'strict' ? [...NEEDS.filter(({ name }) => name !== HOST_NETWORK), ...STRICT_NEEDS] : NEEDS;

/** The end of one try. `how` says by what an escape was noticed, or what went wrong with something that has to work. */
export interface Tried {
  readonly name: string;
  readonly ok: boolean;
  readonly how: string | null;
}

export interface Report {
  readonly escapes: readonly Tried[];
  readonly needs: readonly Tried[];
}

export interface SuiteOptions {
  readonly level?: 'guard' | 'strict';
  /** The folder that the stage is made in. */
  readonly below?: string;
  /** Changes the argv of the fence before it is started, to see what that breaks. */
  readonly argv?: (argv: readonly string[], stage: Stage) => readonly string[];
  readonly only?: (name: string) => boolean;
  readonly cwd?: string;
  /** Ends with the first thing that is not as it should be. */
  readonly untilFirst?: boolean;
}

/** Reads names of scripts and runs each of them; the answer is its name and its exit code. */
const LOOP = `while read -r name; do cd "$OWN"; timeout -k 1 10 sh "$FOLDER/$name" > "$FOLDER/$name.out" 2>&1 < /dev/null; echo "$name $?"; done`;

/** Tries everything in one fence, one after the other, and looks outside after each. */
export async function runEscapes(options: SuiteOptions = {}): Promise<Report> {
  const level = options.level ?? 'guard';
  await using stage = await openStage(level, options.below);
  const plain = [...fenceArguments(stage.fence), 'sh', '-c', LOOP];
  const [first, ...rest] = options.argv?.(plain, stage) ?? plain;
  const child = spawnPiped([first!, ...rest], { cwd: options.cwd ?? stage.own, env: stage.env });
  const errors: string[] = [];
  child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.once('error', (error) => errors.push(error.message));
  child.stdin!.on('error', () => {});
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const say = async (run: string): Promise<Said> => {
    await writeFile(join(stage.folder, 'try'), run);
    child.stdin!.write('try\n');
    const { value, done } = await lines.next();
    if (done) return { code: null, output: errors.join('') || 'the fence ended' };
    return { code: Number(String(value).split(' ')[1]), output: await readFile(join(stage.folder, 'try.out'), 'latin1').catch(() => '') };
  };
  const wanted = <T extends Need>(all: readonly T[]) => all.filter(({ name }) => options.only?.(name) ?? true);
  try {
    const needs = await inTurn(wanted(needsOf(level)), Boolean(options.untilFirst), async (need) =>
      judgeNeed(need, await say(need.run), stage.changes()),
    );
    if (options.untilFirst && needs.some(({ ok }) => !ok)) return { needs, escapes: [] };
    const escapes = await inTurn(wanted(escapesOf(level)), Boolean(options.untilFirst), async (one) => {
      const tried = judgeEscape(one, await say(one.run), stage.changes(), stage.secret);
      stage.restore();
      return tried;
    });
    return { needs, escapes };
  } finally {
    child.stdin!.end();
    child.kill('SIGKILL');
  }
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
