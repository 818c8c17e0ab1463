import { deleteRefs, forgetCommits, listRefs, type RefValue } from './refs.ts';
import { git, type Repo } from './run.ts';

/** Words of git about a ref or a commit whose object is gone. */
const ABOUT_OBJECTS =
  /bad (tree )?object|failed to traverse|walk setup failed|missing (object|blob|tree|commit)|valid object|nonexistent object|invalid sha1 pointer|unable to (read|parse)|could not (read|parse)|not a valid|failed to run repack/i;

export const isAboutObjects = (error: Error): boolean =>
  ABOUT_OBJECTS.test(`${error.message} ${(error as { stderr?: string }).stderr ?? ''}`);

/** All refs that furrow has. */
export const ownRefs = async (repo: Repo): Promise<RefValue[]> => [
  ...(await listRefs(repo, 'refs/furrow/')),
  ...(await listRefs(repo, 'refs/heads/furrow/')),
];

/**
 * Those of these refs whose object is gone, asked of one git. A `git gc --prune=now` that read the refs before this one was made removes
 * the object.
 */
export async function brokenRefs<R extends RefValue>(repo: Repo, refs: readonly R[]): Promise<R[]> {
  if (refs.length === 0) return [];
  const input = `${refs.map(({ oid }) => oid).join('\n')}\n`;
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname)'], { input })).split('\n');
  return refs.filter((_, at) => lines[at]?.endsWith(' missing'));
}

/**
 * Refs that furrow makes again when it needs them: commits of checks, conflicts, former targets, helpers of later merges. The work of a
 * landing that is queued again has its own pins.
 */
const REMADE = /^refs\/furrow\/(check|conflict|seen|shadow|remote|pin\/unpublished)\//;

export const isRemade = ({ ref }: RefValue): boolean => REMADE.test(ref);

export interface Dropped {
  readonly remade: readonly RefValue[];
  /** Refs that held work whose objects are gone. */
  readonly lost: readonly RefValue[];
}

/**
 * Deletes such refs. One of them makes git fail for everybody: the person's `gc`, `fetch` and `log --all`, and our own walks over the refs.
 * It leaves the head to the code that knows the landings behind it, and the epoch to the daemon that has it.
 */
export async function dropRefs(repo: Repo, refs: readonly RefValue[]): Promise<Dropped> {
  const broken = refs.filter(({ ref }) => !/^refs\/furrow\/(head\/|epoch$)/.test(ref));
  forgetCommits();
  const gone = new Set(await deleteRefs(repo, broken));
  const [remade, lost] = [true, false].map((is) => broken.filter((one) => gone.has(one.ref) && isRemade(one) === is));
  return { remade: remade!, lost: lost! };
}
