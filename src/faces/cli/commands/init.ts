import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseConfig } from '../../../config/load.ts';
import { AGENT_PROGRAMS, agentsOnPath } from '../../../config/project/agents.ts';
import { furrowYaml, lackingLines } from '../../../config/project/furrow-yaml.ts';
import type { Proposal } from '../../../config/project/proposal.ts';
import { readProject } from '../../../config/project/read.ts';
import { recognise } from '../../../config/project/recognise.ts';
import { EMPTY_FOLDER } from '../../../config/trust/git-lines.ts';
import { linesOf } from '../../../config/trust/lines.ts';
import { readRecord, repositoryKey, writeRecord } from '../../../config/trust/store.ts';
import { readIfThere } from '../../../platform/files.ts';
import { assertNoBranchFile } from '../../../platform/git/branch-in-way.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { findBoard } from '../../../work/task/board.ts';
import { initBoard } from '../../../work/task/init-board.ts';
import type { Context } from '../command.ts';
import { isTerminal, type Paint, paintFor, stdout } from '../out.ts';
import { columns } from '../view/columns.ts';
import { safe } from '../view/safe.ts';

/** Shows what it found and would write, asks, and writes what is missing; what exists stays as it is. */
export async function init(context: Context): Promise<number> {
  const { root, gitDir } = context.place();
  assertNoBranchFile(gitDir);
  const path = process.env['PATH'] ?? '';
  const config = await readIfThere(join(root, 'furrow.yaml'));
  // One that is wrong is refused here, with its line.
  const configured = config === undefined ? undefined : parseConfig(config, 'furrow.yaml');
  const ownBoard = await findBoard(root, configured?.board);
  const board = ownBoard ? relative(root, ownBoard.dir) : (configured?.board ?? 'board');
  const proposal = recognise(await readProject({ root, gitDir }, path));
  const found = agentsOnPath(path);
  const agents = found.map(({ name }) => name);
  const lacking = configured ? lackingLines(configured, proposal) : [];
  const wrote = [...(config === undefined ? ['furrow.yaml'] : []), ...(ownBoard ? [] : [`${board}/`])];
  if (!context.json) context.print(...proposalLines(safe(proposal), agents, paintFor(stdout), config === undefined), '');
  if (wrote.length > 0 && !(await agreed(context, wrote))) {
    context.print('nothing was written');
    return 1;
  }
  if (!ownBoard) await initBoard(join(root, board), basename(root));
  if (wrote.includes('furrow.yaml')) {
    const text = furrowYaml({ board, agents: found, proposal });
    await writeFile(join(root, 'furrow.yaml'), text, { flag: 'wx' });
    await trustOwn({ root, gitDir }, text);
  }
  context.document({ wrote, board, check: proposal.checks[0]?.run ?? null, agents, proposal });
  context.print(...writtenLines(wrote, board, isEmpty(gitDir)), ...asksLines(agents), ...lackingNote(lacking));
  return 0;
}

/** Letters of a command that leave room for its reason in a window of 100 columns. */
const LONG = 48;

/** Every line of the proposal with the reason for it. What was not found is said only where no furrow.yaml has it already. */
function proposalLines(proposal: Proposal, agents: readonly string[], paint: Paint, fresh: boolean): string[] {
  const { kinds, setup, checks, caches, regenerate, remarks } = proposal;
  // A long command would push every reason out of the window.
  const row = (word: string, text: string, because: string) =>
    text.length > LONG
      ? [
          [word, text],
          ['', paint.dim(because)],
        ]
      : [[word, text, paint.dim(because)]];
  const none = (list: readonly unknown[], lines: string[][]) => (list.length > 0 || !fresh ? [] : lines);
  const rows = [
    ...kinds.flatMap((kind) => row(kind.chosen ? 'project' : 'also found', kind.name, kind.because)),
    ...setup.flatMap(({ run, because }) => row('set-up', run, because)),
    ...checks.flatMap(({ name, run, because }) => row(name === 'check' ? 'check' : `check ${name}`, run, because)),
    ...none(checks, row('check', 'none found', 'set `check:` in furrow.yaml, or everything lands unchecked')),
    ...caches.flatMap((cache) => row('kept', cache.path, cache.because)),
    ...regenerate.flatMap((rule) => row('lockfile', rule.run, rule.because)),
    ...agents.flatMap((name, at) => row('agent', name, at === 0 ? 'on the PATH; the default' : 'on the PATH')),
    ...none(
      agents,
      row('agent', 'none found', `${AGENT_PROGRAMS.slice(0, -1).join(', ')} and ${AGENT_PROGRAMS.at(-1)} are not on the PATH`),
    ),
  ];
  const notes = remarks.flatMap(({ text, next }) => [paint.yellow(`! ${text}`), ...(next === null ? [] : [`  ${next}`])]);
  return [...columns(rows), ...notes];
}

/** True for a repository without a branch: agents have nothing to start from. One that cannot be looked into has some. */
function isEmpty(gitDir: string): boolean {
  if (existsSync(join(gitDir, 'packed-refs'))) return false;
  try {
    return !readdirSync(join(gitDir, 'refs/heads'), { recursive: true, withFileTypes: true }).some((one) => one.isFile());
  } catch {
    return false;
  }
}

function writtenLines(wrote: readonly string[], board: string, empty: boolean): string[] {
  const said = (name: string) => `${name}  ${wrote.includes(name) ? 'written' : 'is there already, left as it is'}`;
  if (empty)
    return [
      said('furrow.yaml'),
      said(`${board}/`),
      '',
      'this repository has no commit yet, and agents branch from one:',
      `  git add furrow.yaml ${quotedIfNeeded(board)} && git commit -m "Set up furrow"`,
      'next: that commit, with your own first files if there are any; then furrow add "your first task", and furrow work',
    ];
  return [
    said('furrow.yaml'),
    said(`${board}/`),
    '',
    `${board}/ is your list of tasks. Share it: git add furrow.yaml ${quotedIfNeeded(board)} && git commit -m "Set up furrow"`,
    `or keep it to yourself: echo ${quotedIfNeeded(`/${board}/`)} >> .git/info/exclude`,
    'next: furrow add "your first task", then furrow work',
  ];
}

/**
 * The questions that the first `furrow work` and its agents may ask: told before, so that nobody leaves a farm that waits for an answer.
 */
function asksLines(agents: readonly string[]): string[] {
  const claude = agents[0] === 'claude' ? ', and to note that trust in the file of Claude Code' : '';
  return [
    `furrow work may ask you once: to trust what else this repository runs, such as hooks and settings of agents${claude}`,
    ...(agents.length > 0 ? ['while they work, agents ask before they run what no rule of furrow.yaml allows: furrow next shows it'] : []),
  ];
}

/** A furrow.yaml that is older than the project's check is not changed, so what it lacks is said, as it would be written. */
function lackingNote(lacking: readonly string[]): string[] {
  if (lacking.length === 0) return [];
  return ['', '! furrow.yaml does not have all of what was found. To use it, add:', ...lacking.map((line) => `  ${line}`)];
}

/** Asked only where somebody can answer. */
async function agreed(context: Context, missing: readonly string[]): Promise<boolean> {
  if (context.args.flag('yes') || context.json || !isTerminal(0) || !isTerminal(stdout)) return true;
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return !/^n/i.test((await ask.question(`write ${missing.join(' and ')} here? [Y/n] `)).trim());
  } finally {
    ask.close();
  }
}

/**
 * Trusts a furrow.yaml that furrow wrote itself and the person has just agreed to. Not what was there before: settings of agents and
 * hooks are asked about when something is to start. Where the yes cannot be stored, all of it is.
 */
export async function trustOwn({ root, gitDir }: { root: string; gitDir: string }, text: string): Promise<void> {
  const config = parseConfig(text, 'furrow.yaml');
  const own = linesOf({ config, tasks: [], settings: [], hooks: [], prompt: undefined, git: EMPTY_FOLDER, borrowed: [] });
  const key = repositoryKey(gitDir);
  const names = new Set(own.map(({ name }) => name));
  const before = ((await readRecord(key))?.lines ?? []).filter(({ name }) => !names.has(name));
  await writeRecord(key, { repository: root, at: new Date().toISOString(), lines: [...before, ...own] }).catch(() => {});
}
