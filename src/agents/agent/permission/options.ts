/**
 * The options that a program may be given, in one line of words: `-q --quiet` take no value, `-m:` any text, `-F@` the path of a
 * file to read, `--format=` a text after an equals sign, `--stat?` perhaps one, `-#` is a number like `-5`.
 */
export type Options = string;

type Takes = 'nothing' | 'text' | 'path' | 'attached' | 'perhaps';

/** The words after a program, told apart. */
export interface Given {
  /** Words that are neither options nor their values. */
  readonly words: readonly string[];
  /** Files that options name. */
  readonly paths: readonly string[];
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
}

const MARKS: Readonly<Record<string, Takes>> = { ':': 'text', '@': 'path', '=': 'attached', '?': 'perhaps' };
const tables = new Map<Options, ReadonlyMap<string, Takes>>();

function tableOf(options: Options): ReadonlyMap<string, Takes> {
  const known = tables.get(options);
  if (known) return known;
  const entries = options.split(' ').map((word): [string, Takes] => {
    const takes = MARKS[word.at(-1)!];
    return takes === undefined ? [word, 'nothing'] : [word.slice(0, -1), takes];
  });
  const table = new Map(entries);
  tables.set(options, table);
  return table;
}

/** Reads the words of a program by its options. Undefined: one of them is not listed, or might be read in another way. */
export function readGiven(args: readonly string[], options: Options): Given | undefined {
  const table = tableOf(options);
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  // A second one is a name to some programs and a separator to others.
  if (after.includes('--')) return undefined;
  const [words, found]: [string[], Found[]] = [[], []];
  for (let i = 0; i < before.length; i++) {
    const arg = before[i]!;
    if (!arg.startsWith('-')) {
      words.push(arg);
      continue;
    }
    const read = arg.startsWith('--') ? readLong(arg, table) : readShort(arg, table);
    if (read === undefined) return undefined;
    found.push(...read);
    const open = read.at(-1);
    if (open === undefined || open.value !== undefined || (open.takes !== 'text' && open.takes !== 'path')) continue;
    const value = before[++i];
    // The value may be missing, and `--` or the next option be taken for it.
    if (value === undefined || (value.startsWith('-') && !/^-\d+$/.test(value))) return undefined;
    open.value = value;
  }
  const paths = found.flatMap(({ takes, value }) => (takes === 'path' ? [value!] : []));
  return { words: [...words, ...after], paths, options: found };
}

interface Found {
  readonly name: string;
  readonly takes: Takes;
  value: string | undefined;
}

/** Spelled out only: git takes the beginning of a name for the whole, and another version may know another name. */
function readLong(arg: string, table: ReadonlyMap<string, Takes>): Found[] | undefined {
  const at = arg.indexOf('=');
  const name = at < 0 ? arg : arg.slice(0, at);
  const takes = table.get(name);
  const value = at < 0 ? undefined : arg.slice(at + 1);
  if (takes === undefined || (takes === 'nothing' && value !== undefined) || (takes === 'attached' && value === undefined))
    return undefined;
  return [{ name, takes, value }];
}

/** The letters of `-qam text`, up to the one that takes the rest of the word. */
function readShort(arg: string, table: ReadonlyMap<string, Takes>): Found[] | undefined {
  if (/^-\d+$/.test(arg) && table.has('-#')) return [];
  const found: Found[] = [];
  for (let i = 1; i < arg.length; i++) {
    const name = `-${arg[i]}`;
    const takes = table.get(name);
    if (takes === undefined) return undefined;
    if (takes === 'nothing') found.push({ name, takes, value: undefined });
    else return [...found, { name, takes, value: arg.slice(i + 1) || undefined }];
  }
  return found.length > 0 ? found : undefined;
}
