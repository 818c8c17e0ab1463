import { quotedIfNeeded } from '../../platform/shell.ts';
import type { Story } from './event-summary.ts';
import type { Proof } from './proof.ts';

interface Told {
  readonly story: Story;
  readonly titles: ReadonlyMap<string, string>;
  readonly proof: Proof;
  readonly seconds: number;
  readonly agents: number;
}

/** True when every task landed, main has them all, and the check passes on every commit of main. */
export function holds({ story, titles, proof }: Told): boolean {
  const landed = new Set(story.landed.map(({ task }) => task));
  const complete = [...titles.keys()].every((task) => landed.has(task)) && proof.commits.at(-1)?.sha === story.landed.at(-1)?.commit;
  return complete && proof.commits.every(({ green }) => green);
}

/** The summary at the end, for somebody who has never seen furrow. */
export function report(told: Told): string[] {
  return [
    '',
    `${told.story.landed.length} of ${told.titles.size} tasks landed in ${told.seconds.toFixed(1)} s, by ${told.agents === 1 ? 'one agent' : `${told.agents} agents at once`}.`,
    '',
    'What landed on main, in this order',
    ...table(told.story.landed.map((l) => [`  ${l.task}`, title(told, l.task), l.agent, `attempt ${l.attempt}`, l.commit.slice(0, 8)])),
    ...left(told),
    '',
    'What went wrong on the way, and what became of it',
    ...incidents(told),
    '',
    ...proven(told.proof),
  ];
}

const title = (told: Told, task: string) => told.titles.get(task) ?? '';

function left(told: Told): string[] {
  const landed = new Set(told.story.landed.map(({ task }) => task));
  const missing = [...told.titles.keys()].filter((task) => !landed.has(task));
  if (missing.length === 0) return [];
  const why = new Map(told.story.parked.map(({ task, reason }) => [task, reason]));
  return ['', 'What did not land', ...missing.map((task) => `  ${task} ${title(told, task)}: ${why.get(task) ?? 'it never became ready'}`)];
}

const WORDS = {
  conflict: ['conflict', 'another task had changed the same line first'],
  check: ['red check', 'its commits did not pass the check, so they never reached main'],
  crash: ['crash', 'the agent was killed in the middle of its work'],
  failed: ['failed', 'the agent gave up'],
} as const;

function incidents(told: Told): string[] {
  if (told.story.incidents.length === 0) return ['  nothing at all'];
  return told.story.incidents.flatMap(({ task, what, attempt }) => {
    const [name, cause] = WORDS[what];
    const end = told.story.landed.find((l) => l.task === task);
    const became = end
      ? `attempt ${end.attempt}, by ${end.agent}, put it right and landed as ${end.commit.slice(0, 8)}`
      : 'it has not landed';
    return [`  ${name.padEnd(9)}  ${task} ${title(told, task)}, attempt ${attempt}`, `             ${cause};`, `             ${became}.`];
  });
}

function proven({ commits }: Proof): string[] {
  const green = commits.filter((commit) => commit.green).length;
  return [
    `Proof: the check, run again on every commit that main ever pointed to: ${green} of ${commits.length} pass`,
    ...commits.toReversed().map((commit) => `  ${commit.green ? 'ok ' : 'RED'} ${commit.sha.slice(0, 8)} ${commit.subject}`),
  ];
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** The next commands to type, with the demo removed or kept. */
export function farewell(kept: string | undefined): string[] {
  const own = [
    '',
    'In a repository of your own',
    '  furrow init              writes furrow.yaml and a board',
    '  furrow add "a task"      puts a task on it',
    '  furrow work --parallel 4',
  ];
  if (kept === undefined) return own;
  return [
    '',
    `The demo is still there: cd ${quotedIfNeeded(kept)}`,
    '  furrow status            who does what',
    '  furrow log               everything that happened',
    '  furrow attach            the farm in its windows (leave with Ctrl-B D)',
    '  git log --graph          what they made',
    '  furrow stop --all        ends it; then delete the folder',
    ...own,
  ];
}
