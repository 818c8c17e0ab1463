import { setImmediate as nextTick } from 'node:timers/promises';
import { treesOf } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { type Change, changes, type Step } from '../merge/changes.ts';
import type { ContentIssue } from './content-issue.ts';
import { type Content, lookThrough } from './contents.ts';
import { keysIn, masked } from './keys.ts';
import { withoutKeys } from './words.ts';

/** The paths that a step changes, and the findings in their content. */
export interface Reading {
  readonly paths: readonly string[];
  readonly found: readonly ContentIssue[];
}

/** The most findings that are kept of one step. */
const MOST = 50;

const isFile = ({ mode }: { readonly mode: string }) => mode.startsWith('100');
const isLink = ({ mode }: { readonly mode: string }) => mode === '120000';
const isPackage = (path: string) => /(^|\/)package\.json$/i.test(path);

/**
 * Reads any number of steps with a few gits. Only additions count: a blob or a key that the target already has, under any name, is no
 * finding. `limit`: files with more bytes are large.
 */
export async function readSteps(repo: Repo, steps: readonly Step[], limit: number): Promise<Reading[]> {
  const trees = await treesOf(
    repo,
    steps.flatMap(({ before, after }) => [before, after]),
  );
  const all = await changes(
    repo,
    steps.map((_, at) => ({ before: trees[2 * at]!, after: trees[2 * at + 1]! })),
  );
  const fresh = all.map(freshFiles);
  const texts = new Set(all.flat().flatMap((one) => (isPackage(one.path) ? [one.oid, one.old.oid] : [])));
  const wanted = { below: limit, texts };
  const now = await lookThrough(repo, [...new Set(fresh.flat().map(({ oid }) => oid))], wanted);
  const told = fresh.map((files) => files.some((file) => isPackage(file.path) || isSuspicious(now.get(file.oid), limit)));
  const old = all.flatMap((list, at) => (told[at] ? list.filter(({ status, old }) => status !== 'A' && (isFile(old) || isLink(old))) : []));
  const before = await lookThrough(repo, [...new Set(old.map((one) => one.old.oid))], wanted);
  return Promise.all(
    all.map(async (list, at) => {
      const isTold = told[at] || fresh[at]!.some(({ oid }) => !now.has(oid));
      const found = isTold ? findings(fresh[at]!, { now, before, limit, list }) : [];
      const paths = list.filter(({ mode }) => mode !== '040000').map(({ path }) => path);
      return { paths, found: [...(await ofNames(list)), ...(await withoutKeysInPaths(found))].slice(0, MOST) };
    }),
  );
}

/** Finds keys in new names. A name that existed before anywhere is no finding. */
async function ofNames(list: readonly Change[]): Promise<ContentIssue[]> {
  const fresh = list.filter(({ status, mode }) => status === 'A' && mode !== '040000');
  // One search over all names; a search of each only where that finds something.
  if ((await keysIn(fresh.map(({ path }) => path).join('\n'), nextTick)).length === 0) return [];
  const found: ContentIssue[] = [];
  for (const { path } of fresh) {
    const { shown, keys } = await withoutKeys(path);
    found.push(...keys.map((key) => ({ is: 'named' as const, path: shown, by: 'name' as const, ...key })));
  }
  return found;
}

const withoutKeysInPaths = (found: readonly ContentIssue[]): Promise<ContentIssue[]> =>
  Promise.all(found.map(async (one) => ('path' in one ? { ...one, path: (await withoutKeys(one.path)).shown } : one)));

/** The files whose content was at none of the changed paths before; a renamed file is not among them. */
function freshFiles(list: readonly Change[]): Change[] {
  const known = new Set(list.flatMap(({ old }) => old.oid));
  return list.filter((one) => one.status !== 'D' && (isFile(one) || isLink(one)) && !known.has(one.oid));
}

const isSuspicious = (content: Content | undefined, limit: number) =>
  content !== undefined && (content.binary || content.keys.length > 0 || content.bytes > limit);

interface Looked {
  readonly now: ReadonlyMap<string, Content>;
  readonly before: ReadonlyMap<string, Content>;
  readonly limit: number;
  readonly list: readonly Change[];
}

function findings(files: readonly Change[], looked: Looked): ContentIssue[] {
  const { now, before, list } = looked;
  const values = new Set(list.flatMap(({ old }) => (before.get(old.oid)?.keys ?? []).map(({ value }) => value)));
  const unread = files.filter(({ oid }) => !now.has(oid));
  const found = files.flatMap((file) => [
    ...ofContent(file, looked),
    ...ofKeys(file, now.get(file.oid), values),
    ...ofScripts(file, looked),
  ]);
  const rest: ContentIssue[] = unread.length === 0 ? [] : [{ is: 'unread', path: unread[0]!.path, files: unread.length }];
  return [...rest, ...found].slice(0, MOST);
}

/** A file that was as large, or binary, before is no finding. */
function ofContent({ path, oid, old, mode }: Change, { now, before, limit }: Looked): ContentIssue[] {
  if (isLink({ mode })) return [];
  const [content, earlier] = [now.get(oid), before.get(old.oid)];
  if (!content) return [];
  if (content.bytes > limit) return (earlier?.bytes ?? 0) > limit ? [] : [{ is: 'large', path, bytes: content.bytes }];
  return content.binary && !earlier?.binary ? [{ is: 'binary', path, bytes: content.bytes }] : [];
}

function ofKeys({ path, mode }: Change, content: Content | undefined, known: ReadonlySet<string>): ContentIssue[] {
  const fresh = (content?.keys ?? []).filter(({ value }) => !known.has(value));
  if (isLink({ mode })) return fresh.map(({ name, value }) => ({ is: 'named', path, by: 'link', name, shown: masked(value) }));
  return fresh.map(({ line, name, value }) => ({ is: 'key', path, line, name, shown: masked(value) }));
}

function ofScripts({ path, oid, old, status }: Change, { now, before }: Looked): ContentIssue[] {
  const text = now.get(oid)?.text;
  if (!isPackage(path) || text === undefined) return [];
  const names = changedScripts(path, status === 'A' ? undefined : before.get(old.oid)?.text, text);
  return names.length === 0 ? [] : [{ is: 'scripts', path, names: names.slice(0, 5) }];
}

/** Scripts that a package manager runs by itself. */
const BY_ITSELF = /^(pre|post)?(install|prepare|prepack|pack|publish|prepublish|prepublishOnly|uninstall)$/;

/** Other parts of a package.json that hold commands. */
const WITH_COMMANDS = ['husky', 'simple-git-hooks', 'lint-staged', 'pre-commit', 'gitHooks'];

/**
 * The names of the scripts and hooks that differ between two versions of a package.json. Versions of dependencies do not count. A new
 * package below the root naturally has scripts of its own: there only scripts that run by themselves count.
 */
function changedScripts(path: string, before: string | undefined, after: string): string[] {
  const [old, now] = [commandsOf(before ?? '{}'), commandsOf(after)];
  if (!now) return ['(it is not JSON)'];
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now)])];
  const changed = names.filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now[name]));
  const isNew = before === undefined && path.includes('/');
  return isNew ? changed.filter((name) => BY_ITSELF.test(name) || WITH_COMMANDS.includes(name)) : changed;
}

function commandsOf(text: string): Record<string, unknown> | undefined {
  try {
    const file = asMap(JSON.parse(text.replace(/^\ufeff/, '')));
    const more = WITH_COMMANDS.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]] as const]));
    return { ...asMap(file['scripts']), ...Object.fromEntries(more) };
  } catch {
    return undefined;
  }
}

const asMap = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
