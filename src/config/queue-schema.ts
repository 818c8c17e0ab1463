import { z } from 'zod';
import { variables } from './agent-schema.ts';
import { checkName, command, duration, environment, field, inside, line, pattern, resourceName, several, whole, yesNo } from './fields.ts';

/** The value of every list of paths. */
export const patterns = 'a list of paths or patterns inside the repository';

/** One check, below `checks:` and `queue.after:`. */
export const checkSchema = z.strictObject({
  name: field(checkName.optional(), 'a short name', 'Shown, and written into landing commits. Default: `check-1`, `check-2`, …'),
  run: field(command, 'a command line', 'Must exit 0 on a tree before it lands.'),
  timeout: field(duration.prefault('10m'), 'a time such as 30m, 10s or 1h30m', 'After this the check is ended, and counts as failed.'),
  env: field(environment.default({}), variables, 'Environment of the check.'),
  dir: field(inside.optional(), 'a folder inside the repository', 'The folder that the check runs in. Default: the root.'),
  paths: field(
    several(pattern, 1).optional(),
    patterns,
    'The files that the check depends on: it runs only when one of them changed. Default: everything.',
  ),
  needs: field(
    several(resourceName, 1).optional(),
    'a list of names from `resources`, or host:LABEL',
    'Resources that the check holds while it runs. `host:LABEL`: it runs only on machines with that label (docs/hosts.md). Default: none.',
  ),
});

const regenerate = z.strictObject({
  paths: field(several(pattern, 1), patterns, 'The files that the command writes.'),
  run: field(command, 'a command line', 'Regenerates them from the rest of the tree.'),
  timeout: field(duration.prefault('5m'), 'a time such as 30m, 10s or 1h30m', 'After this it is ended, and the conflict goes back.'),
});

/** The value of `queue:`. */
export const queue = z.strictObject({
  slots: field(
    z.union([z.literal('auto'), whole(1, 64)]).default('auto'),
    'auto or a whole number from 1 to 64',
    'How many checks run at a time.',
  ),
  batch: field(
    whole(1, 64).default(8),
    'a whole number from 1 to 64',
    'The most entries in one segment of the stack. From 8 on: twice as many with two slots, four times as many with one. A landing may contain several segments.',
  ),
  retries: field(
    whole(0, 10).default(1),
    'a whole number from 0 to 10',
    'How often a single red entry is checked again before it is rejected.',
  ),
  history: field(
    z.enum(['merge', 'linear']).default('merge'),
    'merge or linear',
    'The form of a landing of several tasks: a merge commit with one commit for each task behind it, or one commit for all.',
  ),
  keep_commits: field(
    yesNo.default(false),
    'true or false',
    "Keeps the agents' own commits in the history; else each task is one commit. Not with `history: linear`.",
  ),
  message: field(
    command.nullable().default(null),
    'conventional, or a template',
    'The message of a landing that is not one commit of its author. A template has {title}, {summary}, {subjects}, {task}, {agent}, ' +
      '{attempt}, {type}, {scope}. Default: title, summary and the subjects of the commits.',
  ),
  caches: field(
    several(pattern).default([]),
    patterns,
    'Ignored folders that a check starts with, as a check on the target or on a landed tree left them.',
  ),
  share_caches: field(
    yesNo.default(false),
    'true or false',
    "Lets a check read the caches as the last check in its slot left them, whatever branch that was. Saves copies of large caches, but then one branch's test code can decide another's verdict.",
  ),
  remote: field(
    line.nullable().default(null),
    'the name of a remote',
    'The remote to which the target is pushed after it was published. Never forced. Default: none.',
  ),
  after: field(
    z.array(checkSchema).default([]),
    'a list of checks, each with a `run`',
    'Checks too slow for the queue, run on what has landed. The task that makes one fail is reverted and done again.',
  ),
  union: field(several(pattern).default([]), patterns, 'Files in which both sides are kept when both only add lines: a changelog, say.'),
  regenerate: field(
    z.array(regenerate).default([]),
    'a list of maps with `paths` and `run`',
    'Files that a command writes, lockfiles above all: regenerated where they conflict.',
  ),
  rerere: field(yesNo.default(true), 'true or false', 'Resolves a conflict the same way as when it was resolved before.'),
});
