import type { NextStep } from '../../work/question/next-step.ts';

/** The functions of the terminal and the farm that a walk through the open questions needs. */
export interface WalkDoor<Q extends { readonly id: string }> {
  /** The open questions, the most urgent first. */
  list(): Promise<readonly Q[]>;
  stepsOf(question: Q): readonly NextStep[];
  show(question: Q, left: number, whole: boolean): void;
  say(text: string): void;
  /** One key; `undefined` when the terminal is gone. */
  key(): Promise<string | undefined>;
  /** A line of text; an empty one means that the person changed their mind. */
  line(prompt: string): Promise<string>;
  /** Runs a command of furrow. `false`: it failed, and has said why. */
  run(command: readonly string[]): Promise<boolean>;
}

/** Keys that every question has. */
const ALWAYS = '[v]iew all of it  [s]kip  [q]uit';

/**
 * Goes through the open questions one by one, asks for a key, and does what it stands for. Each comes up once: one that is still open after its
 * command counts as skipped. Answers how many were dealt with and how many skipped.
 */
export async function walk<Q extends { readonly id: string }>(door: WalkDoor<Q>): Promise<{ dealtWith: number; skipped: number }> {
  const shown = new Set<string>();
  let dealtWith = 0;
  for (;;) {
    const [question, ...behind] = (await door.list()).filter(({ id }) => !shown.has(id));
    if (!question) break;
    door.show(question, behind.length, false);
    const done = await dealWith(door, question);
    if (done === 'quit') break;
    shown.add(question.id);
    if (done === 'done' && !(await isOpen(door, question))) dealtWith++;
  }
  return { dealtWith, skipped: shown.size - dealtWith };
}

const isOpen = async <Q extends { readonly id: string }>(door: WalkDoor<Q>, { id }: Q) => (await door.list()).some((one) => one.id === id);

async function dealWith<Q extends { readonly id: string }>(door: WalkDoor<Q>, question: Q): Promise<'done' | 'skip' | 'quit'> {
  const steps = door.stepsOf(question);
  for (;;) {
    door.say([...steps.map(({ key, says }) => `[${key}] ${says}`), ALWAYS].join('  '));
    const key = await door.key();
    if (key === undefined || key === 'q') return 'quit';
    const step = steps.find((one) => one.key === key);
    if (step) {
      if ((await take(door, step)) && !step.looks) return 'done';
    } else if (key === 's') return 'skip';
    else if (key === 'v') door.show(question, 0, true);
  }
}

async function take<Q extends { readonly id: string }>(door: WalkDoor<Q>, { command, takes, says }: NextStep): Promise<boolean> {
  if (takes === null) return door.run(command);
  const text = (await door.line(`${says} (empty: not now): `)).trim();
  return text !== '' && door.run([...command, text]);
}
