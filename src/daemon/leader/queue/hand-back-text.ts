import type { Db, Tx } from '../../../journal/store.ts';
import { type FailedOutput, failedOutput, inOneLine } from '../../../platform/output/failed.ts';
import { readOutput } from '../../../platform/output/read.ts';
import { tellingLines } from '../../../platform/output/telling.ts';
import { lastNotPassed } from '../../../queue/check-run/read.ts';
import type { QueueEntry, QueueSnapshot } from '../../../queue/snapshot.ts';
import type { ConflictReport } from '../../../repo/merge/conflict.ts';

const SHOWN_FILES = 10;
const SHOWN_HUNK = 1500;
/** Enough lines for the agent that has to fix it. */
const REWORK_LINES = 60;

/** A conflict in words that an agent can act on. People see only the first line. */
export function describeConflict(report: ConflictReport): string {
  const names = report.files.slice(0, SHOWN_FILES).map((file) => file.path);
  const more = report.files.length + report.omitted - names.length;
  const lines = [
    `conflicts with ${report.target} in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    '',
    `The target is now at ${report.ours}. Merge it into this branch: ${report.suggested}`,
  ];
  lines.push(`The merge as git left it, with markers, is at ${report.ref}.`);
  for (const file of report.files.slice(0, SHOWN_FILES)) {
    lines.push('', `### ${file.path} (${file.kind})`);
    for (const other of file.oursTasks) lines.push(`- on the target by task ${other.task}: ${other.intent}`);
    for (const hunk of file.hunks.slice(0, 3)) lines.push('', '```', hunk.text.slice(0, SHOWN_HUNK), '```');
  }
  return lines.join('\n');
}

/** A red check in words: which check, on what, its telling lines, and where the whole output is. */
export async function describeRed(
  db: Db | Tx,
  { checks, entries, head }: Pick<QueueSnapshot, 'checks' | 'head'> & { readonly entries: readonly Pick<QueueEntry, 'own'>[] },
  check: string,
  tree: string,
): Promise<{ report: string; output?: FailedOutput }> {
  const run = await lastNotPassed(db, check, [tree]);
  const name = [...checks, ...entries.flatMap((entry) => entry.own)].find((one) => one.id === check)?.name ?? check;
  if (!run) return { report: `${name} fails on the merged tree` };
  const output = await failedOutput({ ...run, name });
  const report = [
    `${name} fails on the merged tree${inOneLine(output)}`,
    '',
    `It was merged onto ${head}.`,
    '',
    '```',
    ...tellingLines(await readOutput(run.log), { lines: REWORK_LINES }),
    '```',
  ].join('\n');
  return { report, output };
}
