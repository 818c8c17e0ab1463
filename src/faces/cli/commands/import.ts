import type { Client } from '../../../api/client.ts';
import type { In } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Forge, Issue } from '../../../repo/forge/forge.ts';
import { type IssueTask, inOrder, taskOf } from '../../../repo/forge/issue-task.ts';
import type { Context } from '../command.ts';
import { forgeHere } from '../forge-here.ts';
import { safe } from '../view/safe.ts';

/** One issue of an import; `id`: its task, new or not. */
interface Imported {
  readonly issue: number;
  readonly url: string;
  readonly id: string | null;
  readonly title: string;
  readonly state: 'new' | 'known' | 'closed';
  readonly depends_on: readonly string[];
  /** Issues that it needs and that are no tasks. */
  readonly without: readonly number[];
}

type Wanted = Issue & IssueTask;

/** Makes a task of each issue that the person names, by number or by label. One that is a task already stays as it is. */
export async function importIssues(context: Context): Promise<number> {
  const { args } = context;
  const { place, forge, label: usual } = await forgeHere(context);
  const wanted = (await asked(forge, args.list('issue'), args.text('label') ?? usual)).map((issue) => ({ ...issue, ...taskOf(issue) }));
  const farm = await context.farm();
  const phase = args.text('phase');
  const more = { ...(phase !== undefined && { phase }), dry: args.flag('dry-run') };
  const done: Imported[] = [];
  for await (const one of imported(farm, inOrder(wanted), more)) {
    done.push(one);
    context.print(lineOf(safe(one), more.dry));
  }
  const made = done.filter(({ state }) => state === 'new').length;
  if (wanted.length === 0) context.print(`no open issue of ${place.project} has this label`);
  else if (made > 0)
    context.print(`${made} ${made === 1 ? 'task' : 'tasks'}${more.dry ? ' would be made' : ''}; furrow plan says what would run`);
  context.document({ forge: place.kind, project: place.project, issues: done });
  return 0;
}

async function asked(forge: Forge, numbers: readonly string[] | undefined, label: string | null): Promise<Issue[]> {
  const hint = 'furrow import --issue 12, or --label NAME';
  const wrong = numbers?.find((text) => !/^#?\d{1,9}$/.test(text));
  if (wrong !== undefined) throw new FurrowError('USAGE', `${wrong} is no number of an issue`, { hint });
  const found: Issue[] = [];
  for (const number of new Set(numbers?.map((text) => Number(text.replace('#', ''))))) found.push(await forge.issue(number));
  if (numbers) return found;
  if (label) return forge.issues(label);
  throw new FurrowError('USAGE', 'which issues? Others can write them, so furrow takes none by itself', {
    hint: `${hint}, or in furrow.yaml forge: { issues: { label: furrow } }`,
  });
}

interface Into {
  readonly phase?: string;
  readonly dry: boolean;
}

async function* imported(farm: Client, wanted: readonly Wanted[], into: Into): AsyncGenerator<Imported> {
  const known = await tasksOfIssues(farm);
  const ids = new Map(wanted.flatMap(({ number, url }) => (known.has(url) ? [[number, known.get(url)!] as const] : [])));
  for (const { number, url, title, body, needs, state } of wanted) {
    const one = { issue: number, url, title, depends_on: [], without: [] };
    const there = ids.get(number);
    if (there !== undefined || state === 'closed') {
      yield { ...one, id: there ?? null, state: there === undefined ? 'closed' : 'known' };
      continue;
    }
    const beside = new Map(needs.map((need) => [need, ids.get(need) ?? taskOfIssue(known, url, number, need)]));
    const depends_on = [...beside.values()].filter((id) => id !== undefined);
    const without = needs.filter((need) => beside.get(need) === undefined);
    const task = { title, body, issue: url, ...(depends_on.length > 0 && { depends_on }) };
    const made = into.dry
      ? { id: null, state: 'new' as const }
      : await make(farm, { ...task, ...(into.phase !== undefined && { phase: into.phase }) });
    ids.set(number, made.id ?? `#${number}`);
    yield { ...one, ...made, ...(made.state === 'new' && { depends_on, without }) };
  }
}

/** Adds a task; somebody else may have made one of the same issue a moment ago. */
async function make(farm: Client, task: In<'add'> & { issue: string }): Promise<Pick<Imported, 'id' | 'state'>> {
  try {
    return { id: (await farm.call('add', task)).id, state: 'new' };
  } catch (error) {
    if (!(error instanceof FurrowError && error.code === 'HAS_TASK')) throw error;
    return { id: (await tasksOfIssues(farm)).get(task.issue) ?? null, state: 'known' };
  }
}

/** The tasks that were made of issues, by the address of these. */
async function tasksOfIssues(farm: Client): Promise<Map<string, string>> {
  const { tasks } = await farm.call('list', {});
  const phases = new Set(tasks.map((task) => task.phase));
  const nameOf = (task: { readonly phase: string; readonly id: string }) => (phases.size > 1 ? `${task.phase}/${task.id}` : task.id);
  return new Map(tasks.flatMap((task) => (task.issue === undefined ? [] : [[task.issue, nameOf(task)] as const])));
}

/** The task of another issue of the same repository: their addresses differ only in the number at the end. */
const taskOfIssue = (known: ReadonlyMap<string, string>, url: string, number: number, other: number): string | undefined =>
  url.endsWith(`/${number}`) ? known.get(`${url.slice(0, -String(number).length)}${other}`) : undefined;

function lineOf({ issue, id, title, state, depends_on, without }: Imported, dry: boolean): string {
  if (state === 'known') return `#${issue} is task ${id} already  ${title}`;
  if (state === 'closed') return `#${issue} is closed, left out  ${title}`;
  const waits = depends_on.length > 0 ? `, after ${depends_on.join(', ')}` : '';
  const lacks =
    without.length > 0
      ? `; it also needs ${without.map((one) => `#${one}`).join(', ')}, which ${without.length === 1 ? 'is no task' : 'are no tasks'}`
      : '';
  return `#${issue} ${dry ? 'would become a task' : `is task ${id}`}${waits}${lacks}  ${title}`;
}
