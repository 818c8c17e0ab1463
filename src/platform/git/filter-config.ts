import { programFile } from '../program.ts';
import { shellQuote } from '../shell.ts';

/** A filter as the user's own git would run it. */
export interface Driver {
  readonly name: string;
  /** git-lfs, by the lines that its installer writes. `skip`: it leaves pointers on checkout. */
  readonly lfs: false | { readonly skip: boolean };
  /** A checkout writes other bytes than git has. */
  readonly rewrites: boolean;
}

export type KeyValue = readonly [key: string, value: string];

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

const KEY = /^filter\.(.+)\.(clean|smudge|process|required)$/s;

/** The standard lines that `git lfs install` writes, and no others. */
const LFS = /^git-lfs (?:clean -- %f|smudge (--skip )?-- %f|filter-process( --skip)?)$/;

/** Every filter of the configuration; of several settings of one key the last counts, as for git. */
export function driversOf(settings: readonly Setting[]): Map<string, Driver> {
  const lines = new Map<string, Record<string, string>>();
  for (const { key, value } of settings) {
    const [, name, what] = KEY.exec(key) ?? [];
    if (name && what) lines.set(name, { ...lines.get(name), [what]: value });
  }
  return new Map([...lines].map(([name, line]) => [name, driver(name, line)]));
}

function driver(name: string, { process = '', smudge = '', clean = '' }: Record<string, string>): Driver {
  // With `process` set git never looks at the other two.
  const used = (process ? [process] : [smudge, clean]).filter(Boolean);
  const isLfs = name === 'lfs' && used.length > 0 && used.every((line) => LFS.test(line));
  const skip = / --skip( |$)/.test(process || smudge);
  return { name, lfs: isLfs && { skip }, rewrites: process !== '' || (smudge !== '' && smudge !== 'cat') };
}

const program = programFile('platform/lfs/main');

/**
 * Switches every filter of the repository's own configuration off, since an agent may have written it, and large files to a
 * filter of ours. Global and system configuration is not seen by git of ours in the first place.
 */
export function filterSettings(settings: readonly Setting[], drivers: ReadonlyMap<string, Driver>, storage: string): KeyValue[] {
  const local = new Set(settings.filter(({ scope }) => scope === 'local' || scope === 'worktree').map(({ key }) => KEY.exec(key)?.[1]));
  const off = [...drivers.keys()].filter((name) => local.has(name)).flatMap((name) => set(name, '', false));
  const lfs = drivers.get('lfs')?.lfs;
  if (!lfs) return off;
  const words = [process.execPath, program, storage, ...(lfs.skip ? ['--skip'] : [])];
  return [...off, ...set('lfs', words.map(shellQuote).join(' '), true)];
}

const set = (name: string, process: string, required: boolean): KeyValue[] => [
  [`filter.${name}.process`, process],
  [`filter.${name}.clean`, ''],
  [`filter.${name}.smudge`, ''],
  [`filter.${name}.required`, String(required)],
];

/** Configuration by environment: a name may hold an `=`, at which `-c` would cut it. */
export function asEnvironment(pairs: readonly KeyValue[]): Record<string, string> {
  if (pairs.length === 0) return {};
  const each = pairs.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key] as const, [`GIT_CONFIG_VALUE_${at}`, value] as const]);
  return { GIT_CONFIG_COUNT: String(pairs.length), ...Object.fromEntries(each) };
}
