import { visible } from '../../platform/visible.ts';

/** The facts about a question that decide its next steps. */
interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly agent: string | null;
  readonly output?: { readonly check: string } | null | undefined;
  /** The exact request behind it. */
  readonly request?: unknown;
}

/** One way to deal with a question: a command of furrow, and its key where a person walks through the questions. */
export interface NextStep {
  readonly key: string;
  readonly says: string;
  /** The words after `furrow`. */
  readonly command: readonly string[];
  /** The placeholder of the text that is typed behind the command; null: there is none. */
  readonly takes: string | null;
  /** It only looks: the question stays open. */
  readonly looks: boolean;
  /** Offered as a key, but left out of the list of commands, which would become longer than the question. */
  readonly aside?: true;
}

const step = (key: string, says: string, command: readonly string[]): NextStep => ({ key, says, command, takes: null, looks: false });
const look = (key: string, says: string, command: readonly string[]): NextStep => ({ ...step(key, says, command), looks: true });
const aside = (key: string, says: string, command: readonly string[]): NextStep => ({ ...look(key, says, command), aside: true });
const typed = (key: string, says: string, command: readonly string[], takes: string): NextStep => ({ ...step(key, says, command), takes });

/** Keys for the answers that an agent offers. Other steps of such a question, and moving, skipping or quitting, use none of them. */
const OPTION_KEYS = 'abcdefgim';
const LONGEST = 60;

/**
 * An answer for each option of an agent that asks one question. The words are the agent's, so they are made visible and never shown as a
 * command to copy. Several questions need one text each, so a person types the answers.
 */
function optionSteps({ id, request }: Asked): NextStep[] {
  const { questions = [] } = (request ?? {}) as { questions?: readonly { readonly options?: readonly string[] }[] };
  const options = questions.length === 1 ? (questions[0]?.options ?? []) : [];
  // The command line would read a leading dash as an option.
  const plain = options.filter((option) => option.trim() !== '' && !option.startsWith('-'));
  return plain
    .slice(0, OPTION_KEYS.length)
    .map((option, n) => ({ ...step(OPTION_KEYS[n]!, short(option), ['answer', id, option]), aside: true }));
}

const short = (text: string) => {
  const shown = visible(text);
  return shown.length > LONGEST ? `${[...shown].slice(0, LONGEST - 1).join('')}…` : shown;
};

/**
 * Steps for kinds that no answer settles: the reason names what to repair, and the question closes when that is done. `subject` is what it
 * is about: a task, a check, a branch, or a part of the farm.
 */
function looksFor(kind: string, subject: string): NextStep[] | undefined {
  const doctor = look('o', 'check the machine, the repository and the farm', ['doctor']);
  const why = look('w', 'why', ['why', subject]);
  const queue = look('u', 'the queue', ['queue']);
  switch (kind) {
    case 'act':
    case 'trouble':
      return [doctor, look('l', 'what happened last', ['log', '--last', '20'])];
    case 'doctor':
      return [doctor, ...(subject === 'disk' ? [look('c', 'what could be removed', ['clean', '--dry-run'])] : [])];
    case 'survivors':
      return [why, doctor];
    case 'agent-kind':
    case 'target':
      return [look('c', 'the configuration in force', ['config'])];
    case 'preflight':
      return [look('o', 'run the checks on the target', ['doctor', '--check'])];
    case 'hanging':
      return [look('l', 'its output', ['logs', subject]), queue];
    case 'lease':
    case 'lease-circle':
      return [...leaseSteps(kind, subject), look('l', 'who holds and who waits', ['locks'])];
    case 'waits':
      return [why, queue];
    case 'merge':
      return [why, look('d', 'see the change', ['diff', subject]), step('x', 'take it out of the queue', ['queue', 'eject', subject])];
    case 'removed':
      return [why, look('l', 'what happened to it', ['log', '--task', subject])];
    case 'reopen':
      return [look('l', 'the board', ['list'])];
    case 'publish':
    case 'push':
      return [queue];
    default:
      return undefined;
  }
}

/** Ends one of the leases in question; `subject` names them: `lease:4`, `leases:4,7`. */
function leaseSteps(kind: string, subject: string): NextStep[] {
  const ids = subject.slice(subject.indexOf(':') + 1).split(',');
  if (kind === 'lease') return ids.map((id) => step('r', 'end it', ['release', id]));
  return ids.slice(0, OPTION_KEYS.length).map((id, n) => step(OPTION_KEYS[n]!, `take lease ${id} out of the line`, ['release', id]));
}

/** The steps that make sense for a question, by its kind; only some questions are settled by an answer. */
export function stepsFor(asked: Asked): NextStep[] {
  const { id, kind, subject, agent, output } = asked;
  const looks = looksFor(kind, subject);
  if (looks) return looks;
  const answer = (key: string, says: string, word: string) => step(key, says, ['answer', id, word]);
  const answerText = (says: string, takes = 'TEXT') => typed('t', says, ['answer', id], takes);
  const giveUp = answer('g', 'give up: the task is parked', 'give up');
  const open = agent ? [look('j', 'open its window', ['attach', agent])] : [];
  const last = agent ? [aside('l', 'what it did last', ['log', '--agent', agent, '--last', '20'])] : [];
  const window = [...open.map((one) => ({ ...one, aside: true as const })), ...last];
  const logs = output ? [look('l', 'all of its output', ['logs', output.check])] : [];
  switch (kind) {
    case 'permission':
      return [answer('a', 'allow', 'allow'), answer('d', 'deny', 'deny'), ...window];
    case 'consent':
    case 'split':
    case 'spread':
      return [answer('y', 'yes', 'yes'), answer('n', 'no', 'no')];
    case 'pattern':
      return [look('c', 'the configuration in force', ['config']), answer('k', 'keep it: the files are still to come', 'keep')];
    case 'budget':
      return [answerText('allow more', 'AMOUNT'), answer('n', 'no', 'no')];
    case 'question':
    case 'ask':
      return [...optionSteps(asked), answerText('answer'), ...window];
    case 'agent':
      return [answerText('tell it something'), ...open, ...last];
    case 'parked':
      return [
        answerText('what to do differently', '"what to do differently"'),
        step('r', 'try again', ['retry', subject]),
        look('w', 'why', ['why', subject]),
        ...logs,
        giveUp,
      ];
    case 'blocked':
      return [
        answerText('what was missing', '"what was missing"'),
        step('u', 'unblock', ['unblock', subject]),
        aside('w', 'why', ['why', subject]),
        giveUp,
      ];
    case 'unlanded':
      return [
        look('d', 'see the change', ['diff', subject]),
        answer('y', 'let it land', 'land'),
        answer('n', 'drop it: no change is needed', 'drop'),
        { ...answerText('what to do instead', '"what to do instead"'), aside: true },
      ];
    case 'queue':
      return [step('r', 'mended: the queue runs again', ['queue', 'resume']), ...logs];
    case 'review':
      return [
        look('d', 'see the change', ['diff', subject]),
        answer('y', 'let it land', 'land'),
        answer('a', 'once more', 'again'),
        answerText('what to do differently', '"what to do differently"'),
      ];
    case 'approval':
      return [
        look('d', 'see the change', ['diff', subject]),
        step('y', 'let it land', ['approve', subject]),
        typed('n', 'send it back', ['reject', subject, '--reason'], 'TEXT'),
      ];
    case 'trust':
      return [step('t', 'see what would run, and trust it', ['trust'])];
    case 'target-moved':
      return [answer('k', 'keep the commit', 'keep')];
    case 'config':
      return [look('c', 'what is wrong', ['config'])];
    case 'board':
      return [look('l', 'which files', ['list'])];
    case 'conflict':
    case 'rejected':
      return [look('w', 'why', ['why', subject]), look('d', 'see the change', ['diff', subject])];
    case 'after':
      return [...logs, look('f', 'the record of the checks', ['queue', '--flakes']), answer('s', 'seen', 'seen')];
    default:
      return [answer('s', 'seen', 'seen')];
  }
}

/** The commands that deal with a question, as a person types them. */
export function nextSteps(asked: Asked): string[] {
  const more = asked.kind === 'target-moved' ? [`git reflog ${asked.subject}`] : [];
  return [
    ...stepsFor(asked)
      .filter((one) => !one.aside)
      .map(commandLine),
    ...more,
  ];
}

function commandLine({ command, takes }: NextStep): string {
  const words = [...command.map(quoted), ...(takes === null ? [] : [takes])];
  return `furrow ${words.join(' ')}`;
}

const quoted = (word: string) => (/\s/.test(word) ? `"${word}"` : word);
