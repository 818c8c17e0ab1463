import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../platform/places.ts';

/** Every file outside by its path: kind, mode, time and content. */
type Seen = ReadonlyMap<string, string>;

/** Looks at all files below these paths, except where an agent may write; the `fixed` files there are looked at too. */
export function lookOutside(paths: readonly string[], allowed: readonly string[], fixed: readonly string[]): Seen {
  const seen = new Map<string, string>();
  const walk = (path: string) => {
    if (allowed.some((folder) => isBelow(path, folder))) return;
    const fingerprint = fingerprintOf(path);
    if (fingerprint === undefined) return;
    seen.set(path, fingerprint);
    if (fingerprint.startsWith('folder')) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const path of paths) walk(path);
  for (const path of fixed) seen.set(path, fingerprintOf(path) ?? 'gone');
  return seen;
}

function fingerprintOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isDirectory()) return `folder ${mode}`;
  if (found.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return found.isFile() ? `file ${mode} ${found.mtimeMs} ${readFileSync(path, 'latin1')}` : `other ${mode}`;
}

/** The paths that changed. */
export function differences(before: Seen, after: Seen): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();
}
