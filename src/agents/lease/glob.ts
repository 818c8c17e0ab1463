import { isName } from '../../platform/glob.ts';

/** One place in a name: `some` is any number of characters, `one` is one of which nothing is known, a text is one of its characters. */
export type Atom = { readonly is: 'some' } | { readonly is: 'one' } | { readonly is: 'of'; readonly chars: string };

/** A part of a path between slashes; `rest` is any number of parts. */
export type Part = 'rest' | readonly Atom[];

const SOME: Atom = { is: 'some' };
const ONE: Atom = { is: 'one' };

/** Every path. A pattern that cannot be read exactly counts as this one: too wide a lease costs waiting, too narrow a one loses work. */
const EVERYTHING: readonly Part[] = ['rest'];

/** More alternatives than this in one pattern are not looked at one by one. */
const MOST_ALTERNATIVES = 64;

/**
 * The paths that a pattern of `matchesAny` (`src/platform/glob.ts`) matches, as alternatives; never fewer. Upper and lower case are
 * the same: on some file systems they name one file.
 */
export function readGlob(glob: string): (readonly Part[])[] {
  const text = glob.toLowerCase();
  // By its letters it also names a folder with all that is in it.
  const itself: (readonly Part[])[] = isName(text) ? [[...names(text).map((name) => [...name].map(letter)), 'rest']] : [];
  // Patterns of patterns, ranges, a parent folder: none of them is worth an exact answer.
  if (/[?*+@!]\(|(^|[/\\])\.\.([/\\]|$)/.test(text)) return [EVERYTHING];
  const expanded = expandBraces(text);
  if (expanded === undefined) return [EVERYTHING];
  return [...itself, ...expanded.map((one) => notEmpty(names(one.replaceAll('\\', '/')).map(readPart)))];
}

/** `src/**` is all that is in `src`, not `src` itself. */
const notEmpty = (parts: readonly Part[]): readonly Part[] => (parts.at(-1) === 'rest' ? [...parts.slice(0, -1), [SOME], 'rest'] : parts);

const names = (text: string) => text.split('/').filter((name) => name !== '' && name !== '.');
const letter = (char: string): Atom => ({ is: 'of', chars: char });

/** `{a,b}` taken apart, one inside the other too; `undefined` for any other use of braces. */
function expandBraces(text: string): string[] | undefined {
  let texts = [text];
  for (;;) {
    const next: string[] = [];
    let changed = false;
    for (const one of texts) {
      // The innermost first: there is no brace inside.
      const found = /(^|[^$])\{([^{}]*,[^{}]*)\}/.exec(one);
      if (!found) {
        if (/[{}]/.test(one)) return undefined;
        next.push(one);
        continue;
      }
      changed = true;
      const [whole, before = '', inside = ''] = found;
      const [head, tail] = [one.slice(0, found.index) + before, one.slice(found.index + whole.length)];
      next.push(...inside.split(',').map((choice) => head + choice + tail));
    }
    if (next.length > MOST_ALTERNATIVES) return undefined;
    if (!changed) return next;
    texts = next;
  }
}

function readPart(name: string): Part {
  if (/^\*{2,}$/.test(name)) return 'rest';
  const atoms: Atom[] = [];
  for (let at = 0; at < name.length; ) {
    const set = name[at] === '[' ? readSet(name.slice(at)) : undefined;
    const char = name[at]!;
    atoms.push(set ? set.atom : char === '*' ? SOME : char === '?' ? ONE : letter(char));
    at += set?.length ?? 1;
  }
  return atoms;
}

/** `[abc]` or `[a-z]`. Anything else stands for every possible rest of this name. */
function readSet(text: string): { readonly atom: Atom; readonly length: number } {
  const plain = /^\[([a-z0-9_.]|[a-z]-[a-z]|[0-9]-[0-9])+\]/.exec(text);
  if (!plain) return { atom: SOME, length: text.length };
  const chars = plain[0].slice(1, -1).replace(/(.)-(.)/g, (_, from: string, to: string) => between(from, to));
  // An empty range matches nothing by itself; what a program makes of it is not relied on.
  return { atom: chars === '' ? SOME : { is: 'of', chars }, length: plain[0].length };
}

function between(from: string, to: string): string {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => String.fromCharCode(first + n)).join('');
}
