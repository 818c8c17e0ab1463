import type { NextStep } from '../question/next-step.ts';

/** The doors to the terminal and the farm that a walk through the open questions needs. */
export interface WalkDoor<Q extends { readonly id: string }> {
  /** The open questions, the most urgent first. */
  list(): Promise<readonly Q[]>;
  stepsOf(question: Q): readonly NextStep[];
  show(question: Q, left: number, whole: boolean): void;
  say(text: string): void;
  /** One key; `undefined` when the terminal is gone. */
  key(): Promise<string | undefined>;
  /** A line of text; an empty one means that the person thought better of it. */
  line(prompt: string): Promise<string>;
  /** Runs a command of furrow. `false`: it failed, and has said why. */
  run(command: readonly string[]): Promise<boolean>;
}

/** Keys that every question has. */
const ALWAYS = '[v]iew all of it  [s]kip  [q]uit';

/** Goes through the open questions one by one, asks for a key, and does what it stands for. Answers how many were dealt with and how many skipped. */
export async function walk<Q extends { readonly id: string }>(door: WalkDoor<Q>): Promise<{ dealtWith: number; skipped: number }> {
  const skipped = new Set<string>();
  let dealtWith = 0;
  for (;;) {
    const open = (await door.list()).filter(({ id }) => !skipped.has(id));
    const [question] = open;
    if (!question) return { dealtWith, skipped: skipped.size };
    door.show(question, open.length - 1, false);
    const done = await dealWith(door, question);
    if (done === 'quit') return { dealtWith, skipped: skipped.size };
    // What is still in the list after its command ran would come up again and again.
    skipped.add(question.id);
    if (done === 'done') {
      skipped.delete(question.id);
      if ((await door.list()).some(({ id }) => id === question.id)) skipped.add(question.id);
      else dealtWith++;
    }
  }
}

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
