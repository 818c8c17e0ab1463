import { fenced } from '../../platform/code-block.ts';
import { cut, NOT_INSTRUCTIONS, taskPart } from '../../work/errand/brief.ts';

/** One of the results that a judge chooses among. */
export interface Candidate {
  readonly n: number;
  readonly kind: string;
  readonly agent: string | null;
  /** The commit that it made, and that commit merged onto the head. */
  readonly commit: string;
  readonly merged: string;
  readonly branch: string;
  readonly usd: number | null;
  readonly lines: number | null;
  readonly summary: string | null;
}

/** Everything that a judge is told. */
export interface Candidates {
  readonly task: { readonly id: string; readonly title: string; readonly text: string };
  /** The commit that the results are merged onto. */
  readonly head: string;
  readonly entrants: readonly Candidate[];
}

/** The longest part of an entrant's own summary that is shown. */
const SHOWN_SUMMARY = 1000;

/**
 * The prompt of an agent that judges. It names neither agents nor kinds, because only the work counts. The entrants' own words are set
 * apart: each of them wants to win.
 */
export function judgeBrief({ task, head, entrants }: Candidates): string {
  const list = entrants.map(({ n, merged, lines, usd, summary }) => {
    const size = lines === null ? '' : `, ${lines} ${lines === 1 ? 'line' : 'lines'} changed`;
    const cost = usd === null ? '' : `, $${usd.toFixed(2)}`;
    const said = summary?.trim() ? ['It says of itself:', fenced(cut(summary, SHOWN_SUMMARY))] : [];
    return [`### Entrant ${n}${size}${cost}`, `\`git diff ${head.slice(0, 12)} ${merged.slice(0, 12)}\``, ...said].join('\n\n');
  });
  return [
    `Several agents did the same task, each by itself. All of these results pass the checks. Choose the one that should land: the one that does what the task asks for, correctly and completely, in code that is easy to read and to maintain.`,
    NOT_INSTRUCTIONS,
    taskPart({ ...task, body: task.text }),
    '## The results',
    ...list,
    '## Your answer',
    'JSON, and nothing else: `{ "winner": NUMBER, "why": "one or two sentences" }`',
  ].join('\n\n');
}
