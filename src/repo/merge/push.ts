import { findRemote, type Remote, userGit } from '../../platform/git/push.ts';
import { assertPlain, isAncestor, resolve } from '../../platform/git/refs.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { failure, type PushFailure, telling, unreachable } from './push-failure.ts';

export interface PushOrder {
  /** Name of a remote, as `git remote` lists it. */
  readonly remote: string;
  readonly target: string;
  /** The commit that the published target is at. */
  readonly commit: string;
  /** The commit at which our last push left the remote's branch; null: we never pushed it. */
  readonly expected: string | null;
  /** True if the user's `pre-push` hook runs. */
  readonly hooks?: boolean;
  readonly signal?: AbortSignal;
}

/** `at`: the commit of the remote's branch now. It may be ahead of our commit, and then contains it. */
export type Pushed = { readonly pushed: true; readonly at: string } | PushFailure;

const ASK_MS = 60_000;
const SEND_MS = 600_000;
const TRIES = 3;

/**
 * Pushes the target to the remote's branch of the same name. Never forced: the remote moves only from a value that we know to be an
 * ancestor. Two things ensure that together. `--force-with-lease` makes the remote compare and swap, but alone would let a rewrite through.
 * So we prove before that the move is a fast-forward, which stays true because both ends are commits. Safe to repeat.
 */
export async function pushTarget(repo: Repo, order: PushOrder): Promise<Pushed> {
  const found = await findRemote(repo, order.remote);
  if (typeof found === 'string') return unusable(order, found);
  if (!order.hooks && (await hasLargeFiles(repo, order.commit))) return largeFiles(order);
  for (let tries = 0; tries < TRIES; tries++) {
    const seen = await ask(repo, found, order);
    if ('pushed' in seen) return seen;
    const answer = await compare(repo, found, order, seen.at);
    if (answer === 'raced') continue;
    if (answer !== 'push') return answer;
    const sent = await send(repo, found, order, seen.at);
    if (sent !== 'raced') return sent;
  }
  return failure('trouble', `${order.remote}/${order.target} keeps moving`, `git ls-remote ${order.remote} ${order.target}`);
}

/** After a crash: does the remote have it? `unknown` when it cannot be asked; then pushing again is right, too. */
export async function probePush(repo: Repo, order: PushOrder): Promise<'done' | 'todo' | 'unknown'> {
  const found = await findRemote(repo, order.remote);
  if (typeof found === 'string') return 'unknown';
  const seen = await ask(repo, found, order);
  if ('pushed' in seen) return 'unknown';
  if (seen.at === order.commit) return 'done';
  if (seen.at === null || !(await resolve(repo, seen.at))) return 'todo';
  return (await isAncestor(repo, order.commit, seen.at)) ? 'done' : 'todo';
}

function unusable({ remote }: PushOrder, why: 'none' | 'several'): PushFailure {
  if (why === 'none') return failure('refused', `there is no remote ${remote}`, `git remote add ${remote} <address>`);
  return failure('refused', `${remote} has several push addresses; furrow pushes to one`, `git remote get-url --push --all ${remote}`);
}

/** Large files are uploaded by git-lfs's `pre-push` hook. Without it the remote would get pointers to nothing. */
async function hasLargeFiles(repo: Repo, commit: string): Promise<boolean> {
  const done = await tryGit(repo, ['grep', '-q', '-e', 'filter=lfs', commit, '--', ':(glob)**/.gitattributes']);
  return done.code === 0;
}

function largeFiles({ remote, target }: PushOrder): PushFailure {
  const reason = `${target} has files kept by git-lfs, which only its pre-push hook can upload, and hooks do not run here`;
  return failure('refused', reason, `git push ${remote} ${target}`);
}

const refOf = ({ target }: PushOrder) => `refs/heads/${target}`;
const speak = (remote: Remote, order: PushOrder, timeoutMs: number) => ({
  timeoutMs,
  config: remote.config,
  secrets: remote.secrets,
  ...(order.signal && { signal: order.signal }),
});

/** The commit of the remote's branch; null: it has no branch of that name. */
async function ask(repo: Repo, remote: Remote, order: PushOrder): Promise<{ at: string | null } | PushFailure> {
  const done = await userGit(repo, ['ls-remote', '--quiet', remote.asked, refOf(order)], speak(remote, order, ASK_MS));
  order.signal?.throwIfAborted();
  if (done.code !== 0) return unreachable(order.remote, done, `git ls-remote ${order.remote}`);
  // The pattern also matches refs that merely end like ours.
  const line = done.stdout.split('\n').find((one) => one.endsWith(`\t${refOf(order)}`));
  return { at: line?.split('\t')[0] ?? null };
}

/** Decides to push, or says why there is nothing to push, or why a push is not allowed. */
async function compare(repo: Repo, remote: Remote, order: PushOrder, at: string | null): Promise<'push' | 'raced' | Pushed> {
  const { commit, target, expected } = order;
  const name = `${order.remote}/${target}`;
  const before = expected === null ? undefined : await resolve(repo, expected);
  if (at === null) {
    if (before === undefined) return 'push';
    return failure('refused', `${name}, where furrow pushed before, was deleted`, `git push ${order.remote} ${target}`);
  }
  if (at === commit) return { pushed: true, at };
  // A commit that we do not have is no ancestor of ours. But it may contain ours, which only a fetch can tell.
  if (!(await resolve(repo, at))) {
    const missing = await fetch(repo, remote, order);
    if (missing) return missing;
    if (!(await resolve(repo, at))) return 'raced';
  }
  if (await isAncestor(repo, commit, at)) return { pushed: true, at };
  if (!(await isAncestor(repo, at, commit))) {
    const lacks = Number(await git(repo, ['rev-list', '--count', at, `^${commit}`]));
    const reason = `${name} has ${lacks} ${lacks === 1 ? 'commit' : 'commits'} that ${target} lacks; nothing is pushed until they are brought in`;
    return failure('diverged', reason, bringIn(order));
  }
  // A fast-forward, but over commits that somebody took back on purpose, unless the target gave them up too.
  const takenBack = before !== undefined && (await isAncestor(repo, before, commit)) && !(await isAncestor(repo, before, at));
  if (!takenBack) return 'push';
  const reason = `${name} was moved back behind ${before.slice(0, 8)}, which furrow had pushed; it is not pushed again unasked`;
  return failure('diverged', reason, `git push ${order.remote} ${target}`);
}

/**
 * The command line for the person that settles it: the merge is their own commit, so they push it. Each option overrides a setting that
 * would make git refuse.
 */
const bringIn = ({ remote, target }: PushOrder) =>
  `git switch ${target} && git pull --no-rebase --ff --no-edit ${remote} ${target} && git push ${remote} ${target}`;

/** Fetches the remote's branch to a ref of ours; the user's own `refs/remotes` stay as they are. */
async function fetch(repo: Repo, remote: Remote, order: PushOrder): Promise<PushFailure | undefined> {
  const ours = `refs/furrow/remote/${order.target}`;
  assertPlain(repo, ours);
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--refmap='];
  const done = await userGit(repo, ['fetch', ...quiet, remote.asked, `+${refOf(order)}:${ours}`], speak(remote, order, SEND_MS));
  order.signal?.throwIfAborted();
  return done.code === 0 ? undefined : unreachable(order.remote, done, `git fetch ${order.remote}`);
}

async function send(repo: Repo, remote: Remote, order: PushOrder, at: string | null): Promise<'raced' | Pushed> {
  const lease = `--force-with-lease=${refOf(order)}:${at ?? ''}`;
  const only = ['--porcelain', '--no-progress', '--no-follow-tags', '--recurse-submodules=no'];
  const args = ['push', ...only, lease, order.remote, `${order.commit}:${refOf(order)}`];
  const hooks = order.hooks ?? false;
  const done = await userGit(repo, args, { ...speak(remote, order, SEND_MS), hooks });
  order.signal?.throwIfAborted();
  const line = done.stdout.split('\n').find((one) => one.split('\t')[1]?.endsWith(`:${refOf(order)}`));
  const [flag, , summary = ''] = line?.split('\t') ?? [];
  if (done.code === 0 && flag !== '!') return { pushed: true, at: order.commit };
  if (hooks && line === undefined && done.stderr.includes('failed to push some refs'))
    return refused(order, 'your pre-push hook', done.stderr);
  if (flag !== '!') return unreachable(order.remote, done, `git push ${order.remote} ${order.target}`);
  // It moved after we had asked: git saw that before sending, or the remote's own compare-and-swap failed.
  if (/stale info|fetch first|non-fast-forward|failed to (update|lock)|cannot lock|incorrect old value/.test(summary)) return 'raced';
  return refused(order, summary, done.stderr);
}

function refused({ remote, target }: PushOrder, summary: string, stderr: string): PushFailure {
  const why = /\((.*)\)\s*$/.exec(summary)?.[1] ?? summary;
  const said = stderr.split('\n').some((line) => line.startsWith('remote: ')) ? `: ${telling(stderr.replace(/^error: .*$/gm, ''))}` : '';
  return failure('refused', `${remote} refuses ${target} (${why})${said}`, `git push ${remote} ${target}`);
}
