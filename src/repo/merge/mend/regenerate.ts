import { lstat, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../../../platform/exec.ts';
import type { Stage } from '../../../platform/git/merge-output.ts';
import { commitTree } from '../../../platform/git/objects.ts';
import { git, type Repo } from '../../../platform/git/run.ts';
import { matchesAny } from '../../../platform/glob.ts';
import { runCommand } from '../check.ts';
import { changedFiles, type InSlot, prepareSlot, stagedFiles } from '../slot.ts';
import { hasMarkers } from './blobs.ts';
import type { RegenerateRule, Scratch } from './rules.ts';

interface RegenerateOrder {
  /** Everything is resolved except the files to make, which are as in ours. */
  readonly tree: string;
  readonly parents: readonly string[];
  readonly rules: readonly RegenerateRule[];
  readonly scratch: Scratch;
}

type Regenerated = { readonly files: ReadonlyMap<string, Stage> } | { readonly reason: string };

const FURROW = { name: 'furrow', email: 'furrow@localhost' };

/**
 * Runs each rule's command on a checkout of the tree and takes the files that it declares. A command that fails, or changes any other
 * tracked file, gives no result. Trouble of the machine is thrown, to be tried again.
 */
export async function regenerate(repo: Repo, order: RegenerateOrder, signal: AbortSignal): Promise<Regenerated> {
  const { tree, parents, rules, scratch } = order;
  const commit = await commitTree(repo, { tree, parents, message: 'to regenerate files in\n', author: FURROW, committer: FURROW, at: 0 });
  const inside = await prepareSlot(repo, scratch.path, commit);
  for (const rule of rules) {
    const failed = failure(await runCommand(scratch, { ...rule, name: rule.run, env: scratch.env, log: scratch.log }, signal), rule);
    if (failed) return { reason: failed };
  }
  const declared = rules.flatMap((rule) => rule.paths);
  if ((await git(repo, ['rev-parse', 'HEAD'], inside)) !== commit) return { reason: `\`${runs(rules)}\` moved to another commit` };
  const changed = await changedFiles(repo, inside);
  const stray = [...changed, ...(await stagedFiles(repo, inside))].filter((path) => !matchesAny(path, declared));
  if (stray.length > 0) return { reason: `\`${runs(rules)}\` changed ${some(stray)} too, which it does not declare` };
  return take(repo, inside, { slot: scratch.path, tree, paths: changed });
}

function failure(done: Finished, rule: RegenerateRule): string | undefined {
  if (done.timedOut) return `\`${rule.run}\` timed out`;
  if (done.code === 0) return undefined;
  // SIGKILL that is not ours is the kernel short of memory; 137 is the same seen through a shell or a jail.
  if (done.signal === 'SIGKILL' || done.code === 137) throw new Error(`\`${rule.run}\` was killed, perhaps for lack of memory`);
  return `\`${rule.run}\` failed: ${done.signal ? `ended by ${done.signal}` : `exit ${done.code}`}`;
}

async function take(
  repo: Repo,
  inside: InSlot,
  { slot, tree, paths }: { slot: string; tree: string; paths: readonly string[] },
): Promise<Regenerated> {
  const root = await realpath(slot);
  const files = new Map<string, Stage>();
  for (const path of paths) {
    const mode = /^100\d+/.exec(await git(repo, ['--literal-pathspecs', 'ls-tree', '-z', tree, '--', path]))?.[0];
    const file = join(root, path);
    // The command ran code of agents: a link in the file's place would bring an outside file into a commit.
    const plain = (await realpath(file).catch(() => undefined)) === file && (await lstat(file)).isFile();
    if (!mode || !plain) return { reason: `${path} is not a plain file of the repository after it was regenerated` };
    const bytes = await readFile(file);
    if (hasMarkers(bytes)) return { reason: `${path} has conflict markers after it was regenerated` };
    // By its path, so that line endings are stored as the attributes say.
    files.set(path, { mode, oid: await git(repo, ['hash-object', '-w', '--stdin', `--path=${path}`], { ...inside, input: bytes }) });
  }
  return { files };
}

const runs = (rules: readonly RegenerateRule[]) => rules.map((rule) => rule.run).join('; ');

function some(paths: readonly string[]): string {
  return `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`;
}
