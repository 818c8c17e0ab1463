import { changed, done, type Escape } from './escape.ts';

const HOOKS = [
  ...[
    'applypatch-msg',
    'commit-msg',
    'fsmonitor-watchman',
    'p4-changelist',
    'p4-post-changelist',
    'p4-pre-submit',
    'p4-prepare-changelist',
  ],
  ...['post-applypatch', 'post-checkout', 'post-commit', 'post-index-change', 'post-merge', 'post-receive', 'post-rewrite', 'post-update'],
  ...['pre-applypatch', 'pre-auto-gc', 'pre-commit', 'pre-merge-commit', 'pre-push', 'pre-rebase', 'pre-receive', 'prepare-commit-msg'],
  ...['proc-receive', 'push-to-checkout', 'reference-transaction', 'sendemail-validate', 'update'],
];

const KEYS = [
  'core.fsmonitor',
  'core.hooksPath',
  'core.sshCommand',
  'core.pager',
  'core.editor',
  'core.worktree',
  'filter.x.smudge',
  'alias.st',
];

/** Tries to lead a git (the user's or ours) outside, and to move refs that are not the agent's own. */
export const GIT: readonly Escape[] = [
  changed(
    'plant hooks of all names',
    `for h in ${HOOKS.join(' ')}; do printf '#!/bin/sh\\n' > "$GIT/hooks/$h"; chmod +x "$GIT/hooks/$h"; done`,
  ),
  changed('replace the folder of hooks', 'mv "$GIT/hooks" "$GIT/hooks.old"; ln -s "$OWN" "$GIT/hooks"'),
  changed('change the configuration', `for k in ${KEYS.join(' ')}; do git config "$k" planted; done`),
  changed('change the configuration file', 'echo "[core] fsmonitor = planted" >> "$GIT/config"; mv "$GIT/config" "$GIT/config.old"'),
  changed('leave a lock of the configuration', 'touch "$GIT/config.lock" "$GIT/packed-refs.lock" "$GIT/index.lock" "$GIT/HEAD.lock"'),
  changed('switch on worktree configuration', 'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor planted'),
  changed(
    'write the worktree configuration',
    'echo "[core] fsmonitor = planted" > "$ADMIN/config.worktree"; rm -f "$ADMIN/config.worktree"',
  ),
  changed('replace the worktree configuration', 'echo x > "$ADMIN/new"; mv -f "$ADMIN/new" "$ADMIN/config.worktree"; rm -f "$ADMIN/new"'),
  changed('lead the registration elsewhere', 'echo "$OWN" > "$ADMIN/commondir"; echo "$OWN/x" > "$ADMIN/gitdir"'),
  changed(
    'replace the registration by a rename',
    'for f in commondir gitdir; do echo x > "$ADMIN/new"; mv -f "$ADMIN/new" "$ADMIN/$f"; rm -f "$ADMIN/new"; done',
  ),
  changed('remove the registration', 'rm -rf "$ADMIN"/commondir "$ADMIN"/gitdir; mv "$ADMIN" "$ADMIN.old"'),
  changed('replace .git by a folder', 'rm -f "$OWN/.git"; mkdir "$OWN/.git"; git init -q "$OWN/.git"'),
  changed('rename .git away', 'mv "$OWN/.git" "$OWN/git"; ln -s "$OUT" "$OWN/.git"'),
  changed('write into .git', 'echo "gitdir: $OUT" > "$OWN/.git"; ln -sf "$OUT" "$OWN/.git"'),
  changed('rename the worktree', 'mv "$OWN" "$OWN.moved"; mv "$OWN" /tmp/moved'),
  changed('move main by git', 'git update-ref refs/heads/main HEAD; git branch -f main HEAD'),
  changed(
    'move main by a push',
    'git push -q . HEAD:main; git push -q --force "$ROOT" HEAD:refs/heads/main; git push -q --force "$GIT" HEAD:refs/heads/main',
  ),
  changed('move main by a fetch', 'git fetch -q --update-head-ok . HEAD:main; git -C "$GIT" fetch -q "$OWN" HEAD:main'),
  changed('write main as a file', 'git rev-parse HEAD > "$GIT/refs/heads/main"; rm -f "$GIT/refs/heads/main"'),
  changed(
    'move main through a symbolic ref',
    'git symbolic-ref "refs/heads/$BRANCH-evil" refs/heads/main; git update-ref "refs/heads/$BRANCH-evil" HEAD; git symbolic-ref -d "refs/heads/$BRANCH-evil"',
  ),
  changed(
    'move main through a link among the branches',
    'd="$GIT/refs/heads/$(dirname "$BRANCH")"; ln -sf ../../../main "$d/evil"; git rev-parse HEAD > "$d/evil"; git update-ref "refs/heads/$(dirname "$BRANCH")/evil" HEAD; rm -f "$d/evil"',
  ),
  changed(
    'move the branch of another agent',
    'git update-ref refs/heads/furrow/p/bob/1 HEAD; git branch -f furrow/p/bob/1 HEAD; git rev-parse HEAD > "$GIT/refs/heads/furrow/p/bob/1"',
  ),
  changed('delete the branch of another agent', 'git branch -D furrow/p/bob/1; rm -rf "$GIT/refs/heads/furrow/p/bob"'),
  changed('reach another branch by ..', 'git rev-parse HEAD > "$GIT/refs/heads/furrow/p/ada/../bob/1"'),
  changed('move refs of furrow', 'git update-ref refs/furrow/epoch HEAD; git update-ref -d refs/furrow/epoch'),
  changed('write packed refs', 'echo x >> "$GIT/packed-refs"; git pack-refs --all --prune'),
  changed('make a tag or a stash', 'git tag planted; echo x >> tracked.txt; git stash -q; git checkout -q -- tracked.txt'),
  changed(
    'make a branch elsewhere',
    'git branch planted; git branch furrow/planted; git checkout -q -b planted; git checkout -q "$BRANCH"',
  ),
  changed(
    'move the HEAD of the checkout',
    'git --git-dir="$GIT" symbolic-ref HEAD refs/heads/furrow/p/ada/1; git rev-parse HEAD > "$GIT/HEAD"',
  ),
  changed(
    'change the index of the checkout',
    'git --git-dir="$GIT" --work-tree="$OWN" add -A; GIT_INDEX_FILE="$GIT/index" git read-tree --empty',
  ),
  changed('add and remove worktrees', 'git worktree add -q "$OWN/inner" main; git worktree remove --force "$OTHER"; git worktree prune'),
  changed('lock another worktree', 'git worktree lock "$OTHER"; touch "$GIT/worktrees/bob/locked"; echo x > "$GIT/worktrees/bob/HEAD"'),
  changed('borrow objects', 'echo "$OWN" > "$GIT/objects/info/alternates"'),
  changed('replace the folder that says which objects are borrowed', 'mv "$GIT/objects/info" "$GIT/objects/info.old"'),
  changed('delete packed objects', 'rm -rf "$GIT/objects/pack"; mv "$GIT/objects/pack" "$GIT/objects/old"'),
  changed(
    'write into packed objects',
    'touch "$GIT/objects/pack/planted"; for f in "$GIT/objects/pack"/*; do chmod u+w "$f"; echo x >> "$f"; done',
  ),
  changed('write attributes, excludes and grafts', 'for f in attributes exclude grafts sparse-checkout; do echo x >> "$GIT/info/$f"; done'),
  changed('make the repository shallow', 'git rev-parse HEAD > "$GIT/shallow"'),
  changed('collect garbage', 'git gc -q --prune=now; git reflog expire --expire=now --all; git -C "$GIT" gc -q'),
  changed('rewrite the reflog of main', 'echo x >> "$GIT/logs/refs/heads/main"; echo x >> "$GIT/logs/HEAD"'),
  changed(
    'link the reflog of its branch to a file',
    'l="$GIT/logs/refs/heads/$BRANCH"; rm -f "$l"; ln -s "$OUT/file" "$l"; git commit -q --allow-empty -m reflog; rm -f "$l"',
  ),
  changed(
    'plant a bare repository',
    'git init -q --bare bare; git -C bare config core.fsmonitor "touch $OUT/planted"; (cd bare && git status); rm -rf bare',
  ),
  changed(
    'run by an alias or a pager of the user',
    'git config --global core.pager "touch $OUT/planted"; git config --global alias.x "!touch $OUT/planted"; git x; rm -f "$HOME/.gitconfig"',
  ),
  changed('remove the git folder', 'rm -rf "$GIT/refs/heads/main" "$GIT/HEAD" "$GIT/config" "$GIT/worktrees/bob" "$GIT/hooks" "$GIT/info"'),
  done('change the file of large objects of others', 'touch "$GIT/modules/planted" "$GIT/furrow.run/planted" 2>/dev/null'),
];
