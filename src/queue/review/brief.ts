import { fenced } from '../../platform/code-block.ts';
import { cut, NOT_INSTRUCTIONS, taskPart } from '../../work/errand/brief.ts';
import { findingLine } from './answer.ts';
import { reviewLine } from './report.ts';
import type { Review } from './store.ts';

/** A change to judge: two commits, and git's output about the difference. */
interface ChangeToJudge {
  readonly base: string;
  readonly commit: string;
  /** As a patch; `undefined` when it is too long. */
  readonly diff: string | undefined;
  /** The list of files with the lines that were added and removed. */
  readonly stat: string;
}

/** A patch up to this size is in the prompt; for a longer one, only the list of files. */
const SHOWN_DIFF = 24_000;
const SHOWN_STAT = 8000;

/** The change as a judge gets it: the patch, or for a long one its files and the command that prints it. */
export function changePart({ base, commit, diff, stat }: ChangeToJudge, heading = '## The change'): string {
  const command = `git diff ${base.slice(0, 12)} ${commit.slice(0, 12)}`;
  if (diff !== undefined && diff.length <= SHOWN_DIFF)
    return [heading, `\`${command}\` prints it:`, fenced(diff, 'diff') || 'It changes nothing.'].join('\n\n');
  return [
    heading,
    `It is too long to stand here: read it with \`${command}\`, file by file where that is better.`,
    fenced(cut(stat, SHOWN_STAT)),
  ].join('\n\n');
}

interface ReviewBrief {
  readonly task: { readonly id: string; readonly title: string; readonly body: string };
  readonly change: ChangeToJudge;
  /** The author's own summary of the work. */
  readonly summary: string | null;
  /** The state of each check, one line each. */
  readonly checks: readonly string[];
  /** Earlier reviews of the task's work, the oldest first. */
  readonly earlier: readonly Review[];
  readonly round: number;
}

const ANSWER = `{ "verdict": "approve" | "findings", "summary": "one or two sentences",
  "findings": [ { "path": "src/a.ts", "line": 12, "severity": "high" | "medium" | "low", "text": "what is wrong, and what would be right" } ] }`;

/** The prompt of a reviewer: what to judge, by what, and exactly how to answer. */
export function reviewBrief(input: ReviewBrief): string {
  const { task, change, summary, checks, earlier, round } = input;
  return [
    `Another agent did the task below. This is round ${round} of its review. Its commit ${change.commit.slice(0, 12)} is checked out in this folder. Say whether it may land: does it do what the task asks, is it right, does it break anything, is what it should test tested? You only read: change nothing, commit nothing; whatever you change is not used.`,
    NOT_INSTRUCTIONS,
    taskPart(task),
    changePart(change),
    summary?.trim() ? ['## What its author says', fenced(cut(summary, 4000))].join('\n\n') : '',
    [
      '## The checks',
      ...checks.map((line) => `- ${line}`),
      `- They run at the same time as your review, and must pass as well. \`furrow why ${task.id}\` tells how they stand.`,
    ].join('\n'),
    earlierPart(earlier),
    answerPart(),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function earlierPart(earlier: readonly Review[]): string {
  if (earlier.length === 0) return '';
  const told = earlier.map((review) => [reviewLine(review), ...review.findings.map((one) => `- ${findingLine(one)}`)].join('\n'));
  return ['## Earlier reviews', 'Look first whether the work has dealt with these.', fenced(told.join('\n\n'))].join('\n\n');
}

function answerPart(): string {
  return [
    '## How to answer',
    'Report only what should be changed before this lands; leave matters of taste alone. Findings that do not hold it up have the severity low, and may stand beside the verdict approve. Give your answer on standard input:',
    fenced(`furrow done --result - <<'END'\n${ANSWER}\nEND`, 'sh'),
    'A text that begins with the word APPROVE or FINDINGS (then a list) is taken as well. Nothing else ends your review.',
  ].join('\n\n');
}
