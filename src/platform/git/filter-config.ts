import { programFile } from '../program.ts';
import { shellQuote } from '../shell.ts';
import type { Setting } from './config-files.ts';

/** A filter as the user's own git would run it. */
export interface Driver {
  readonly name: string;
  /** git-lfs, by the lines that its installer writes. `skip`: it leaves pointers on checkout. */
  readonly lfs: false | { readonly skip: boolean };
  /** A checkout writes other bytes than git stores. */
  readonly rewrites: boolean;
}

type KeyValue = readonly [key: string, value: string];

/** The name may be empty: `[filter ""]` is one, and `filter=` names it. */
const KEY = /^filter\.(.*)\.(clean|smudge|process|required)$/s;

/** The standard lines that `git lfs install` writes, and no others. */
const LFS = /^git-lfs (?:clean -- %f|smudge (--skip )?-- %f|filter-process( --skip)?)$/;

/** Every filter of the configuration; of several settings of one key the last counts, as for git. */
export function driversOf(settings: readonly Pick<Setting, 'key' | 'value'>[]): Map<string, Driver> {
  const lines = new Map<string, Record<string, string>>();
  for (const { key, value } of settings) {
    const [, name, what] = KEY.exec(key) ?? [];
    if (name !== undefined && what) lines.set(name, { ...lines.get(name), [what]: value });
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

/** Settings for the only filter that a git of ours can have: the one for large files, by a program of ours. */
export function filterSettings(lfs: Driver['lfs'] | undefined, storage: string): KeyValue[] {
  if (!lfs) return [];
  const words = [process.execPath, program, storage, ...(lfs.skip ? ['--skip'] : [])];
  return [
    ['filter.lfs.process', words.map(shellQuote).join(' ')],
    ['filter.lfs.required', 'true'],
  ];
}

/** Configuration by environment: a name may hold an `=`, at which `-c` would cut it. */
export function asEnvironment(pairs: readonly KeyValue[]): Record<string, string> {
  if (pairs.length === 0) return {};
  const each = pairs.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key] as const, [`GIT_CONFIG_VALUE_${at}`, value] as const]);
  return { GIT_CONFIG_COUNT: String(pairs.length), ...Object.fromEntries(each) };
}
