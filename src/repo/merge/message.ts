import { branchOf } from '../../journal/branch.ts';
import type { WorkCommit } from './commit-facts.ts';
import { lowered } from './conventional.ts';
import type { LandedEntry, LandedWork, NamedEntry } from './landed-work.ts';
import { fill } from './message-template.ts';
import { oneLine, plainText } from './one-line.ts';
import { appendTrailers, partMessage } from './trailer-block.ts';

const SUMMARY = 10_000;
const SUBJECT = 120;
/** The room that `git log --oneline` leaves beside the id in 80 columns. */
const SUBJECT_WIDTH = 72;
const MORE = ', …';
const LISTED = 100;

export function idOf(task: string): string {
  return task.slice(task.indexOf('/') + 1);
}

/** The phase of a task; a board without phases has the phase `default`. */
function phaseOf(task: string): string {
  return task.includes('/') ? task.slice(0, task.indexOf('/')) : 'default';
}

/** The name of one attempt at a task, as the trailers of landing commits have it. */
export const landedAs = (task: string, attempt: number): string => `${phaseOf(task)}/${idOf(task)} ${attempt}`;

/** True for furrow's own commit of an agent's uncommitted work, which says nothing but the title. */
const isAutomatic = (entry: LandedEntry, { message }: WorkCommit) => entry.agent !== null && message.trim() === entry.title.trim();

/** The commits that somebody wrote a message for. */
export const writtenCommits = (work: LandedWork): readonly WorkCommit[] => work.commits.filter((one) => !isAutomatic(work, one));

/** The one commit that an entry lands unchanged, if it does. */
function asWritten(work: LandedWork): WorkCommit | undefined {
  const [only] = work.commits.length === 1 && !work.keep ? writtenCommits(work) : [];
  return only?.message.trim() ? only : undefined;
}

/** The message of an entry without trailers: the author's own for a single commit, else made from the task and the commits. */
function entryText(work: LandedWork, template?: string): string {
  const written = asWritten(work);
  if (written) return partMessage(written.message).text;
  const branch = branchOf(work.task);
  const whole = work.agent === null && !work.keep;
  const subjects = whole ? fullTexts(work.commits) : subjectList(work);
  if (branch !== undefined) return paragraphs(`${work.keep ? 'Merge' : 'Squash'} branch '${oneLine(branch)}'`, subjects);
  const summary = plainText(work.summary ?? '', SUMMARY);
  return fill(template, { ...work, title: titleOf(work), summary, subjects, id: idOf(work.task) });
}

const paragraphs = (...parts: readonly string[]): string => parts.filter(Boolean).join('\n\n');

const titleOf = ({ task, title }: LandedEntry): string => oneLine(title, 1000) || `land ${idOf(task)}`;

function subjectList(work: LandedWork): string {
  const written = writtenCommits(work).filter(({ message }) => message.trim());
  const subjects = written.slice(0, LISTED).map((one) => `- ${subjectOf(one.message)}`);
  if (written.length > LISTED) subjects.push(`- … and ${written.length - LISTED} more`);
  return subjects.join('\n');
}

/** The first line of a message that is not empty. */
const subjectOf = (message: string): string => oneLine(message.trimStart().split('\n')[0] ?? '', SUBJECT);

/** Every message, indented so that no line counts as a trailer. Nothing is lost where its commit does not stay. */
function fullTexts(commits: readonly WorkCommit[]): string {
  return commits.map(({ message }) => listItem(partMessage(message).text)).join('\n\n');
}

/** Text as an item of a list. */
function listItem(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line, n) => (n === 0 ? `- ${line}` : line.trim() ? `  ${line}` : ''))
    .join('\n')
    .replace(/\r/g, '');
}

/** The trailers that furrow adds for some entries and the checks that they passed. */
function furrowTrailers(entries: readonly LandedWork[], checks: readonly string[]): string[] {
  const named: NamedEntry[] = [...entries, ...entries.flatMap(({ carries = [] }) => carries)];
  return [
    ...[...new Map(named.map((entry) => [entry.task, entry])).values()].flatMap((entry) => [
      `Furrow-Task: ${idOf(entry.task)}`,
      ...whereOf(entry.task),
      `Furrow-Attempt: ${entry.attempt}`,
      ...(entry.agent ? [`Furrow-Agent: ${oneLine(entry.agent)}`] : []),
      ...(entry.review ? [`Furrow-Review: ${oneLine(entry.review)}`] : []),
    ]),
    ...[...new Set(checks)].map((name) => `Furrow-Check: ${oneLine(name)} ok`),
  ];
}

function whereOf(task: string): string[] {
  const branch = branchOf(task);
  if (branch !== undefined) return [`Furrow-Branch: ${branch}`];
  return phaseOf(task) === 'default' ? [] : [`Furrow-Phase: ${phaseOf(task)}`];
}

/** The trailers of some commits, each once. */
export function keptTrailers(commits: readonly WorkCommit[]): string[] {
  const all = commits.flatMap(({ message }) => partMessage(message).trailers);
  return [...new Map(all.map((one) => [one.toLowerCase(), one])).values()];
}

interface MessageTerms {
  /** Names of the checks that it lands under. */
  readonly checks: readonly string[];
  /** Trailers that name co-authors. */
  readonly people: readonly string[];
  /** `queue.message`, if it is set. */
  readonly template?: string | undefined;
}

/** The message that an entry lands with. */
export function entryMessage(work: LandedWork, terms: MessageTerms): string {
  const own = furrowTrailers([work], terms.checks);
  const written = asWritten(work);
  if (written) return appendTrailers(written.message, own);
  const text = entryText(work, terms.template);
  // Only a template may end in trailers of its own; a title or summary that looks like one is plain text.
  const parted = terms.template === undefined ? { text, trailers: [] } : partMessage(text);
  const kept = work.keep ? [] : [...keptTrailers(work.commits), ...terms.people];
  return withTrailers(parted.text, [...parted.trailers, ...kept, ...own]);
}

const withTrailers = (text: string, trailers: readonly string[]) => `${text}\n\n${trailers.join('\n')}\n`;

/** The message of a landing of several entries whose own commits are behind it: a list of them. */
export function batchMessage(entries: readonly LandedWork[], checks: readonly string[]): string {
  const list = entries.map((entry) => `- ${idOf(entry.task)} ${oneLine(entry.title)}`.trimEnd()).join('\n');
  return withTrailers(paragraphs(batchSubject(entries), list), furrowTrailers(entries, checks));
}

/** The message of a landing of several entries as one plain commit: everything that their own commits would say. */
export function linearBatchMessage(entries: readonly LandedWork[], terms: MessageTerms): string {
  const list = entries.map((entry) => listItem(`${idOf(entry.task)} ${entryText(entry, terms.template)}`));
  const kept = keptTrailers(entries.flatMap((entry) => entry.commits));
  return withTrailers(paragraphs(batchSubject(entries), ...list), [...kept, ...terms.people, ...furrowTrailers(entries, terms.checks)]);
}

/** As many titles as fit into a subject, and the number of tasks: it is read where nobody has the board. */
function batchSubject(entries: readonly LandedEntry[]): string {
  const [first, ...others] = entries.map(titleOf);
  const count = ` (${entries.length} tasks)`;
  const room = SUBJECT_WIDTH - count.length;
  let subject = oneLine(first!, room - (others.length > 0 ? MORE.length : 0));
  for (const [n, title] of others.entries()) {
    const longer = `${subject}, ${lowered(title)}`;
    const most = n === others.length - 1 ? room : room - MORE.length;
    if (longer.length > most) return `${subject}${MORE}${count}`;
    subject = longer;
  }
  return `${subject}${count}`;
}
