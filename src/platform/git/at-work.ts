import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessId } from '../process/identity.ts';
import { keptByProgram } from '../process/linux.ts';
import { argumentsOf, descendants, type Proc, processTable } from '../process/table.ts';
import { startsOurs } from '../starter/elsewhere.ts';

/** A git that somebody else runs, and the folder it works in. */
export interface GitAtWork extends ProcessId {
  readonly cwd: string;
  /** The word after `git`: a command or an alias. */
  readonly verb: string;
}

/** Commands that write neither HEAD nor an index: they may run for hours beside a publication. */
const READS = new Set(
  `annotate archive blame bugreport bundle cat-file check-attr check-ignore cherry clone config count-objects credential daemon describe
  diff diff-files diff-index diff-tree difftool fast-export fetch fetch-pack for-each-ref format-patch fsck fsmonitor--daemon gc grep gui
  hash-object help index-pack instaweb lfs log ls-files ls-remote ls-tree maintenance merge-base merge-tree name-rev notes pack-objects
  pack-refs patch-id prune push range-diff reflog remote remote-http remote-https repack rev-list rev-parse send-email send-pack shortlog
  show show-branch show-ref status tag unpack-objects upload-pack var version whatchanged`.split(/\s+/),
);

/** Commands that write, but leave HEAD on its branch. */
const STAYS = new Set('add am apply cherry-pick clean commit merge mv pull reset restore revert rm stash update-index'.split(' '));

/** True when a git may still write an index, or move a branch, by a value it read earlier. An alias may be anything. */
export const writes = (git: GitAtWork): boolean => !READS.has(git.verb);

/** True when a git may put another branch into HEAD. */
export const switches = (git: GitAtWork): boolean => writes(git) && !STAYS.has(git.verb);

/**
 * The gits of other people on this machine. git locks an index only while it writes it: a `switch` updates HEAD after it has
 * let go, `commit` holds no lock while the message is edited, and `reset` moves the branch to what it read at the start.
 * Only the process itself shows that such a command is not over. Empty where the machine does not tell (no /proc).
 */
export function gitsAtWork(): GitAtWork[] {
  if (process.platform !== 'linux') return [];
  const table = processTable();
  const gits = table.flatMap((proc) => {
    const said = known(proc, table.length, () => readCommand(proc));
    return said?.verb === undefined ? [] : [{ proc, argv: said.argv, verb: said.verb }];
  });
  const own = gits.filter(({ proc, argv }) => startsOurs(proc.ppid) && argv.includes(OWN)).map(({ proc }) => proc.pid);
  const ours = new Set([...own, ...descendants(table, own).map(({ pid }) => pid)]);
  return gits
    .filter(({ proc }) => !ours.has(proc.pid) && !isPaged(proc, table))
    .map(({ proc: { pid, start }, verb }) => ({ pid, start, verb, cwd: link(`/proc/${pid}/cwd`) }));
}

interface Command {
  /** None of a program other than git. */
  readonly argv: readonly string[];
  readonly verb: string | undefined;
}

/** Each publication asks, and hardly any process of a machine has executed another program since the last one. */
const known = keptByProgram<Command>();

/** Undefined for a process that has gone, or is executing a program right now. */
function readCommand(proc: Proc): Command | undefined {
  const argv = argumentsOf(proc);
  const verb = verbOf(argv);
  return argv.length === 0 ? undefined : { argv: verb === undefined ? [] : argv, verb };
}

/** The first flag of every git that furrow runs. */
const OWN = 'core.hooksPath=/dev/null';

/** Options of git itself that take the next word. */
const WITH_VALUE = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env', '--attr-source', '--super-prefix']);

/** The command of a git, `undefined` for any other program. */
export function verbOf(argv: readonly string[]): string | undefined {
  const name = basename(argv[0] ?? '');
  if (name.startsWith('git-')) return name.slice(4);
  if (name !== 'git') return undefined;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-')) return word;
  }
  return '';
}

/** True when a git shows its output page by page (an alias of `log`, say, perhaps for hours): it has a pager as its child. */
function isPaged(git: Proc, table: readonly Proc[]): boolean {
  const out = link(`/proc/${git.pid}/fd/1`);
  return out.startsWith('pipe:') && table.some(({ pid, ppid }) => ppid === git.pid && link(`/proc/${pid}/fd/0`) === out);
}

/** The answer of `look`; empty for a process that ends meanwhile or belongs to another user. */
function quietly(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}

const link = (path: string) => quietly(() => readlinkSync(path));
