import { MOST_TASKS } from './proposal.ts';

/** Everything that an agent must know to split a goal into tasks. */
interface ToSplit {
  readonly goal: string;
  readonly body: string;
  readonly kinds: readonly string[];
  readonly priorities: readonly string[];
  /** Tasks of the board that are still to be done. */
  readonly open: readonly { readonly id: string; readonly title: string }[];
}

const SHOWN = 60;

/** The brief of a split: what to split, and the form of the answer. */
export function splitBrief({ goal, body, kinds, priorities, open }: ToSplit): string {
  return [
    'Split this into tasks that several agents can do at the same time, each in a worktree of its own. Read the repository first.',
    `## To be split\n\n${goal}${body.trim() === '' ? '' : `\n\n${body.trim()}`}`,
    [
      '## Rules',
      '- Each task lands by itself, after the checks passed on it: it must leave the repository working.',
      '- Tasks that change the same files conflict. Give each its own `paths`, or let one wait for the other.',
      '- Whoever does a task reads nothing but its title and body: say there what is to be done, and how it is known to be done.',
      `- At most ${MOST_TASKS} tasks. Fewer are better.`,
    ].join('\n'),
    [
      '## The answer',
      'JSON, and nothing else:',
      '```json',
      '{ "tasks": [ { "key": "parser", "title": "Parse dates", "body": "…", "paths": ["src/dates/**"], "depends_on": [], "priority": "medium" } ] }',
      '```',
      '`key` is a name of your own; `depends_on` has keys of this answer, or ids of the board. `paths`, `depends_on`, `priority` and `agent` may be left out.',
      `priority: ${priorities.join(', ')}. agent: ${kinds.join(', ')}; leave it out unless the task needs that one.`,
    ].join('\n'),
    boardWords(open),
  ].join('\n\n');
}

function boardWords(open: ToSplit['open']): string {
  if (open.length === 0) return 'Nothing else is on the board.';
  const rest = open.length > SHOWN ? [`- and ${open.length - SHOWN} more`] : [];
  return ['## On the board', ...open.slice(0, SHOWN).map(({ id, title }) => `- ${id}: ${title}`), ...rest].join('\n');
}
