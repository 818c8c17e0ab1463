import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/agent/permission/decide.ts';
import type { Look } from '../../../src/agent/permission/path.ts';
import { NO_HOOKS, type Policy } from '../../../src/agent/permission/policy.ts';

const worktree = '/home/dev/repo.furrow/worktrees/default/ada';
const policy: Policy = { mode: 'act', rules: [], checks: ['npm test'], protect: ['board'], leases: [] };
const look: Look = { real: posix.normalize, list: () => [] };
const verdict = (command: string) =>
  decide({ tool: { name: 'Bash', action: 'run', command, paths: [], input: {} }, worktree, look, hooks: NO_HOOKS }, policy);

/** Lines that agents write every day. A rule that asks for one of them stops a farm at night. */
const DAILY = [
  'git status',
  'git status --short',
  'git status -sb',
  'git --no-pager log --oneline -5',
  'git log --oneline -5',
  'git log -1 --stat',
  'git log --oneline main..HEAD',
  'git log -n 3 --format="%h %s"',
  'git log --pretty=format:"%h %an %s" --since=yesterday -- src',
  'git diff',
  'git diff --stat HEAD~1',
  'git diff --cached',
  'git diff --name-only main...HEAD',
  'git diff HEAD -- src/a.ts',
  'git show HEAD',
  'git show HEAD~2:src/a.ts',
  'git show --stat --oneline HEAD^',
  'git add -A',
  'git add .',
  'git add src/a.ts test/a.test.ts',
  'git commit -m "Fix the parser"',
  "git commit -am 'Fix: a; b && c'",
  'git commit -m "Add a test" -m "It was red before!"',
  'git commit --amend --no-edit',
  'git add -A && git commit -q -m "Done" && git status --short',
  'git branch --show-current',
  'git rev-parse HEAD',
  'git rev-parse --abbrev-ref HEAD',
  'git merge-base main HEAD',
  'git ls-files src | head -50',
  'git blame -L 10,20 src/a.ts',
  'git merge main --no-edit',
  'ls',
  'ls -la src',
  'ls src/*.ts',
  'cat package.json',
  'cat src/a.ts | head -40',
  'head -n 50 src/a.ts',
  'tail -n +20 src/a.ts',
  'tail -20 build.log',
  "sed -n '1,80p' src/a.ts",
  'wc -l src/a.ts',
  'grep -rn "foo" src',
  "grep -rn --include='*.ts' 'a|b' src test | sort | uniq -c",
  'grep -n -A 3 -B 3 "function x" src/a.ts',
  'rg -n "foo" src',
  "rg --files -g '*.ts' | wc -l",
  "find src -name '*.ts' -not -path '*/x/*' -type f",
  'mkdir -p src/new',
  'touch src/new/a.ts',
  'npm test',
  'npm test 2>&1 | tail -20',
  'echo "done" > notes.txt',
  'furrow progress "half way"',
  'furrow done --summary "all of it"',
  'pwd && ls -1',
];

/** Each of these does more than it seems to. */
const ATTACKS = [
  'git log --o*/path',
  'git log --grep -- --output=.git/x',
  'git log --author -- --output=.git/hooks/pre-commit',
  'git log -S -- --output=x',
  'git diff -O -- x',
  'git diff --output=x',
  'git diff --outpu=x',
  'git diff -- a -- --output=x',
  'git log --format=%G? -1',
  'git log --show-signature',
  'git grep -O./x y',
  'git commit --fixup=amend:HEAD',
  'git commit -m x --trailer a=b',
  'git branch new',
  'git add --pathspec-from-file=/etc/passwd',
  'git blame --contents /etc/passwd a',
  'git ls-files -X/etc/passwd -o',
  'git show --ext-diff',
  'echo x >! ../y',
  'echo /etc/*',
  'echo src/.*',
  'ls -L link',
  'cat .git/config',
  'grep -R x src',
  'rg -L x src',
  'rg -uuz x src',
  'sort -o src/a.ts src/b.ts',
  'sort --compress-program=./x a',
  'uniq a b',
  'find . -delete',
  'find src -exec rm x ;',
  'find src -name x -fprint ../y',
  'find -L src',
  "sed -n '1w ../x' a",
  "sed -i 's/a/b/' a",
  "sed '1e rm x' a",
  'touch -r /etc/passwd a',
  'touch ../x',
  'git merge main && cat a',
  'git merge main > a; echo x > b',
];

describe('under act', () => {
  it.each(DAILY)('nobody is asked for %j', (line) => expect(verdict(line)).toMatchObject({ do: 'allow' }));
  it.each(ATTACKS)('somebody is asked for %j', (line) => expect(verdict(line)).toMatchObject({ do: 'ask' }));
});
