import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readIfThere } from '../../platform/files.ts';
import { isBelow } from '../../platform/places.ts';
import { mayOpen } from '../../repo/fence/git-folder.ts';
import { real } from '../../repo/fence/visible-paths.ts';
import type { Brought, LaunchRequest } from './driver.ts';
import { type Fields, fields, parsed } from './drivers/json.ts';

export type Asked = Pick<LaunchRequest, 'env' | 'home' | 'root' | 'fence'>;

/** One file or folder of the person's. */
interface Part {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Parts of the person's folder of an agent, in the agent's own folder. A link of the person's is followed, unless it leads to keys or logins, to the home as
 * a whole, or into the repository: what is there could have been planted.
 */
export function bring(parts: readonly Part[], asked: Asked): Brought {
  const all = parts.map((part) => onePart(part, asked));
  return together(all);
}

export const together = (all: readonly Brought[]): Brought => ({
  mounts: all.flatMap(({ mounts }) => mounts),
  there: all.flatMap(({ there }) => there),
  leftOut: all.flatMap(({ leftOut }) => leftOut),
});

/** Parts that an agent finds at the same place as outside. */
export const atHome = (names: readonly string[], folder: string, asked: Asked): Brought =>
  bring(
    names.map((name) => ({ name, from: join(folder, name), to: join(folder, name) })),
    asked,
  );

/** The settings in a file of the person's; nothing when it cannot be read as JSON. The agent itself reads it anew. */
export async function settingsIn(file: string): Promise<Fields> {
  return parsed((await readIfThere(file).catch(() => undefined)) ?? '') ?? {};
}

/** The names of servers in settings that the agent reads as they are. */
export function serversOf(maps: readonly unknown[]): Brought {
  const names = [...new Set(maps.flatMap((one) => Object.keys(fields(one))))];
  return { ...NOTHING, there: names.length > 0 ? [`MCP servers (${names.join(', ')})`] : [] };
}

const NOTHING: Brought = { mounts: [], there: [], leftOut: [] };

function onePart({ name, from, to }: Part, asked: Asked): Brought {
  const found = real(from);
  if (found === undefined) return NOTHING;
  if (!maySee(found, asked)) return { ...NOTHING, leftOut: [`${name} (it leads to ${found})`] };
  const inside = entriesOf(found);
  const links = inside.flatMap((entry) => {
    const there = real(join(found, entry));
    return there === undefined || there === join(found, entry) ? [] : [{ entry, there }];
  });
  const [seen, hidden] = [links.filter((one) => maySee(one.there, asked)), links.filter((one) => !maySee(one.there, asked))];
  const names = inside.filter((entry) => !entry.startsWith('.') && !hidden.some((one) => one.entry === entry));
  return {
    // A link in a folder is found where it leads.
    mounts: [{ from: found, to }, ...seen.map(({ there }) => ({ from: there, to: there }))],
    there: [
      names.length === 0 || name.includes('/') ? name : `${name} (${names.map((entry) => entry.replace(/\.(md|toml)$/, '')).join(', ')})`,
    ],
    leftOut: hidden.map(({ entry, there }) => `${name}/${entry} (it leads to ${there})`),
  };
}

function maySee(path: string, { env, root }: Asked): boolean {
  const home = real(env['HOME']);
  return mayOpen(path, env) && !(home && isBelow(home, path)) && !isBelow(path, root) && !isBelow(root, path);
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

/** True for a path of the home, or of temporary files, that nothing in furrow.yaml shows. A program on the PATH is found all the same. */
export function isHidden(path: string, { env, fence }: Asked): boolean {
  const home = env['HOME'] ?? '';
  const expand = (one: string) => resolve(one.replace(/^~(?=\/|$)/, home));
  const at = expand(path);
  const shown = [...(fence?.read ?? []).map(expand), ...(env['PATH'] ?? '').split(':').filter((one) => one.startsWith('/'))];
  if (!existsSync(at) || shown.some((one) => isBelow(at, one))) return false;
  return [home, '/tmp', '/var/tmp', '/run'].some((one) => one !== '' && isBelow(at, one));
}

/** `@path` in a text for an agent names another file to read with it. */
export function importsOf(text: string, file: string, home: string): string[] {
  const plain = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...plain.matchAll(/(?:^|\s)@((?:~\/|\/|\.{0,2}\/)?[\w./-]*\w)/g)].map(([, path = '']) =>
    resolve(dirname(file), path.replace(/^~(?=\/)/, home)),
  );
}
