import { parseSize } from '../../../config/fields.ts';
import { branchOf } from '../../../journal/branch.ts';
import { commitTogether } from '../../../journal/commit-together.ts';
import { append } from '../../../journal/event.ts';
import { statement } from '../../../journal/statement.ts';
import { limiter } from '../../../platform/limit.ts';
import type { LandingCommit } from '../../../repo/change-rules/commits.ts';
import type { ContentIssue } from '../../../repo/change-rules/content-issue.ts';
import { named, type ProtectedLink, withLinks } from '../../../repo/change-rules/protected.ts';
import type { Reading } from '../../../repo/change-rules/read.ts';
import { keysInWords, wordsOfCommits } from '../../../repo/change-rules/words.ts';
import type { Step } from '../../../repo/merge/changes.ts';
import { readSaid } from '../../../work/attempt/end-report.ts';
import { findEntry, openEntries } from '../../../work/entry/read.ts';
import { type Entry, noteChange } from '../../../work/entry/store.ts';
import { type Asked, askedAtSubmit } from '../../../work/entry/submitter.ts';
import { splitRef } from '../../../work/task/id.ts';
import { taskChecks } from '../../../work/task/store.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import { protectRules } from '../../farm/protect.ts';
import { targetOf } from '../../farm/target-of.ts';
import { type Beside, type Changed, defaultRule, isUnread, pathRule, reportedIn } from './approval.ts';
import type { QueueMemory } from './memory.ts';
import { trouble } from './trouble.ts';

const AGAIN_MS = 1000;
/** Entries that are read together: few gits for many, and the first of 150 need not wait for the last. */
const TOGETHER = 16;
const GITS = 4;
/** The most commits of one entry that are looked at one by one, where they stay behind its landing. */
const COMMITS = 200;

/** Reads the changes of new entries. None is stacked before, because a part of it may need a person's yes. */
export async function readPaths(farm: Farm, memory: QueueMemory, head: string): Promise<void> {
  if (memory.noting || !head) return;
  const now = farm.clock.awake();
  const due = (await openEntries(farm.db)).filter((row) => isUnread(row) && (memory.troubled.get(row.id)?.until ?? 0) <= now);
  if (due.length === 0) return;
  memory.noting = true;
  void noteAll(farm, memory, head, due).finally(() => {
    memory.noting = false;
    farm.wake();
  });
}

/** Does the same at once for one entry that was just submitted, so that its submitter hears at once what it waits for. */
export async function readNow(farm: Farm, memory: QueueMemory, id: number): Promise<void> {
  const row = await findEntry(farm.db, id);
  if (!row || !isUnread(row) || !memory.head || targetOf(row, farm) !== memory.target) return;
  await noteSome(farm, memory, memory.head, [row]).catch((error: Error) =>
    farm.log.warn({ error: error.message }, 'what an entry changes could not be noted'),
  );
}

async function noteAll(farm: Farm, memory: QueueMemory, head: string, rows: readonly Entry[]): Promise<void> {
  try {
    for (let at = 0; at < rows.length; at += TOGETHER) {
      await noteSome(farm, memory, head, rows.slice(at, at + TOGETHER));
      // The first need not wait for the last, after which the loop is woken anyway.
      if (at + TOGETHER < rows.length) farm.wake();
    }
  } catch (error) {
    farm.log.warn({ error: (error as Error).message }, 'what entries change could not be noted');
    wakeAt(farm, farm.clock.awake() + AGAIN_MS);
  }
}

async function noteSome(farm: Farm, memory: QueueMemory, head: string, rows: readonly Entry[]): Promise<void> {
  const limit = limiter(GITS);
  const commits = await commitsOfEach(farm.git, head, rows);
  const steps = await Promise.all(rows.map((row, n) => limit(() => stepsOf(farm.git, head, row, commits[n]).catch(() => undefined))));
  const all = steps.flatMap((list) => list ?? []);
  const links = await farm.git.protectedLinks(head, protectRules(farm), farm.config.approve);
  const beside: Beside = { checks: await taskChecks(farm.db), hooks: await farm.git.hooksFolder() };
  const read = await farm.git.readSteps(all, parseSize(farm.config.screen.size) ?? 0).catch(() => undefined);
  const known: (readonly [Entry, Changed])[] = [];
  let at = 0;
  for (const [n, row] of rows.entries()) {
    const own = steps[n];
    // Together they fail together: each by itself shows which one has the trouble.
    const readings = own && (read?.slice(at, at + own.length) ?? (await readAlone(farm, own)));
    at += own?.length ?? 0;
    // Unknown does not mean nothing: it is asked again.
    if (!readings) {
      await trouble(farm, memory, row, `git cannot read what ${row.sha} changes`);
      continue;
    }
    const words = { paths: [], found: await wordsOf(farm, row, commits[n] ?? []) };
    known.push([row, withPaths([...readings, words], links)]);
  }
  await Promise.all(known.map(([row, changed]) => storeChange(farm, row, changed, beside)));
}

async function readAlone(farm: Farm, steps: readonly Step[]): Promise<Reading[] | undefined> {
  return farm.git.readSteps(steps, parseSize(farm.config.screen.size) ?? 0).catch(() => undefined);
}

/** The commits that each entry would bring, with one git; if that fails, each by itself. Undefined: git could not tell. */
async function commitsOfEach(git: Farm['git'], head: string, rows: readonly Entry[]): Promise<(readonly LandingCommit[] | undefined)[]> {
  const together = await git
    .commitsOf(
      head,
      rows.map(({ sha }) => sha),
    )
    .catch(() => undefined);
  if (together) return together;
  return Promise.all(
    rows.map(({ sha }) =>
      git.commitsOf(head, [sha]).then(
        ([own]) => own,
        () => undefined,
      ),
    ),
  );
}

/** Finds keys in everything that lands beside the files: commits, the title, the agent's own summary, the name of the branch. */
async function wordsOf(
  { db }: Farm,
  { task, attempt, agent, title, keep }: Entry,
  commits: readonly LandingCommit[],
): Promise<ContentIssue[]> {
  const said = agent === null ? undefined : readSaid(await saidIn(db, task, attempt));
  const found = await keysInWords([
    ...wordsOfCommits(commits),
    { of: 'the title', text: title },
    ...(said && 'done' in said ? [{ of: 'the summary', text: said.done ?? '' }] : []),
    { of: 'the name of the branch', text: branchOf(task) ?? '' },
  ]);
  const unlooked = staysAsMade({ keep, agent }) ? commits.length - COMMITS : 0;
  return unlooked > 0 ? [{ is: 'commits', count: unlooked }, ...found] : found;
}

const saidAt = statement((db, { task, n }: { task: string; n: number }) =>
  db.selectFrom('attempt').select('said').where('task', '=', task).where('n', '=', n).compile(),
);

const saidIn = async (db: Farm['db'], task: string, n: number): Promise<string | null> =>
  (await saidAt(db, { task, n })).rows[0]?.said ?? null;

/** True for a person's commits, which stay as they are. */
const staysAsMade = ({ keep, agent }: Pick<Entry, 'keep' | 'agent'>) => keep === 1 || agent === null;

/** The whole change first; then each commit that stays behind the landing, because what one adds and the next removes lands too. */
async function stepsOf(
  git: Farm['git'],
  head: string,
  row: Entry,
  commits: readonly LandingCommit[] | undefined,
): Promise<Step[] | undefined> {
  const fork = await git.forkOf(head, row.sha);
  if (!fork || !commits) return fork === null ? [] : undefined;
  const each = staysAsMade(row) ? commits.filter(({ parents }) => parents.length === 1).slice(0, COMMITS) : [];
  return [{ before: fork, after: row.sha }, ...each.map(({ sha, parents }) => ({ before: parents[0]!, after: sha }))];
}

/** The paths that a branch changes since it left the head; `undefined` when git could not tell. */
export async function changedPaths(git: Farm['git'], head: string, sha: string): Promise<string[] | undefined> {
  const fork = await git.forkOf(head, sha);
  if (!fork) return fork === null ? [] : undefined;
  return git.diffPaths(fork, sha).catch(() => undefined);
}

/** The whole change of an entry: its paths, also by the names that links give them, and what was found in any of its steps. */
function withPaths(readings: readonly Reading[], links: readonly ProtectedLink[]): Changed {
  const found = new Map(readings.flatMap((one) => one.found).map((one) => [JSON.stringify(one), one]));
  return { paths: withLinks(readings[0]?.paths ?? [], links), found: [...found.values()] };
}

/** Stores the change with the rules in force now: later ones may be weaker. */
async function storeChange(farm: Farm, row: Entry, changed: Changed, beside: Beside): Promise<void> {
  const { paths, found } = changed;
  const { by, rules } = askedAtSubmit(row);
  const more = [...pathRule(farm.config, paths), ...defaultRule(farm.config, by, changed, beside)];
  const asked: Asked = { by, rules: [...new Set([...rules, ...more])], found };
  const reported = reportedIn(farm.config, { ...row, paths: JSON.stringify(paths), land: JSON.stringify(asked) }, beside);
  await commitTogether(farm.db, async (tx) => {
    const now = await findEntry(tx, row.id);
    if (!now || !isUnread(now)) return;
    await noteChange(tx, row.id, paths, asked);
    if (reported.length === 0) return;
    const name = splitRef(row.task).id;
    const text = `${name} changes ${named(reported)}: worth a look, furrow diff ${name}`;
    await append(
      tx,
      { kind: 'entry.reported', agent: row.agent, task: row.task, attempt: row.attempt, text, data: { sha: row.sha, what: reported } },
      farm.clock.now(),
    );
  });
}
