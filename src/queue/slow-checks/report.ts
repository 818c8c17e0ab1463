import { tellingLines } from '../../platform/output/telling.ts';
import { clean } from '../../platform/strip-controls.ts';
import { idOf } from '../../repo/merge/message.ts';
import type { Rework } from '../../work/task/rework.ts';
import type { Evidence } from './snapshot.ts';

interface RevertFacts {
  readonly evidence: Evidence;
  /** The commit that took it back, before it was merged: it has one parent, so it can be reverted itself. */
  readonly revert: string;
  /** The submitted commits of the attempt that landed. */
  readonly sha: string;
  /** The output of the failed check, with furrow's remarks about that run. */
  readonly log: string;
  readonly detail: string | null;
}

const LINES = 60;

/**
 * The report for the next attempt. The attempt starts at the target, not at the submitted commits: the target may already contain those,
 * and merging it would silently remove the work again. Reverting the revert brings everything back.
 */
export function reworkAfterRevert({ evidence, revert, sha, log, detail }: RevertFacts): Rework {
  const { check, good, bad, reds } = evidence;
  const lines = [
    `${check.name} fails since ${bad.task === null ? bad.what : idOf(bad.task)} landed${detail ? `: ${clean(detail)}` : ''}`,
    '',
    `It failed ${reds.length} ${reds.length === 1 ? 'time' : 'times'} on ${bad.commit} (tree ${bad.tree}), and passes on the state before it, ${good.commit}.`,
    `The command: ${check.run}`,
    '',
    `The work was taken back by ${revert}. To bring it all back onto this branch, as a start: git revert --no-edit ${revert}`,
    `What it changed: git diff ${good.commit} ${bad.commit}. The commits that were submitted are still at ${sha}.`,
    `Then fix it, and run ${check.name} before you finish: it is not among the checks that the queue runs.`,
    '',
    'What it printed when it failed:',
    ...tellingLines(log, { lines: LINES }),
  ];
  return { why: 'reverted', report: lines.join('\n'), from: null };
}
