import type { Question } from './view.ts';

type Work = NonNullable<Question['work']>;

/** A task by its number and its title, as every face names it. */
export const taskName = (id: string, title: string | null | undefined): string => (title ? `${id} · ${title}` : id);

/** The name of what a question is about: the task with its title, where it is about one. */
export const subjectName = ({ subject, work }: Pick<Question, 'subject' | 'work'>): string =>
  work ? taskName(work.task, work.title) : subject;

/** The facts about the work behind a question, one each: who did it, how large it is, what its checks say. */
export function workFacts(work: Question['work'] | undefined): string[] {
  if (!work) return [];
  return [...whoOf(work), ...sizeOf(work.change), ...checksText(work.checks)];
}

const whoOf = ({ agent, attempt }: Work): string[] => {
  const tried = attempt === null ? '' : `attempt ${attempt}`;
  const text = [agent ?? '', tried].filter(Boolean).join(', ');
  return text === '' ? [] : [text];
};

/** `+12 −3 in 2 files`; nothing where no commit is known. */
const sizeOf = (change: Work['change']): string[] =>
  change ? [change.files === 0 ? 'nothing changed' : `+${change.added} −${change.removed} in ${filesText(change.files)}`] : [];

export const filesText = (files: number): string => `${files} ${files === 1 ? 'file' : 'files'}`;

const VERDICTS = { passed: 'passed', failed: 'failed', open: 'not decided yet' } as const;

function checksText(checks: Work['checks']): string[] {
  return (['failed', 'open', 'passed'] as const).flatMap((outcome) => {
    const names = checks.filter((check) => check.outcome === outcome).map(({ name }) => name);
    return names.length === 0 ? [] : [`${names.join(', ')} ${VERDICTS[outcome]}`];
  });
}

/** Kinds whose reason is furrow's own sentence, with commands to type in it. The reasons of others have words of agents, which stay as they are. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  ...['act', 'agent-kind', 'approval', 'board', 'config', 'doctor', 'epoch', 'hanging', 'head', 'lease', 'lease-circle', 'merge'],
  ...['preflight', 'publish', 'push', 'removed', 'reopen', 'store', 'target', 'target-moved', 'trouble', 'trust', 'waits'],
]);
const COMMAND = /\bfurrow [a-z]+|\bgit (?:update-ref|show|reflog|reset|commit|stash|status)\b/;
/** The commands that answer a review, behind the findings. */
const REVIEW_ANSWERS = /\. The answer land lets it land, again (?!.*The answer land lets it land, again ).*$/s;

interface Reason extends Pick<Question, 'kind' | 'reason'> {
  readonly output: { readonly path: string } | null;
}

/**
 * The reason of a question for a face on which nobody types commands: without the commands that it names, and without the file of an output
 * that is shown beside it.
 */
export function reasonWithoutCommands({ kind, reason, output }: Reason): string {
  const shown = output ? reason.replace(`. Output: ${output.path}`, '') : reason;
  if (kind === 'review') return shown.replace(REVIEW_ANSWERS, '');
  if (!OWN_WORDS.has(kind) || !COMMAND.test(shown)) return shown;
  const plain = withoutAsides(shown)
    .split(/(?<=[;.]) /)
    .map(withoutCommand)
    .filter((clause) => clause !== '')
    .join(' ')
    .replace(/[;,:]$/, '');
  return plain === '' ? shown : plain;
}

/** Without what stands in brackets for somebody at a shell: `nobody works on it (start it: furrow work)`. */
export const withoutAsides = (text: string): string => text.replaceAll(/ \((?:[a-z ]+: )?(?:furrow|git) [^()]*\)/g, '');

/** The words of a clause before its command: `waits for your approval: furrow diff 6` waits for your approval. */
function withoutCommand(clause: string): string {
  const at = COMMAND.exec(clause)?.index;
  if (at === undefined) return clause;
  const said = /^(.*)[:,] [^:]*$/s.exec(clause.slice(0, at));
  return said && said[1] !== 'see' ? `${said[1]}${clause.endsWith(';') ? ';' : ''}` : '';
}
