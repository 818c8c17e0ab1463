import { glob, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { copyTree } from '../../platform/copy.ts';
import { FurrowError } from '../../platform/error.ts';
import { isBelow } from '../../platform/places.ts';

interface Copied {
  readonly copied: string[];
  /** Files that exist already: never overwritten. */
  readonly skipped: string[];
  /** Files behind a link that leads out of the checkout. */
  readonly refused: string[];
}

/** Copies files that git ignores (`.env`, `node_modules`) from the user's checkout into a worktree. Safe to repeat. */
export async function copyIgnored(from: string, to: string, patterns: readonly string[]): Promise<Copied> {
  const result: Copied = { copied: [], skipped: [], refused: [] };
  const [source, target] = [await realpath(from), await realpath(to)];
  for (const path of await matches(source, patterns)) {
    if (await lstat(join(target, path)).catch(() => undefined)) result.skipped.push(path);
    else if (!(await staysInside(source, path)) || !(await staysInside(target, path))) result.refused.push(path);
    else {
      await copyOne(join(source, path), join(target, path));
      result.copied.push(path);
    }
  }
  return result;
}

async function matches(root: string, patterns: readonly string[]): Promise<string[]> {
  const bad = patterns.find((pattern) => isAbsolute(pattern) || pattern.split('/').includes('..'));
  if (bad !== undefined)
    throw new FurrowError('BAD_PATTERN', `\`${bad}\` leaves the checkout`, { hint: 'worktree.copy takes paths relative to the root' });
  const found: string[] = [];
  const own = (name: string) => /^(\.git|\.furrow)(\/|$)/.test(name);
  for await (const path of glob([...patterns], { cwd: root, exclude: own }))
    if (path !== '' && path !== '.' && !own(path)) found.push(path);
  // What lies in a folder that is copied comes with it.
  return [...new Set(found)].sort().filter((path, _, all) => !all.some((other) => other !== path && isBelow(path, other)));
}

/** True when a path, with its links followed, stays below the root; parts that do not exist yet cannot lead anywhere. */
export async function staysInside(root: string, path: string): Promise<boolean> {
  for (let part = path; part !== '.' && part !== ''; part = dirname(part)) {
    if (!(await lstat(join(root, part)).catch(() => undefined))) continue;
    const real = await realpath(join(root, part)).catch(() => undefined);
    return real !== undefined && isBelow(real, root);
  }
  return true;
}

/** Copied under another name and renamed: if killed half-way, half a folder is not taken for the whole. */
async function copyOne(from: string, to: string): Promise<void> {
  const making = `${to}.furrow-copying`;
  await rm(making, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  await copyTree(from, making);
  await rename(making, to);
}

interface Template {
  readonly agent: string;
  readonly port: number;
  /** Unique among the agents of this user's farms on this machine. */
  readonly database: string;
  readonly phase: string;
  readonly index: number;
}

/** Fills `{agent}`, `{port}`, `{database}`, `{phase}`, `{index}` into a value of `worktree.env`; any other `{word}` is an error. */
export function expand(template: string, values: Template): string {
  return template.replace(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) {
      throw new FurrowError('UNKNOWN_PLACEHOLDER', `${whole} in \`${template}\` is not a known placeholder`, {
        hint: 'use {agent}, {port}, {database}, {phase} or {index}',
      });
    }
    return String(values[name as keyof Template]);
  });
}
