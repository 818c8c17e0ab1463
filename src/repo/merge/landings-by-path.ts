import { git, type Repo } from '../../platform/git/run.ts';
import type { ConflictFile } from './conflict.ts';
import { oneLine } from './one-line.ts';
import { tasksIn } from './trailers.ts';

interface Visit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly subject: string;
  /** `phase/id`, from the trailers. */
  readonly tasks: readonly string[];
  readonly paths: readonly string[];
}

/**
 * The landings on the head's side that touched each path. Only the first-parent chain counts, because its trailers are ours. In a landing
 * of several tasks the chain of its second parent is ours too, and tells which task it was.
 */
export async function landingsByPath(
  repo: Repo,
  base: string,
  head: string,
  paths: readonly string[],
): Promise<Map<string, ConflictFile['oursTasks']>> {
  if (paths.length === 0) return new Map();
  const chain = await walk(repo, [`^${base}`, head], paths);
  const several = chain.filter((one) => one.tasks.length > 1 && one.parents.length === 2);
  const inside = several.flatMap(({ parents }) => [`^${parents[0]}`, parents[1]!]);
  const single = chain.filter((one) => !several.includes(one));
  const visits = several.length === 0 ? single : [...single, ...(await walk(repo, [`^${base}`, ...inside], paths))];
  const found = new Map<string, { task: string; commit: string; intent: string }[]>();
  for (const { commit, subject, tasks, paths: touched } of visits) {
    for (const path of touched) {
      const named = tasks.map((task) => ({ task, commit, intent: oneLine(subject, 120) }));
      found.set(path, [...(found.get(path) ?? []), ...named]);
    }
  }
  return found;
}

const WALK = [
  '--no-show-signature',
  '--first-parent',
  '--diff-merges=first-parent',
  '--max-count=500',
  '--name-only',
  '--no-renames',
  '-z',
];
const FORMAT = '--format=%x01%H%x02%P%x02%s%x02%(trailers:only,unfold,separator=%x03)';

async function walk(repo: Repo, range: readonly string[], paths: readonly string[]): Promise<Visit[]> {
  const out = await git(repo, ['--literal-pathspecs', 'log', ...WALK, FORMAT, ...range, '--', ...paths]);
  return out
    .split('\x01')
    .slice(1)
    .map((record) => {
      const [header = '', ...touched] = record.split('\0');
      const [commit = '', parents = '', subject = '', trailers = ''] = header.split('\x02');
      const names = touched.map((name) => name.replace(/^\n/, '')).filter(Boolean);
      return {
        commit,
        parents: parents.split(' '),
        subject,
        tasks: tasksIn(trailers.replaceAll('\x03', '\n')).map(({ ref }) => ref),
        paths: names,
      };
    });
}
