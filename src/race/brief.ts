/** One of the results that a judge chooses among. */
export interface Candidate {
  readonly n: number;
  readonly kind: string;
  readonly agent: string | null;
  /** The commit that it made, and the same merged onto the head. */
  readonly commit: string;
  readonly merged: string;
  readonly branch: string;
  readonly usd: number | null;
  readonly lines: number | null;
  readonly summary: string | null;
}

/** All that a judge is told. */
export interface Candidates {
  readonly task: { readonly id: string; readonly title: string; readonly text: string };
  /** The commit that the results are merged onto. */
  readonly head: string;
  readonly entrants: readonly Candidate[];
}

/** The text for an agent that judges. Neither the agent nor the kind is named: the work counts. */
export function judgeBrief({ task, head, entrants }: Candidates): string {
  const list = entrants.map(({ n, merged, lines, usd, summary }) => {
    const size = lines === null ? '' : `, ${lines} ${lines === 1 ? 'line' : 'lines'} changed`;
    const cost = usd === null ? '' : `, $${usd.toFixed(2)}`;
    const said = summary?.trim() ? `: ${summary.trim()}` : '';
    return `- Entrant ${n}${size}${cost}${said}\n  \`git diff ${head.slice(0, 12)} ${merged.slice(0, 12)}\``;
  });
  return [
    `Several agents did the same task, each by itself. All of these results pass the checks. Choose the one that should land: the one that does what the task asks for, correctly and completely, in code that is easy to read and to maintain.`,
    `## The task: ${task.title}`,
    task.text.trim(),
    '## The results',
    list.join('\n'),
    '## Your answer',
    'JSON, and nothing else: `{ "winner": NUMBER, "why": "one or two sentences" }`',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
