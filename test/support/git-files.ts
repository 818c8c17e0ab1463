/**
 * Who of furrow reads a file below `.git`:
 * - `git`: git of ours, through its door;
 * - `furrow`: furrow itself, without a git;
 * - `nobody`: neither, so whatever is there changes nothing of what furrow does.
 */
type Reader = 'git' | 'furrow' | 'nobody';

export interface GitFile {
  /** Below the git folder. `*`: the name of the worktree of an agent at work. */
  readonly path: string;
  readonly read: readonly Reader[];
  readonly written?: true;
}

const rows = (read: readonly Reader[], written: true | undefined, paths: readonly string[]): GitFile[] =>
  paths.map((path) => ({ path, read, ...(written && { written }) }));

/** Every special file of `.git`, by who reads it and whether a git of ours writes it. The table in docs/security.md says the same in words; a test holds that it names all of them. */
export const GIT_FILES: readonly GitFile[] = [
  ...rows(['nobody'], undefined, [
    ...['info/grafts', 'objects/info/http-alternates', 'FETCH_HEAD', 'ORIG_HEAD', 'description', 'COMMIT_EDITMSG'],
  ]),
  ...rows(['furrow'], undefined, [
    ...['hooks/post-checkout', 'hooks/reference-transaction', 'modules/sub/HEAD', 'commondir', 'remotes/x', 'branches/x'],
  ]),
  ...rows(['git'], undefined, ['refs/replace/REPLACED']),
  ...rows(['furrow'], undefined, ['config', 'config.worktree', 'modules/sub/config', 'worktrees/*/config.worktree']),
  ...rows(['git', 'furrow'], true, [
    ...['HEAD', 'packed-refs', 'refs/heads/main', 'refs/heads/other', 'refs/tags/v1'],
    ...['refs/furrow/epoch', 'refs/furrow/head/main', 'refs/furrow/seen/main', 'refs/furrow/shadow/main', 'refs/furrow/check/1'],
    ...['refs/furrow/conflict/x', 'refs/furrow/remote/x', 'refs/furrow/rescue/x', 'refs/furrow/pin/default/1/1-queued-main'],
    ...['refs/heads/furrow/default/x/9', 'worktrees/1/HEAD', 'worktrees/*/HEAD'],
  ]),
  ...rows(['git'], true, ['index', 'worktrees/1/index', 'worktrees/*/index']),
  ...rows(['git'], true, [
    'logs/HEAD',
    'logs/refs/heads/main',
    'logs/refs/furrow/head/main',
    'worktrees/1/logs/HEAD',
    'worktrees/*/logs/HEAD',
  ]),
  ...rows(['git'], undefined, ['objects/info/alternates', 'shallow', 'info/exclude', 'info/attributes', 'info/sparse-checkout']),
  ...rows(['git', 'furrow'], undefined, [
    ...['gitdir', 'commondir', 'locked'].flatMap((name) => [`worktrees/1/${name}`, `worktrees/*/${name}`]),
  ]),
];

/** What can lie in the place of a file. */
export const KINDS = ['link', 'loop', 'pipe', 'device', 'symref', 'garbage', 'empty', 'huge', 'unreadable', 'folder'] as const;
export type Kind = (typeof KINDS)[number];

/** As root everything can be read; a device can be made by root only. */
export const kindsHere = (): Kind[] => KINDS.filter((kind) => kind !== (process.getuid?.() === 0 ? 'unreadable' : 'device'));

/** Lines of `sh` that put this in the place of `$F`; `secret` is a file outside the repository. */
export function planting(kind: Kind, secret: string): string {
  const made: Record<Kind, string> = {
    link: `ln -s '${secret}' "$F"`,
    loop: 'ln -s "$F" "$F"',
    pipe: 'mkfifo "$F"',
    device: 'mknod "$F" c 1 5',
    symref: `echo 'ref: refs/heads/other' > "$F"`,
    garbage: `printf 'garbage \\001\\377\\000 [more "\\n' > "$F"`,
    empty: ': > "$F"',
    huge: 'truncate -s 2200000000 "$F"',
    unreadable: 'echo unreadable > "$F"; chmod 0 "$F"',
    folder: 'mkdir "$F"; echo inner > "$F/inner"',
  };
  return `mkdir -p "$(dirname "$F")"; rm -rf "$F"; ${made[kind]}`;
}
