import { z } from 'zod';
import { normalPattern } from '../platform/glob.ts';
import { parseDuration } from './duration.ts';

/**
 * The kinds of values a key may have. Every scalar arrives as the text that was written (so `1.10`, `007` and `check: true`
 * stay what they are), and each kind says in words what it expects: for messages and for the reference.
 */
export interface FieldMeta {
  readonly expected: string;
  readonly description?: string;
}

/** A key of the file: what it may be, and what it is for. */
export function field<T extends z.ZodType>(type: T, expected: string, description: string): T {
  return type.meta({ expected, description });
}

const expecting = <T extends z.ZodType>(expected: string, type: T): T => type.meta({ expected });

export const line = expecting('a line of text', z.string().regex(/^[^\0-\x1f\x7f]+$/));
export const word = expecting('text', z.string().regex(/^[^\0]*$/));
/** For the shell; a YAML block may give it several lines. */
export const command = expecting('a command line', z.string().regex(/^[^\0]*\S[^\0]*$/));

/** One text stands for a list of one, so that `setup: npm ci` means what it says. */
export const several = <T extends z.ZodType>(of: T, least = 0) =>
  z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(of).min(least));

export function whole(min: number, max: number) {
  const fits = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return expecting(`a whole number from ${min} to ${max}`, z.string().refine(fits).transform(Number));
}

export const amount = z
  .string()
  .refine((text) => /^\d{1,9}(\.\d+)?$/.test(text) && Number(text) > 0)
  .transform(Number);

export const yesNo = z.enum(['true', 'false']).transform((text) => text === 'true');

export const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms === undefined) context.addIssue('not a time');
  return ms ?? z.NEVER;
});

const SIZE = /^(\d{1,9})([km]?)$/i;
const MOST_BYTES = 50 * 1024 * 1024;

/** `500k`, `5m` in bytes; `undefined` for anything else, and past what is read at once. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(text.trim()) ?? [];
  const bytes = Number(digits) * ({ k: 1024, m: 1024 * 1024 }[unit.toLowerCase()] ?? 1);
  return bytes > 0 && bytes <= MOST_BYTES ? bytes : undefined;
}

/** Kept as it is written. */
export const size = z.string().refine((text) => parseSize(text) !== undefined);

const staysInside = (text: string) => normalPattern(text) !== undefined;
const within = 'a path or pattern inside the repository, without ".."';
/** A path that cannot lead out of the repository. */
export const inside = expecting(within, line.refine(staysInside));
/** The same for what paths are compared with, in its normal form. */
export const pattern = expecting(
  within,
  line.refine(staysInside).transform((text) => normalPattern(text)!),
);

const staysOutside = (text: string) => /^(\/|~\/|(\.\.\/)+)[^/]/.test(text) && !/(^|\/)\.(?!\.?\/)/.test(text.replace(/^(\.\.\/)+/, ''));
/** A path beside the repository or elsewhere. No part of it begins with a dot: test runners and bundlers pass over such folders. */
export const outside = expecting('a path outside the repository, such as ../app.furrow, without hidden folders', line.refine(staysOutside));

/** A path of the machine, not of the repository. */
export const rooted = expecting(
  'a path that begins with / or ~/',
  line.regex(/^(\/|~\/|~$)/).refine((text) => !text.split('/').includes('..')),
);

/** The rules of git that the name of a branch can break. */
export const branch = z
  .string()
  .regex(/^(?![-/.])[^\0-\x20\x7f~^:?*[\\]+$/)
  .refine((text) => !/\.\.|\/\/|\/\.|@\{|(\.lock|[/.])$/.test(text));

/** A name that is handed to an agent as one word of its command line. */
export const agentWord = z.string().regex(/^[A-Za-z0-9]\S{0,127}$/);

/** A name that the board accepts for the folder of a phase. */
export const phaseName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
export const kindName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
/** Ends up in commit trailers and file names. */
export const checkName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._:-]{0,63}$/);
export const resourceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/);

/** A process is known as ours by furrow's own variables, so nobody else may set them. */
export const variable = expecting('the name of a variable, not FURROW_…', z.string().regex(/^(?!FURROW_)[A-Za-z_][A-Za-z0-9_]*$/));
export const environment = z.record(variable, word);

const LARGE = /^(\d{1,6})([kmgt])$/i;
const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `512m`, `4g` as bytes, from a megabyte up. */
export const bytes = z.string().transform((text, context) => {
  const [, digits, unit = ''] = LARGE.exec(text.trim()) ?? [];
  const found = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (!(found >= 1024 ** 2)) context.addIssue('not a size');
  return found >= 1024 ** 2 ? found : z.NEVER;
});

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*(:[1-9]\\d{0,4})?$`, 'i');
/** A name, all names below one, or one port of a name. An IP address is not allowed: nobody can say what it leads to. */
export const hostRule = expecting(
  'the name of a host, such as registry.npmjs.org, *.example.org or example.org:8443; no address in numbers',
  z.string().refine((text) => HOST.test(text) && !/(^|\.)\d+(:\d+)?$/.test(text) && !/^localhost$/i.test(text)),
);
