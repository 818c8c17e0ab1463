import type { ListedAgent, ListedTask } from '../../api/contract.ts';
import { agentState, ENTRY_STATES, entryPlace, kindOf, TASK_STATES } from '../../tell/face/states.ts';
import { subjectName, workFacts } from '../../tell/face/subject-names.ts';
import type { Question, QueueEntry } from '../../tell/face/view.ts';
import { nextSteps } from '../../work/question/next-step.ts';
import { cells, type Line, span, type Tone, words, wrap } from './line.ts';
import { agentGlyph } from './panel/agents.ts';
import { stepLines } from './panel/attention.ts';
import { refOf, taskGlyph } from './panel/board.ts';
import { eventLine } from './panel/events.ts';
import type { PanelId, Scene } from './panel/panel.ts';
import { entryKey } from './panel/queue.ts';
import { evidenceOf } from './question.ts';

const GONE: Line[] = [[span('it is not there any more', 'faint')]];

/** Everything that is known of one item, as lines. */
export function detailsOf(scene: Scene, panel: PanelId, key: string, width: number): Line[] {
  const { view, model } = scene;
  switch (panel) {
    case 'attention':
      return some(
        view.attention.find(({ id }) => id === key),
        (question) => ofQuestion(scene, question, width),
      );
    case 'agents':
    case 'timeline':
      return some(
        view.agents.find(({ name }) => name === key),
        (agent) => ofAgent(scene, agent, width),
      );
    case 'board':
      return some(
        view.tasks.find((task) => refOf(task) === key),
        (task) => ofTask(scene, task, width),
      );
    case 'queue':
      return some(
        view.entries.find((entry) => entryKey(entry) === key),
        (entry) => ofEntry(scene, entry, width),
      );
    case 'cost':
    case 'conflicts': {
      const agent = view.agents.find(({ name }) => name === key);
      const task = view.tasks.find(({ id }) => id === key);
      return agent ? ofAgent(scene, agent, width) : some(task, (one) => ofTask(scene, one, width));
    }
    case 'events':
      return some(
        model.events.find(({ seq }) => String(seq) === key),
        (event) => [eventLine({ ...event, text: event.kind }, width), [], ...wrap(event.text, width)],
      );
    default:
      return panel satisfies never;
  }
}

const some = <T>(item: T | undefined, lines: (item: T) => Line[]): Line[] => (item === undefined ? GONE : lines(item));

/** A fact with its name; nothing where there is none. */
function fact(name: string, value: string | null | undefined, width: number, tone: Tone = 'plain'): Line[] {
  if (value === null || value === undefined || value === '') return [];
  return wrap(value, Math.max(10, width - 12), tone).map((line, n) =>
    cells([[span(n === 0 ? name : '', 'faint')], 10], [line, width - 11]),
  );
}

function ofQuestion({ ages }: Scene, question: Question, width: number): Line[] {
  const { id, kind, agent, reason, since } = question;
  const facts = workFacts(question.work);
  const evidence = evidenceOf(question);
  return [
    [
      span(`question ${id}, ${kind}`, 'strong'),
      words(`${agent === null ? '' : ` of ${agent}`}, about ${subjectName(question)}`),
      span(`, ${ages.since(since)} ago`),
    ],
    ...facts.flatMap((text) => wrap(text, width, 'faint')),
    [],
    ...wrap(reason, width),
    ...(evidence.length > 0 ? [[]] : []),
    ...evidence.flatMap((text) => wrap(text, width - 2, 'faint').map((line): Line => [span('│ ', 'faint'), ...line])),
    [],
    ...stepLines(question, width),
    ...nextSteps(question).map((command): Line => [span('  '), words(command, 'faint')]),
  ];
}

function ofAgent({ ages, model }: Scene, agent: ListedAgent, width: number): Line[] {
  const cost = model.cost?.agents.find(({ name }) => name === agent.name);
  return [
    [
      agentGlyph(agent),
      span(' '),
      words(agent.name, 'strong'),
      words(`  ${kindOf(agent)}, ${agentState(agent).word}`),
      span(` for ${ages.since(agent.since)}`, 'faint'),
      span(cost && cost.usd > 0 ? `  $${cost.usd.toFixed(4)}` : '', 'faint'),
    ],
    ...fact('task', agent.task === null ? null : `${agent.task} ${agent.title ?? ''}`, width),
    ...fact('says', agent.says, width, 'warn'),
    ...fact('branch', agent.branch, width, 'faint'),
  ];
}

function ofTask({ model }: Scene, task: ListedTask, width: number): Line[] {
  const spent = model.cost?.tasks.find(({ id, phase }) => id === task.id && phase === task.phase);
  const events = model.events.filter((event) => event.task === task.id).slice(-EVENTS);
  return [
    [taskGlyph(task.state), span(' '), words(`${task.id} ${task.title}`, 'strong')],
    ...fact(
      'state',
      `${TASK_STATES[task.state].word} (${task.status} on the board), priority ${task.priority}, phase ${task.phase}`,
      width,
    ),
    ...fact('reason', task.reason, width, 'warn'),
    ...fact('agent', task.agent, width),
    ...fact('attempts', task.attempt > 0 ? String(task.attempt) : null, width),
    ...fact('waits for', task.depends_on.join(', '), width),
    ...fact('branch', task.branch, width, 'faint'),
    ...fact('commit', task.commit, width, 'faint'),
    ...fact('taken by', task.taken_by, width),
    ...fact('cost', spent && spent.usd > 0 ? `$${spent.usd.toFixed(4)}` : null, width),
    ...(events.length > 0 ? [[]] : []),
    ...events.map((event) => eventLine(event, width)),
  ];
}

const EVENTS = 40;

function ofEntry({ ages }: Scene, entry: QueueEntry, width: number): Line[] {
  return [
    [words(`${entry.task} ${entry.title}`, 'strong'), span(`  ${ENTRY_STATES[entryPlace(entry)].word}`)],
    ...fact('reason', entry.reason, width, 'warn'),
    ...fact('commit', entry.sha, width, 'faint'),
    ...fact('target', entry.target, width),
    ...fact('approved', entry.approved, width),
    ...fact('submitted', `${ages.since(entry.at)} ago, attempt ${entry.attempt}`, width),
  ];
}
