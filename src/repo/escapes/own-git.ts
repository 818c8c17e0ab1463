import { changed, done, type Escape, type Need } from './escape.ts';

/** Tries on an agent's own repository: to reach the real one through it, and to replace the mounts that cover it. */
export const OWN_GIT: readonly Escape[] = [
  changed('delete objects of the repository', 'rm -rf "$GIT/furrow/objects"/??  "$GIT/furrow/objects/pack"; rm -rf "$GIT/objects"/??'),
  changed(
    'write an object of the repository',
    'for d in "$GIT/furrow/objects"/??; do echo x > "$d/planted"; done; touch "$GIT/furrow/objects/planted"',
  ),
  changed(
    'change an object under its id',
    'o=$(git rev-parse HEAD); for d in "$GIT/objects" "$GIT/furrow/objects"; do f="$d/$(echo $o | cut -c 1-2)/$(echo $o | cut -c 3-)"; chmod u+w "$f"; echo x > "$f"; mv -f tracked.txt "$f"; rm -f "$f"; done; git checkout -q tracked.txt',
  ),
  changed(
    'lead its branch to main',
    'mkdir -p "$(dirname "$GIT/refs/heads/$BRANCH")"; echo "ref: refs/heads/main" > "$GIT/refs/heads/$BRANCH"; git commit -q --allow-empty -m moved; git symbolic-ref "refs/heads/$BRANCH" refs/remotes/farm/main; git commit -q --allow-empty -m moved',
  ),
  changed(
    'leave named pipes among the branches',
    'for d in refs/heads refs/heads/furrow/p refs/remotes/farm refs/tags; do mkdir -p "$GIT/$d"; mkfifo "$GIT/$d/pipe"; done; mkfifo "$GIT/packed-refs.lock" "$ADMIN/pipe"',
  ),
  changed(
    'lead the objects of the repository elsewhere',
    'echo "$OWN" > "$GIT/furrow/objects/info/alternates"; mv "$GIT/furrow/objects/info" "$GIT/furrow/objects/old"',
  ),
  changed(
    'lead its own objects elsewhere',
    'echo "$OUT" > "$GIT/objects/info/alternates"; mv "$GIT/objects/info" "$GIT/objects/old"; git -c core.alternateRefsCommand="touch $OUT/planted" fetch -q .',
  ),
  changed(
    'move a branch of the farm',
    'git update-ref refs/remotes/farm/main HEAD; git rev-parse HEAD > "$GIT/refs/remotes/farm/main"; rm -f "$GIT/refs/remotes/farm/main"',
  ),
  changed('plant a hook in its own repository', 'echo "touch $OUT/planted" > "$GIT/hooks/post-checkout"; mv "$GIT/hooks" "$GIT/old"'),
  done(
    'rename a folder above what lies over its own repository',
    'for d in worktrees worktrees/ada worktrees/ada/modules refs refs/remotes objects objects/info furrow furrow/lfs; do mv "$GIT/$d" "$GIT/$d.old" 2>/dev/null && exit 0; done; exit 1',
  ),
  // These files cannot be opened for writing. The tries do not write, so that git works for the next try.
  ...Object.entries({
    'add a hook to its own repository': 'hooks/post-checkout',
    'add a module to its own repository': 'modules/planted',
    'add a branch of the farm': 'refs/remotes/farm/planted',
    'write which objects its own repository borrows': 'objects/info/alternates',
    'write the registration in its own repository': 'worktrees/ada/commondir',
    'write where the registration in its own repository leads': 'worktrees/ada/gitdir',
    'write the configuration of its registration': 'worktrees/ada/config.worktree',
  }).map(([name, path]) => done(name, `: >> "$GIT/${path}"`)),
  changed('replace its own configuration', 'echo "[core] x = y" > "$GIT/new"; mv -f "$GIT/new" "$GIT/config"; rm -f "$GIT/config"'),
  changed(
    'lead its own repository out by links',
    'for f in HEAD packed-refs refs logs worktrees/ada/HEAD worktrees/ada/index; do rm -rf "$GIT/$f"; ln -s "$OUT/file" "$GIT/$f"; echo x > "$GIT/$f"; done',
  ),
];

/** The work that the agent's own repository must allow. */
export const OWN_GIT_NEEDS: readonly Need[] = [
  { name: 'make tags and branches', run: 'git tag mine && git branch mine && git tag -d mine && git branch -D mine' },
  { name: 'stash', run: 'echo y >> tracked.txt && git stash -q && git stash pop -q && git checkout -q tracked.txt' },
  { name: 'see the target as it is now', run: 'git rev-parse -q --verify refs/remotes/farm/main' },
];
