import { FurrowError } from '../../platform/error.ts';
import type { BoardConfig } from './board-config.ts';
import { dueDate } from './due-date.ts';
import { isAgentWord } from './parse.ts';

/** The fields of a task that a person gives in a command, named as in its file. An empty text removes a field. */
export interface GivenFields {
  readonly title?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
  readonly priority?: string | undefined;
  readonly class?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly race?: number | readonly string[] | undefined;
  readonly needs?: readonly string[] | undefined;
  readonly due?: string | undefined;
}

/** The names that a board and its configuration define. */
interface Known {
  readonly config: Pick<BoardConfig, 'priorities' | 'classes'>;
  /** The kinds of agent that can be started. */
  readonly kinds: readonly string[];
  /** The resources that furrow.yaml names. */
  readonly resources: readonly string[];
  /** The reason why a task cannot wait for the one of this name; `undefined` when it can. */
  readonly refuses: (dependency: string) => string | undefined;
}

/**
 * Refuses a field that would leave an unreadable file, or a task that never starts: what a command accepts must be valid on the board.
 * Answers `due` as the date that it names.
 */
export function checkFields<T extends GivenFields>(given: T, known: Known, now: number): T {
  if (given.title !== undefined && given.title.trim() === '') throw new FurrowError('USAGE', 'a task needs a title');
  oneOf('priority', given.priority, known.config.priorities);
  oneOf('class', given.class, known.config.classes);
  oneOf('agent', given.agent, known.kinds);
  for (const kind of Array.isArray(given.race) ? (given.race as readonly string[]) : []) oneOf('agent', kind, known.kinds);
  for (const key of ['model', 'effort'] as const) {
    const value = given[key];
    if (value && !isAgentWord(value))
      throw new FurrowError('USAGE', `--${key} must be one word that begins with a letter or digit`, {
        hint: `furrow edit TASK --${key} NAME`,
      });
  }
  for (const name of given.needs ?? []) {
    if (known.resources.includes(name)) continue;
    const hint = known.resources.length > 0 ? `--needs ${known.resources.join('|')}` : `add "resources: { ${name}: 1 }" to furrow.yaml`;
    throw new FurrowError('NO_RESOURCE', `furrow.yaml has no resource ${name}`, { hint });
  }
  for (const name of given.depends_on ?? []) {
    const why = known.refuses(name);
    if (why) throw new FurrowError('NO_TASK', `--depends-on ${name}: ${why}`, { hint: 'furrow list' });
  }
  if (given.due === undefined || given.due === '') return given;
  const due = dueDate(given.due, now);
  if (!due)
    throw new FurrowError('BAD_DATE', `--due must be a date, not "${given.due}"`, { hint: 'a date such as 2030-12-31, today or tomorrow' });
  return { ...given, due };
}

const CALLED: Record<string, string> = {
  priority: 'the board has no priority',
  class: 'the board has no class',
  agent: 'furrow.yaml has no agent kind',
};

function oneOf(field: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || value === '' || known.includes(value)) return;
  throw new FurrowError(`NO_${field.toUpperCase()}`, `${CALLED[field]} ${value}`, { hint: `--${field} ${known.join('|')}` });
}
