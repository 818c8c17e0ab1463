import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { faultPoint } from '../../platform/fault.ts';
import { readIfThere, syncFolder, writeWhole } from '../../platform/files.ts';
import { remove } from '../../platform/git/trash.ts';

/** The files that set-up made for a key, to be cloned. Nothing writes to it once it has its name. */
interface Template {
  /** Different for every build, even of the same key. */
  readonly id: string;
  readonly key: string;
  /** The tree that it was made from. */
  readonly tree: string;
  /** It is right only for that tree: part of it may come from the project's own sources. */
  readonly exact: boolean;
  /** The folder in which set-up ran; the files of `rewrite` name it. */
  readonly place: string;
  /** Paths that set-up made, folders collapsed. */
  readonly paths: readonly string[];
  /** Text files, and symbolic links, that name `place`. */
  readonly rewrite: readonly string[];
  /** Commands that made nothing in the tree: they run in every worktree, and in a slot before each check. */
  readonly each: readonly string[];
  /** Remarks for a person. */
  readonly notes: readonly string[];
  readonly seconds: number;
}

export interface Found extends Template {
  readonly folder: string;
}

const DESCRIPTION = 'template.json';

/** The folder of a template that holds its paths. */
export const filesOf = (folder: string) => join(folder, 'files');

const nameOf = (key: string, tree: string, exact: boolean) => (exact ? `${key}-${tree.slice(0, 16)}` : key);

/** The template for a key; an `exact` one only for its own tree. */
export async function findTemplate(templates: string, key: string, tree: string): Promise<Found | undefined> {
  return (await readTemplate(join(templates, nameOf(key, tree, false)))) ?? readTemplate(join(templates, nameOf(key, tree, true)));
}

async function readTemplate(folder: string): Promise<Found | undefined> {
  const text = await readIfThere(join(folder, DESCRIPTION));
  return text === undefined ? undefined : { ...(JSON.parse(text) as Template), folder };
}

/** A folder to build a template in. It has no description yet, so nobody takes it for a template. */
export async function newTemplate(templates: string): Promise<string> {
  const folder = join(templates, `making-${process.pid}-${Date.now()}-${count++}`);
  await mkdir(filesOf(folder), { recursive: true, mode: 0o700 });
  return folder;
}
let count = 0;

/** Gives a template its name. If killed before, it counts as unfinished and nobody uses it; after, it is complete. */
export async function publishTemplate(templates: string, making: string, made: Omit<Template, 'id'>): Promise<Found> {
  const template = { id: basename(making), ...made };
  await writeWhole(join(making, DESCRIPTION), `${JSON.stringify(template)}\n`);
  await faultPoint('setup.made');
  const folder = join(templates, nameOf(template.key, template.tree, template.exact));
  // A folder without a description is no template that anybody could use.
  if (!(await readTemplate(folder))) await remove(folder);
  await rename(making, folder);
  await syncFolder(templates);
  return { ...template, folder };
}

/** Notes that a template was used now, by the time of its description. */
export async function noteUse(folder: string, now: number): Promise<void> {
  await utimes(join(folder, DESCRIPTION), now / 1000, now / 1000).catch(() => {});
}

interface Kept {
  readonly folder: string;
  /** When it was last used. */
  readonly used: number;
}

/** Every whole template, the one used last first. */
export async function listTemplates(templates: string): Promise<Kept[]> {
  const found: Kept[] = [];
  for (const name of await readdir(templates).catch(() => [])) {
    const used = name.startsWith('making-') ? undefined : await stat(join(templates, name, DESCRIPTION)).catch(() => undefined);
    if (used) found.push({ folder: join(templates, name), used: used.mtimeMs });
  }
  return found.toSorted((a, b) => b.used - a.used);
}

/** Folders that a killed daemon left: half-made templates, half-copied clones. */
export async function leftOvers(templates: string): Promise<string[]> {
  const own = new RegExp(`^(making|cloning)-${process.pid}-`);
  const names = (await readdir(templates).catch(() => [])).filter((name) => /^(making|cloning)-/.test(name) && !own.test(name));
  return names.map((name) => join(templates, name));
}

const DAY = 24 * 3600_000;
/** Bounds on kept templates: the age of an unused one, and the least and the most that are kept. Each may take gigabytes. */
const KEPT = { ms: 7 * DAY, least: 2, most: 8 };

/** The templates to remove: old ones, and those beyond the newest few. Pure. */
export function retired(all: readonly Kept[], now: number, inUse: ReadonlySet<string>, keep = KEPT): Kept[] {
  return all.filter(({ folder, used }, rank) => {
    if (inUse.has(basename(folder))) return false;
    return rank >= keep.most || (rank >= keep.least && now - used > keep.ms);
  });
}

/** For a person who tidies up: only the template used last stays. */
export const TIDY: typeof KEPT = { ms: 0, least: 1, most: 1 };
