import type { Line } from './line.ts';

/** The lines that changed since the person agreed. */
export interface Difference {
  readonly added: readonly Line[];
  readonly changed: readonly (Line & { readonly before: string })[];
  /** Removed since then; that needs no permission. */
  readonly gone: readonly Line[];
}

export function differenceOf(trusted: readonly Line[], now: readonly Line[]): Difference {
  const before = new Map(trusted.map((line) => [line.name, line]));
  const names = new Set(now.map((line) => line.name));
  return {
    added: now.filter(({ name }) => !before.has(name)),
    changed: now.flatMap((line) => {
      const was = before.get(line.name);
      return was && was.text !== line.text ? [{ ...line, before: was.text }] : [];
    }),
    gone: trusted.filter(({ name }) => !names.has(name)),
  };
}

/** Every line of now was agreed to, word for word. */
export const isCovered = ({ added, changed }: Difference): boolean => added.length === 0 && changed.length === 0;

/** In one sentence: the first thing that is new, and how many more. */
export function differenceText({ added, changed }: Difference): string {
  const [change] = changed;
  const [more] = added;
  const count = added.length + changed.length - 1;
  const first = change ? `${change.name} was ${change.before} and is ${change.text}` : more && `${more.name} is new: ${more.text}`;
  return `${first ?? 'nothing changed'}${count > 0 ? ` (and ${count} more)` : ''}`;
}
