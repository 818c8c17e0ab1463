/** A question, as far as its next step goes. */
interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly agent: string | null;
  readonly output?: { readonly check: string } | null | undefined;
}

/** One way to deal with a question: a command of furrow, and the key that stands for it where a person walks through the questions. */
export interface NextStep {
  readonly key: string;
  readonly says: string;
  /** The words after `furrow`. */
  readonly command: readonly string[];
  /** The placeholder of the text that is typed behind the command; null: there is none. */
  readonly takes: string | null;
  /** A look: the question is still open after it. */
  readonly looks: boolean;
}

const step = (key: string, says: string, command: readonly string[]): NextStep => ({ key, says, command, takes: null, looks: false });
const look = (key: string, says: string, command: readonly string[]): NextStep => ({ ...step(key, says, command), looks: true });
const typed = (key: string, says: string, command: readonly string[], takes: string): NextStep => ({ ...step(key, says, command), takes });

/** Its reason names what to type, or it goes away when the thing is mended. */
const SAYS_ITSELF = new Set([
  'act',
  'agent-kind',
  'waits',
  'hanging',
  'lease',
  'lease-circle',
  'reopen',
  'removed',
  'merge',
  'push',
  'publish',
  'survivors',
  'trouble',
  'target',
]);

/** The answers that make sense for a question, by its kind: each is settled in its own way, and only some by an answer. */
export function stepsFor(asked: Asked): NextStep[] {
  const { id, kind, subject, agent, output } = asked;
  if (SAYS_ITSELF.has(kind)) return [];
  const answer = (key: string, says: string, word: string) => step(key, says, ['answer', id, word]);
  const answerText = (says: string, takes = 'TEXT') => typed('t', says, ['answer', id], takes);
  const giveUp = answer('g', 'give up: the task is parked', 'give up');
  const logs = output ? [look('l', 'all of its output', ['logs', output.check])] : [];
  switch (kind) {
    case 'permission':
      return [answer('a', 'allow', 'allow'), answer('d', 'deny', 'deny')];
    case 'consent':
    case 'split':
      return [answer('y', 'yes', 'yes'), answer('n', 'no', 'no')];
    case 'budget':
      return [answerText('allow more', 'AMOUNT'), answer('n', 'no', 'no')];
    case 'question':
    case 'ask':
      return [answerText('answer')];
    case 'agent':
      return [answerText('tell it something'), ...(agent ? [look('j', 'open its window', ['attach', agent])] : [])];
    case 'parked':
      return [
        answerText('what to do differently', '"what to do differently"'),
        step('r', 'try again', ['retry', subject]),
        look('w', 'why', ['why', subject]),
        ...logs,
        giveUp,
      ];
    case 'blocked':
      return [answerText('what was missing', '"what was missing"'), step('u', 'unblock', ['unblock', subject]), giveUp];
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
  return [...stepsFor(asked).map(commandLine), ...more];
}

function commandLine({ command, takes }: NextStep): string {
  const words = [...command.map(quoted), ...(takes === null ? [] : [takes])];
  return `furrow ${words.join(' ')}`;
}

const quoted = (word: string) => (/\s/.test(word) ? `"${word}"` : word);
