import type { Out } from '../../../api/contract.ts';
import { STOPPED, standingWord } from '../../../tell/face/standing.ts';
import { countedStates, FARM_STATES, progressOf, queueWords, TASK_STATES } from '../../../tell/face/states.ts';
import type { Paint } from '../out.ts';
import { columns, cut, span } from './columns.ts';
import { agentState, bar, inTone, short } from './glyph.ts';
import { questionLines } from './question.ts';

type Status = Out<'status'>;

/** `furrow status` for people: the farm, its agents, the tasks, the queue, and last what needs an answer. */
export function statusLines(status: Status, now: number, paint: Paint): string[] {
  const blocks = [
    farmLine(status, now, paint),
    listAgents(status, now, paint),
    [
      tasksLine(status),
      queueLine(status, paint),
      ...status.queue.hanging.map((text) => `       ${paint.yellow(text)}`),
      ...queueNotes(status),
      ...configLine(status, paint),
      isolationLine(status, paint),
      ...accountsLine(status),
      ...hostsLine(status, paint),
    ],
  ];
  return [
    ...blocks.filter((block) => block.length > 0).flatMap((block) => [...block, '']),
    ...attentionLines(status, now, paint),
    ...inboxLines(status),
  ];
}

function farmLine({ farm, cost }: Status, now: number, paint: Paint): string[] {
  const { word, tone } = FARM_STATES[standingWord(farm)];
  const state = inTone(word, tone, paint);
  const spent = cost.usd > 0 || cost.tokens > 0 ? `  $${cost.usd.toFixed(2)}, ${cost.tokens} tokens` : '';
  const line = `${paint.bold('farm')}  ${state}  ${paint.dim(`${farm.pid === null ? 'no daemon' : `pid ${farm.pid}`}, furrow ${farm.version}`)}${spent}`;
  return farm.stopped === null
    ? [line]
    : [line, `      ${paint.yellow(`stopped by you ${span(now - Date.parse(farm.stopped))} ago: ${STOPPED}`)}`];
}

function listAgents({ agents }: Status, now: number, paint: Paint): string[] {
  if (agents.length === 0) return [];
  const rows = agents.map((agent) => [
    `${agent.index}  ${agent.name}`,
    agentState(agent, paint),
    agent.task === null ? '-' : cut(`${agent.task} ${agent.title ?? ''}`.trim(), 44),
    agent.attempt !== null && agent.attempt > 1 ? `try ${agent.attempt}` : '',
    span(now - Date.parse(agent.since)),
    paint.dim(agent.host === undefined ? (agent.branch ?? '') : `${agent.branch ?? ''} on ${agent.host}`),
  ]);
  return columns([['#  agent', 'state', 'task', '', 'since', 'branch'].map(paint.dim), ...rows]);
}

function tasksLine({ tasks }: Status): string {
  const { landed, total } = progressOf(tasks);
  return `tasks  ${bar(landed, total, 20)} ${landed}/${total}  ${countedStates(TASK_STATES, tasks)}`;
}

function queueLine({ queue }: Status, paint: Paint): string {
  const head = queue.head === null ? `  landing on ${queue.target}` : `  ${queue.target} at ${short(queue.head)}`;
  const first = queue.draining === null ? '' : paint.yellow(`  first ${queue.draining.entries} for ${queue.draining.target}`);
  const behind = queue.waiting === null ? '' : paint.yellow(`  not yet published: ${queue.waiting}`);
  const paused = queue.paused ? paint.yellow('  paused: furrow queue resume') : '';
  return `queue  ${queueWords(queue)}${head}${first}${behind}${paused}`;
}

/** Slow checks and pushes that are still to come. */
const queueNotes = ({ queue }: Status) => queue.pending.map((text) => `       still to come: ${text}`);

function configLine({ config: { differs } }: Status, paint: Paint): string[] {
  return differs === null ? [] : [`config ${paint.yellow(`${differs}; furrow config shows what is in force`)}`];
}

function isolationLine({ isolation: { level, why } }: Status, paint: Paint): string {
  return `isolation: ${level === 'none' ? paint.yellow(level) : level}${why === null ? '' : ` (${why})`}`;
}

/** The accounts in use, where a kind names several. */
function accountsLine({ agents }: Status): string[] {
  const used = agents.flatMap(({ name, account }) => (account === undefined ? [] : [`${name} ${account}`]));
  return used.length === 0 ? [] : [`accounts: ${used.join(', ')}`];
}

/** The machines that joined, and what they do. */
function hostsLine({ hosts = [] }: Status, paint: Paint): string[] {
  const shown = hosts.map(({ name, state, checking, checks }) =>
    state === 'joined' ? `${name} ${checking} of ${checks} checks` : paint.yellow(`${name} ${state}`),
  );
  return shown.length === 0 ? [] : [`hosts  ${shown.join(', ')}`];
}

/** Words of agents to the person, who need not do anything about them. */
function inboxLines({ inbox }: Pick<Status, 'inbox'>): string[] {
  return inbox === 0 ? [] : [`${inbox} ${inbox === 1 ? 'message' : 'messages'} for you: furrow inbox`];
}

function attentionLines({ attention }: Pick<Status, 'attention'>, now: number, paint: Paint): string[] {
  if (attention.length === 0) return [paint.dim('nothing needs you')];
  return [
    paint.bold(`${attention.length} ${attention.length === 1 ? 'thing needs' : 'things need'} you`),
    ...attention.flatMap((question) => questionLines(question, now, paint)),
  ];
}
