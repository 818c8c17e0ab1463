import { z } from 'zod';
import { agentWord, amount, command, duration, environment, field, line, pattern, rooted, several, variable, word } from './fields.ts';

/** The drivers that there are, one a kind of coding agent. */
export const DRIVERS = ['claude', 'codex', 'opencode', 'gemini', 'acp', 'command', 'scripted'] as const;

/** The value of every `env:`. */
export const variables = "names mapped to text; names that start with FURROW_ are furrow's own";

const dollars = field(amount, 'an amount such as 3 or 0.25', 'US dollars a million tokens.');
const price = z.strictObject({ input: dollars, output: dollars, cached: dollars.optional() });

/** One kind of coding agent, below `agents:`. */
export const agentSchema = z.strictObject({
  driver: field(
    z.enum(DRIVERS).optional(),
    `one of ${DRIVERS.join(', ')}`,
    "The code that knows this kind of coding agent. Default: the kind's own name, else `command`.",
  ),
  run: field(command.optional(), 'a command line', 'The command to start, for `driver: command` and `driver: acp`.'),
  commit: field(
    z.enum(['auto', 'agent']).optional(),
    'auto or agent',
    "`auto`: furrow commits what the agent left uncommitted; `agent`: only the agent commits. Default: the driver's.",
  ),
  timeout: field(duration.optional(), 'a time such as 30m, 10s or 1h30m', 'How long one attempt may take. Default: no limit.'),
  permission: field(
    z.enum(['observe', 'suggest', 'act', 'fence']).default('observe'),
    'one of observe, suggest, act, fence',
    "The answer to the agent's permission prompts. `fence`: yes to all that no rule denies; only where agents run in a fence.",
  ),
  role: field(
    z.enum(['agent', 'orchestrator']).default('agent'),
    'agent or orchestrator',
    'An orchestrator may also add, edit and move tasks, try them again, and pause and resume agents.',
  ),
  model: field(line.optional(), 'the name of a model', 'Passed on to the agent. `model:` of a task wins.'),
  effort: field(
    agentWord.optional(),
    'a level such as low, medium or high',
    'How hard the agent thinks; for drivers that can be told (claude, codex, acp, command). `effort:` of a task wins.',
  ),
  args: field(z.array(word).default([]), 'a list of words', "More arguments for the agent's command line."),
  env: field(environment.default({}), variables, 'Environment of the agent.'),
  pass_env: field(
    several(variable).default([]),
    'a list of names of environment variables',
    "The variables of furrow's own environment that the agent gets.",
  ),
  mode: field(
    z.enum(['window', 'headless']).optional(),
    'window or headless',
    'Lets the agent show its own screen in its window. Default: `window` for agents that have one.',
  ),
  config_home: field(
    z.enum(['user', 'own']).default('user'),
    'user or own',
    'Your own login and settings, or a configuration folder for each agent, seeded from yours.',
  ),
  accounts: field(
    several(rooted).default([]),
    'a list of folders that begin with / or ~/',
    'Configuration folders of this agent, each with a login of its own: after a usage limit of one the next is used. Default: your own folder alone.',
  ),
  stuck: field(
    duration.prefault('10m'),
    'a time such as 30m, 10s or 1h30m',
    'How long an agent may give no sign of life before furrow looks, reminds it, and asks.',
  ),
  price: field(price.optional(), 'a map with input, output and cached', 'US dollars a million tokens, for agents that report only tokens.'),
});

const rule = z.strictObject({
  do: field(z.enum(['allow', 'deny']), 'allow or deny', 'The answer. A deny wins over every allow.'),
  tool: field(line.optional(), 'run, edit, read, fetch, or the name of a tool', 'The tool. Default: any.'),
  command: field(line.optional(), 'a pattern with * and ?', 'Each command of the line must match an allowed one.'),
  path: field(pattern.optional(), 'a path or pattern inside the worktree', 'Every file the tool names must match.'),
});

/** The answers to what agents ask leave for. */
export const permissions = z.strictObject({
  timeout: field(duration.prefault('10m'), 'a time such as 30m, 10s or 1h30m', 'How long a request waits for you. Then it is denied.'),
  rules: field(
    z.array(rule).default([]),
    'a list of maps with `do` and any of `tool`, `command`, `path`',
    'What agents of `permission: act` may and may not do without asking.',
  ),
});
