import type { Effects } from './effects.ts';
import { type Given, type Options, readGiven } from './options.ts';

const DIFF =
  '-p -u --patch -s --no-patch -U: --unified: --raw --stat? --numstat --shortstat --summary --compact-summary --dirstat? --name-only --name-status -z ' +
  '--color? --no-color --word-diff? --color-words? -b -w --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-space-at-eol -W ' +
  '--function-context --inter-hunk-context: -M? -C? --find-renames? --find-copies? --no-renames --diff-filter: -S: -G: --pickaxe-all --minimal --patience ' +
  '--histogram --diff-algorithm: --check --full-index --abbrev? --no-abbrev -R --relative? --no-prefix --no-ext-diff --no-textconv --exit-code --quiet -a --text';
const WALK =
  '-n: --max-count: -# --skip: --since: --after: --until: --before: --author: --committer: --grep: --all-match --invert-grep -i --regexp-ignore-case -E ' +
  '--extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges --first-parent --all --branches? --tags? --remotes? --reverse --topo-order --date-order ' +
  '--left-right --left-only --right-only --cherry-pick --cherry --cherry-mark --ancestry-path --full-history --simplify-merges --parents --children';
const SHOWN =
  '--oneline --format= --pretty? --abbrev-commit --no-abbrev-commit --date: --relative-date --graph --decorate? --no-decorate --source --notes? --no-notes -c --cc -m -L:';

/** The options that each sub-command may have. One that runs a program, writes a file, opens an editor or reads elsewhere is none of them. */
const GIT: Readonly<Record<string, Options>> = {
  status:
    '-s --short -b --branch --porcelain? -u? --untracked-files? --ignored? -v --verbose --long --show-stash --ahead-behind --no-ahead-behind -z --no-renames --column?',
  diff: `${DIFF} --cached --staged --merge-base`,
  log: `${DIFF} ${WALK} ${SHOWN} --follow --no-walk? --full-diff`,
  show: `${DIFF} ${SHOWN} -n: -#`,
  add: '-A --all --no-all -u --update -v --verbose -n --dry-run -N --intent-to-add --chmod= --refresh',
  commit:
    '-m: --message: -F@ --file@ -C: --reuse-message: --fixup= -a --all -q --quiet -v --verbose -s --signoff --amend --no-edit --allow-empty --author: --date: --dry-run --short --porcelain --reset-author --no-gpg-sign',
  merge:
    '-m: --message: --no-edit --ff --ff-only --no-ff --squash --no-squash --commit --no-commit --stat --no-stat -q --quiet -v --verbose -X: --strategy-option: --abort --no-gpg-sign',
  'rev-parse':
    '--abbrev-ref? --short? --verify -q --quiet --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --all --branches? --tags? --remotes?',
  'rev-list': `${WALK} --count --oneline --objects --abbrev-commit --no-commit-header --timestamp`,
  'merge-base': '-a --all --is-ancestor --octopus --independent --fork-point',
  'ls-files':
    '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -z -t -v --exclude-standard -x: --exclude: --error-unmatch --full-name --directory --no-empty-directory --deduplicate --eol --abbrev?',
  blame:
    '-L: -w -M? -C? -s -l -t -e --show-email -f --show-name -n --show-number -p --porcelain --line-porcelain --date: --since: --root --abbrev= -b',
  describe: '--tags --all --always --long --abbrev= --dirty? --match: --exclude: --exact-match --first-parent --candidates=',
  // Without a name: with one it makes a branch.
  branch: '--show-current --list -a --all -r --remotes -v --verbose --no-color --color?',
};

const MESSAGES = new Set(['-m', '--message', '-F', '--file', '-C', '--reuse-message', '--no-edit', '--fixup', '--dry-run']);

/** The files that this git command reads or writes, as far as it names them; undefined: it may do more than look and commit. */
export function gitEffects(args: readonly string[]): Effects | undefined {
  const [sub = '', ...rest] = args[0] === '--no-pager' ? args.slice(1) : args;
  const options = Object.hasOwn(GIT, sub) ? GIT[sub] : undefined;
  const given = options === undefined ? undefined : readGiven(rest, options);
  if (given === undefined || !isPlain(sub, given)) return undefined;
  // A name beside a revision, `HEAD:path`, is one inside the commit.
  const reads = [...given.words.filter((word) => word !== ''), ...given.paths];
  return { what: `git ${sub}`, reads, writes: [], git: sub === 'merge' ? 'brings' : 'looks' };
}

function isPlain(sub: string, { words, options }: Given): boolean {
  // `%G?` asks gpg about a signature.
  if (options.some(({ name, value }) => /^--(format|pretty)$/.test(name) && value?.includes('%G'))) return false;
  // These two open an editor.
  if (options.some(({ name, value }) => name === '--fixup' && /^(amend|reword):/.test(value ?? ''))) return false;
  if (sub === 'commit') return options.some(({ name }) => MESSAGES.has(name));
  return sub !== 'branch' || words.length === 0;
}
