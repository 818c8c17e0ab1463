/** The choice of a judge. */
interface Choice {
  readonly winner: number;
  readonly why: string;
}

const MOST_WORDS = 500;
const shortened = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, MOST_WORDS).toWellFormed();

/** Reads the output of a judge command: its last line is the number of the winner, perhaps followed by a reason. */
export function choiceInOutput(output: string): Choice | undefined {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const [, winner, why = ''] = /^\s*#?(\d{1,4})(?:[\s:,.]+(.*))?$/.exec(last) ?? [];
  if (winner === undefined) return undefined;
  return { winner: Number(winner), why: shortened(why) || 'the judge chose it' };
}

/** Reads the answer of a judging agent: JSON with `winner` and `why`, even with other words around it. */
export function choiceInAnswer(answer: string): Choice | undefined {
  const json = /\{[^{}]*"winner"[^{}]*\}/.exec(answer)?.[0];
  if (json === undefined) return undefined;
  try {
    const { winner, why } = JSON.parse(json) as { winner?: unknown; why?: unknown };
    if (!Number.isSafeInteger(Number(winner)) || winner === null || winner === '') return undefined;
    return { winner: Number(winner), why: (typeof why === 'string' && shortened(why)) || 'the judge chose it' };
  } catch {
    return undefined;
  }
}
