import { z } from 'zod';
import { normalPattern } from '../../platform/glob.ts';
import { inOrder } from './order.ts';

/** One task that an agent proposes. */
export interface ProposedTask {
  /** Its name within the proposal. */
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly paths: readonly string[];
  /** Keys of the proposal, or ids of the board. */
  readonly depends_on: readonly string[];
  readonly priority?: string | undefined;
  readonly agent?: string | undefined;
}

/** The names that a proposal may use. */
export interface Known {
  readonly kinds: readonly string[];
  readonly priorities: readonly string[];
  /** True for an id that a task of the board has. */
  readonly taken: (id: string) => boolean;
  /** The reason why a new task cannot wait for the one of this name; `undefined` when it can. */
  readonly refuses: (id: string) => string | undefined;
}

type Proposal = { readonly tasks: readonly ProposedTask[] } | { readonly problems: readonly string[] };

export const MOST_TASKS = 20;
const TITLE = 200;
const BODY = 16 * 1024;

const staysInside = (glob: string) => normalPattern(glob) !== undefined;
const oneLine = (text: string) => text.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

const task = z.strictObject({
  key: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'a short name of letters, digits, ., _ and -'),
  title: z.string().max(TITLE).refine(oneLine, 'one line of text'),
  body: z.string().max(BODY).default(''),
  paths: z
    .array(z.string().min(1).max(200).refine(staysInside, 'a path or pattern inside the repository, without ".."'))
    .max(50)
    .default([]),
  depends_on: z.array(z.string().min(1).max(100)).max(50).default([]),
  priority: z.string().optional(),
  agent: z.string().optional(),
});
const proposal = z.strictObject({ tasks: z.array(task).min(1).max(MOST_TASKS) });

/** Reads the answer of an agent. It reports all faults at once, so that one more try can be enough. */
export function readProposal(text: string, known: Known): Proposal {
  let json: unknown;
  try {
    json = JSON.parse(unfenced(text));
  } catch (error) {
    return { problems: [`it is not JSON: ${(error as Error).message}`] };
  }
  const read = proposal.safeParse(json);
  if (!read.success) return { problems: read.error.issues.map(issueWords) };
  const tasks = read.data.tasks;
  const problems = [
    ...twice(tasks, 'key'),
    ...twice(tasks, 'title'),
    ...tasks.flatMap((one) => unknown(one, tasks, known)),
    ...circle(tasks),
  ];
  return problems.length > 0 ? { problems } : { tasks };
}

/** An agent may put its JSON into a block of Markdown. */
const unfenced = (text: string) => /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text;

function issueWords(issue: z.core.$ZodIssue): string {
  const where = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const keys = issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')} cannot be set here: ` : '';
  return `${where.slice(1) || 'the answer'}: ${keys}${issue.message}`;
}

function twice(tasks: readonly ProposedTask[], field: 'key' | 'title'): string[] {
  const found = tasks.filter((one, n) => tasks.findIndex((other) => other[field] === one[field]) < n);
  return found.map((one) => `two tasks have the ${field} ${one[field]}`);
}

function unknown({ key, depends_on, priority, agent }: ProposedTask, tasks: readonly ProposedTask[], known: Known): string[] {
  const own = new Set(tasks.map((one) => one.key));
  const waits = depends_on.map((name) => {
    if (own.has(name)) return undefined;
    const why = known.refuses(name);
    return why && `${key} cannot wait for ${name}: ${why}`;
  });
  return [
    ...waits.filter((one) => one !== undefined),
    ...(known.taken(key) ? [`the key ${key} is the id of a task on the board: use another`] : []),
    ...(priority !== undefined && !known.priorities.includes(priority)
      ? [`${key}: there is no priority ${priority}, only ${known.priorities.join(', ')}`]
      : []),
    ...(agent !== undefined && !known.kinds.includes(agent)
      ? [`${key}: there is no kind of agent ${agent}, only ${known.kinds.join(', ')}`]
      : []),
  ];
}

function circle(tasks: readonly ProposedTask[]): string[] {
  const ordered = new Set(inOrder(tasks));
  const rest = tasks.filter((one) => !ordered.has(one)).map((one) => one.key);
  return rest.length > 0 ? [`these wait for each other: ${rest.join(', ')}`] : [];
}
