import { findingLine } from './answer.ts';
import type { Review } from './store.ts';

type Told = Pick<Review, 'reviewer' | 'kind' | 'round' | 'summary' | 'findings' | 'state'>;

const count = (n: number) => (n === 1 ? '1 finding' : `${n} findings`);

/** `calm-otter (codex)`. */
const nameOf = ({ reviewer, kind }: Told) => `${reviewer ?? 'an agent'} (${kind})`;

/** The findings as a report for the next attempt; the first line is for people. */
export function findingsReport(review: Told, words = ''): string {
  const { summary, findings, round } = review;
  const lines = findings.map((one, at) => `${at + 1}. ${findingLine(one)}`);
  const said = words.trim() === '' ? [] : ['', `A person adds: ${words.trim()}`];
  return [
    `the review by ${nameOf(review)}, round ${round}, has ${count(findings.length)}${summary ? `: ${firstLine(summary)}` : ''}`,
    '',
    ...lines,
    ...said,
  ].join('\n');
}

const firstLine = (text: string) => text.split('\n')[0]!;

/** The question to a person about a review: the rounds are used up, or nobody can read the answer. */
export function reviewQuestion(review: Told, name: string): string {
  const { findings, round, state, summary } = review;
  const answers = 'The answer land lets it land, again';
  if (state === 'unreadable')
    return `the review of ${name} by ${nameOf(review)} cannot be read: ${summary}. ${answers} asks for another review, any other words send ${name} back with them; furrow diff ${name}`;
  const told = findings.map((one, at) => `${at + 1}. ${findingLine(one)}`).join('; ');
  const after = round === 1 ? '' : ` after ${round} rounds`;
  return `${nameOf(review)} has ${count(findings.length)} about ${name}${after}: ${told}. ${answers} sends it back once more, any other words too; furrow diff ${name}`;
}

/** The value of the trailer `Furrow-Review` of a landing; `undefined`: nobody reviewed it. */
export function reviewTrailer(review: Told | undefined): string | undefined {
  if (review?.state === 'overruled') return 'overruled by human';
  return review?.state === 'approved' ? `approve by ${nameOf(review)}, round ${review.round}` : undefined;
}

/** One review in one line, for `furrow show` and `furrow why`. */
export function reviewLine(review: Told): string {
  const { state, round, findings, summary } = review;
  const said = summary ? `: ${firstLine(summary)}` : '';
  switch (state) {
    case 'asked':
      return `round ${round}: an agent of kind ${review.kind} is asked`;
    case 'approved':
      return `round ${round}: ${nameOf(review)} approves${said}`;
    case 'findings':
      return `round ${round}: ${nameOf(review)} has ${count(findings.length)}${said}`;
    case 'unreadable':
      return `round ${round}: the answer of ${nameOf(review)} cannot be read${said}`;
    case 'overruled':
      return `round ${round}: overruled by you`;
    case 'dropped':
      return `round ${round}: not needed any more`;
    default:
      return state satisfies never;
  }
}
