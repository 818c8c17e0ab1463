import type { Repo } from '../../platform/git/run.ts';
import type { StackResult } from './conflict.ts';
import { fullReport, shortReport } from './conflict-report.ts';
import { type OpenConflict, vetResolved } from './judge.ts';
import type { Mended } from './mend/rules.ts';

/** Tries to resolve a conflict without a person's look. Its answer is final; trouble of the machine is thrown. */
export type Mender = (openConflict: OpenConflict) => Promise<Mended>;

/** Closes an open conflict: mended if that is possible and the result may land; else with a conflict report. */
export async function closeConflict(repo: Repo, openConflict: OpenConflict, mend: Mender | undefined): Promise<StackResult> {
  const mended = await mend?.(openConflict);
  const answer = mended?.kind === 'candidate' ? await vetResolved(repo, openConflict, mended.tree) : undefined;
  if (answer && mended?.kind === 'candidate') return answer.kind === 'clean' ? { ...answer, mended: mended.by } : answer;
  const { place, entry, output } = openConflict;
  const { sha, task, attempt, title: intent } = entry;
  const submission = { head: place.head, ours: place.ours, target: place.target, sha, task, attempt, intent };
  return { kind: 'conflict', report: place.onHead ? await fullReport(repo, output, submission) : shortReport(output, submission) };
}
