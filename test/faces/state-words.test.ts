import { describe, expect, it } from 'vitest';
import type { ListedAgent, Out, TaskState } from '../../src/api/contract.ts';
import { inTmux } from '../../src/daemon/show-in-tmux.ts';
import { hereLines } from '../../src/faces/cli/commands/here.ts';
import { listLines } from '../../src/faces/cli/commands/list.ts';
import { queueLines } from '../../src/faces/cli/commands/queue.ts';
import { reportLines } from '../../src/faces/cli/commands/report.ts';
import { showLines } from '../../src/faces/cli/commands/show.ts';
import { whyLines } from '../../src/faces/cli/commands/why.ts';
import { summary as workSummary } from '../../src/faces/cli/commands/work.ts';
import { paint } from '../../src/faces/cli/out.ts';
import { commands } from '../../src/faces/cli/table.ts';
import { statusLines } from '../../src/faces/cli/view/status.ts';
import { frame as workFrame } from '../../src/faces/cli/view/work.ts';
import { Ages } from '../../src/faces/top/ages.ts';
import { detailsOf } from '../../src/faces/top/details.ts';
import type { Line } from '../../src/faces/top/line.ts';
import { agentsPanel } from '../../src/faces/top/panel/agents.ts';
import { boardPanel } from '../../src/faces/top/panel/board.ts';
import { queuePanel } from '../../src/faces/top/panel/queue.ts';
import { found } from '../../src/faces/top/search.ts';
import { boardLines } from '../../src/tell/digest/board.ts';
import { columnsOf } from '../../src/tell/face/board.ts';
import { overview } from '../../src/tell/face/overview.ts';
import { stackOf } from '../../src/tell/face/stack.ts';
import {
  AGENT_STATES,
  agentState,
  attemptState,
  ENTRY_STATES,
  type EntryPlace,
  FARM_STATES,
  type StateWord,
  TASK_STATES,
} from '../../src/tell/face/states.ts';
import type { QueueEntry, View } from '../../src/tell/face/view.ts';
import { FAMILIES } from '../../src/tell/metrics/families.ts';
import { factsOf } from '../../src/tell/report/facts.ts';
import { page as reportPage } from '../../src/tell/report/html/page.ts';
import { pagePart } from '../support/page-part.ts';
import { story } from '../tell/report/rows.ts';
import { agent, entry, model, NOW, task, view } from './top/fixture.ts';

const [taskStateTag, agentStateTag, entryStateTag] = await Promise.all(
  ['TaskStateTag', 'AgentState', 'EntryState'].map((name) => pagePart('parts/state.tsx', name)),
);
const graphNode = await pagePart('parts/graph-node.tsx', 'TaskNode');
const stackPicture = await pagePart('parts/stack-picture.tsx', 'StackPicture');

const plain = paint(false);
const scene = (of: View) => ({ model: model(of), view: of, ages: new Ages(NOW) });
const text = (lines: readonly Line[]) => lines.map((line) => line.map((span) => span.text).join('')).join('\n');
const ROOM = { width: 160, height: 40 };
const CHOICE = { key: undefined, top: 0 };

/** Without the word and the sign of a state, and whatever is only room around them. */
const without = (shown: string, { word, glyph }: StateWord) =>
  shown
    .replace(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i'), '§')
    .replaceAll(new RegExp(`^ *\\${glyph} `, 'gm'), '')
    .replaceAll(/(className|class)="[^"]*"/g, '')
    .replaceAll(/x="[^"]*"/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * A face may show two states differently only by their words and signs of the table: all the rest of what it draws is the same. A face
 * with a word of its own for one of them differs in that word.
 */
function shareTheTable<S extends string>(states: readonly S[], shown: (state: S) => string, wordOf: (state: S) => StateWord): void {
  const rest = states.map((state) => [state, without(shown(state), wordOf(state))]);
  for (const state of states) expect(shown(state).toLowerCase()).toContain(wordOf(state).word);
  expect(rest).toEqual(states.map((state) => [state, rest[0]![1]]));
}

const status = (more: Partial<Out<'status'>>): Out<'status'> => ({ ...view({}).status, agents: [], attention: [], ...more });
const lineWith = (shown: readonly string[], part: string) => shown.find((line) => line.includes(part)) ?? '';
const facts = factsOf(story);

describe('a task', () => {
  const states = Object.keys(TASK_STATES) as TaskState[];
  const one = (state: TaskState) => task('7', { state, title: 'Parse dates' });
  const left = (state: TaskState) => ({ task: '7', phase: 'default', title: 'Parse dates', state, reason: null });
  const shown = (state: TaskState): Out<'show'> =>
    ({ ...one(state), file: 'x.md', files: [], body: '', reasons: [], attempts: [], reviews: [], race: null }) as unknown as Out<'show'>;
  const settled = (state: TaskState): Out<'settled'> =>
    ({ phase: 'default', landed: 0, total: 1, stopped: false, outputs: [], left: [{ ...left(state), id: '7', reason: '' }] }) as never;

  it.each<[face: string, (state: TaskState) => string]>([
    ['furrow list', (state) => listLines([one(state)], plain).join('\n')],
    ['furrow show', (state) => showLines(shown(state), plain).join('\n')],
    ['furrow why', (state) => whyLines({ subject: '7', state, reasons: [] }, plain)[0]!],
    ['the end of furrow work', (state) => lineWith(workSummary(settled(state), 1000, plain), 'Parse dates')],
    ['the details in furrow top', (state) => text(detailsOf(scene(view({ tasks: [one(state)] })), 'board', 'default/7', 100))],
    ['the search in furrow top', (state) => found(model(view({ tasks: [one(state)] })), 'parse')[0]!.text],
    ['a dialog of the page', (state) => taskStateTag!({ state })],
    [
      'the graph of the page',
      (state) =>
        graphNode({ node: { id: 'default/7', layer: 0, row: 0 }, task: one(state), words: true, critical: false }).replace(
          / aria-label="[^"]*"/,
          '',
        ),
    ],
    ['furrow report', (state) => lineWith(reportLines({ ...facts, left: [left(state)] }, plain), '7 Parse dates')],
    ['furrow report --html', (state) => reportPage({ ...facts, left: [left(state)] }).split('What is left')[1]!],
  ])('is called by the same word in %s', (_face, show) => shareTheTable(states, show, (state) => TASK_STATES[state]));

  it.each<[face: string, (state: TaskState) => string]>([
    [
      'furrow status',
      (state) =>
        lineWith(statusLines(status({ tasks: { [state]: 3 } }), NOW, plain), 'tasks')
          .split('/')[1]!
          .slice(1),
    ],
    [
      'furrow',
      (state) =>
        lineWith(hereLines(status({ tasks: { [state]: 3 } }), plain), 'tasks')
          .split('/')[1]!
          .slice(1),
    ],
  ])('is counted by the same word in %s', (_face, show) => shareTheTable(states, show, (state) => TASK_STATES[state]));

  it.each(states.filter((state) => state !== 'archived'))(
    'that is %s has the same title over its column in top and on the page',
    (state) => {
      const title = new RegExp(`^${TASK_STATES[state].word}$`, 'i');
      expect(columnsOf([one(state)]).find(({ tasks }) => tasks.length === 1)!.title).toMatch(title);
      const drawn = text(boardPanel.draw(scene(view({ tasks: [one(state)] })), ROOM, CHOICE).lines).split('\n')[0]!;
      expect(drawn.match(/([A-Z][a-z ]*) 1/)![1]).toMatch(title);
    },
  );

  it('that is to be done is called by the same word in the digest', () => {
    const open = states.filter((state) => state !== 'landed' && state !== 'archived');
    shareTheTable(
      open,
      (state) => boardLines(digestOf({ tasks: [one(state)] })).lines.at(-1)!,
      (state) => TASK_STATES[state],
    );
  });

  it('can be listed by the word that people read', () => {
    const option = commands.find(({ name }) => name === 'list')!.options!.find(({ name }) => name === 'state')!;
    const words = Object.values(TASK_STATES).map(({ word }) => word.replace(' ', '-'));
    expect(new Set(option.oneOf)).toEqual(new Set([...words, ...states]));
  });
});

describe('an agent', () => {
  const states = Object.keys(AGENT_STATES) as ListedAgent['state'][];
  const one = (state: ListedAgent['state']) => agent('ada', { state, task: '7', title: 'Parse dates' });
  const seen = (state: ListedAgent['state']) => scene(view({ agents: [one(state)] }));
  const drawn = (state: ListedAgent['state']) => {
    const at = status({ agents: [one(state)] });
    return workFrame({ status: at, landed: 0, total: 1, phase: 'default', events: [], note: '' }, 0, 1, { columns: 90, rows: 20 }, plain);
  };

  it.each<[face: string, (state: ListedAgent['state']) => string]>([
    ['furrow status', (state) => lineWith(statusLines(status({ agents: [one(state)] }), NOW, plain), 'ada')],
    ['furrow work', (state) => lineWith(drawn(state), 'ada')],
    ['furrow why', (state) => whyLines({ subject: 'ada', state, reasons: [] }, plain)[0]!],
    ['the home window of tmux', (state) => lineWith(overviewOf(view({ agents: [one(state)] })), 'ada')],
    ['furrow top', (state) => text(agentsPanel.draw(seen(state), ROOM, CHOICE).lines)],
    ['the details in furrow top', (state) => text(detailsOf(seen(state), 'agents', 'ada', 100))],
    ['the search in furrow top', (state) => found(model(view({ agents: [one(state)] })), 'ada')[0]!.text],
    ['the page', (state) => agentStateTag!({ agent: one(state) })],
    ['the digest', (state) => lineWith(boardLines(digestOf({ agents: [one(state)] })).lines, 'agents:')],
  ])('is in the same state in %s', (_face, show) => shareTheTable(states, show, (state) => AGENT_STATES[state]));

  it('that is paused and waits says both in the same order in every face', () => {
    const both = agent('ada', { state: 'waiting', detail: 'permission', paused: true });
    const { word } = agentState(both);
    const at = view({ agents: [both] });
    const faces = [
      statusLines(status({ agents: [both] }), NOW, plain).join('\n'),
      overviewOf(at).join('\n'),
      text(agentsPanel.draw(scene(at), ROOM, CHOICE).lines),
      text(detailsOf(scene(at), 'agents', 'ada', 100)),
      agentStateTag!({ agent: both }),
      boardLines(digestOf({ agents: [both] })).lines.join('\n'),
    ];
    expect(faces.filter((face) => !face.includes(word))).toEqual([]);
  });
});

describe('an entry', () => {
  const OPEN = ['checking', 'landing', 'approval', 'review', 'queued', 'held', 'quarantined'] as const satisfies EntryPlace[];
  const stored: Readonly<Record<string, QueueEntry['state']>> = { landing: 'queued', approval: 'held', review: 'held' };
  const one = (place: EntryPlace) => {
    const code = place in stored ? place : null;
    return entry('7', { state: stored[place] ?? (place as QueueEntry['state']), code, title: 'Parse dates' });
  };
  const at = (place: EntryPlace) => view({ entries: [one(place)] });
  const queue = (place: EntryPlace): Out<'queue'> => ({ ...at(place).queue, entries: [one(place)], landings: [] });

  it.each<[face: string, (place: EntryPlace) => string]>([
    ['furrow queue', (place) => lineWith(queueLines(queue(place), NOW, plain), 'Parse dates')],
    ['the home window of tmux', (place) => lineWith(overviewOf(at(place)), 'Parse dates')],
    ['furrow top', (place) => lineWith(text(queuePanel.draw(scene(at(place)), ROOM, CHOICE).lines).split('\n'), 'Parse dates')],
    ['the details in furrow top', (place) => text(detailsOf(scene(at(place)), 'queue', 'default/7 1 abc7', 100))],
    ['the page', (place) => entryStateTag!({ place: stackOf(at(place)).rows[0]!.place })],
    ['the stack of the page', (place) => stackPicture({ stack: stackOf(at(place)) }).match(/class="place">(.*?)</)![1]!],
  ])('is in the same state in %s', (_face, show) => shareTheTable<EntryPlace>(OPEN, show, (place) => ENTRY_STATES[place]));

  it.each(['conflict', 'rejected'] as const)('that came back as %s is called so in every face', (state) => {
    const faces = [
      queueLines(queue(state), NOW, plain).join('\n'),
      text(queuePanel.draw(scene(at(state)), ROOM, CHOICE).lines),
      text(detailsOf(scene(at(state)), 'queue', 'default/7 1 abc7', 100)),
      entryStateTag!({ place: stackOf(at(state)).back[0]!.place }),
    ];
    expect(faces.filter((face) => !face.includes(ENTRY_STATES[state].word))).toEqual([]);
  });
});

describe('an attempt', () => {
  const outcomes = ['submitted', 'answered', 'unchanged', 'failed', 'crashed', 'timeout', 'blocked', 'stopped', ''];

  it('has one word for its outcome, also in the picture of a report', () => {
    const shown = (outcome: string) => {
      const attempt = { n: 1, agent: 'ada', outcome: outcome || null, sha: null, reason: null, log: 'x.log' };
      const of = { ...task('7'), file: 'x.md', files: [], body: '', reasons: [], attempts: [attempt], reviews: [], race: null };
      return showLines(of as unknown as Out<'show'>, plain).at(-1)!;
    };
    shareTheTable(outcomes, shown, (outcome) => attemptState(outcome || null));
    const spans = (outcome: string) => [{ from: facts.period.from, to: facts.period.to, what: 'work' as const, task: '7', outcome }];
    const titles = (outcome: string) => {
      const lanes = [{ agent: 'ada', spans: spans(outcome || 'running') }];
      return reportPage({ ...facts, plots: { ...facts.plots, lanes } }).match(/<title>task 7: (.*?),/)![1]!;
    };
    shareTheTable(outcomes, titles, (outcome) => attemptState(outcome || null));
  });
});

describe('the farm', () => {
  const standings = {
    running: { state: 'running', stopped: null },
    paused: { state: 'paused', stopped: null },
    idle: { state: 'stopped', stopped: null },
  } as const;
  const states = Object.keys(standings) as (keyof typeof standings)[];
  const farm = (state: keyof typeof standings) => ({ ...standings[state], pid: 7, version: '0' });

  it.each<[face: string, (state: keyof typeof standings) => string]>([
    ['furrow status', (state) => statusLines(status({ farm: farm(state) }), NOW, plain)[0]!],
    ['furrow', (state) => hereLines(status({ farm: farm(state) }), plain)[0]!],
    ['the digest', (state) => boardLines(digestOf({ farm: state })).lines[0]!],
  ])('is in the same state in %s', (_face, show) => shareTheTable(states, show, (state) => FARM_STATES[state]));

  it('is in the same state in the status line of tmux, which says nothing of one that runs', () => {
    const people = { columns: 200, rows: 50, clients: [], nestedPrefix: '' };
    const line = (state: keyof typeof standings) => {
      const of = view({});
      return inTmux({ ...of, status: { ...of.status, farm: farm(state) } }, people).status;
    };
    shareTheTable(['paused', 'idle'], line, (state) => FARM_STATES[state]);
    expect(line('running')).not.toContain('running');
  });
});

it('the help of the metrics names the word of every state beside its value', () => {
  const help = (name: string) => FAMILIES.find((family) => family.name === name)!.help;
  for (const [value, { word }] of Object.entries(TASK_STATES))
    expect(help('furrow_tasks')).toMatch(new RegExp(`\\b${value}( \\(${word}\\))?[,.]`));
  for (const value of Object.keys(AGENT_STATES)) expect(help('furrow_agents')).toContain(value);
});

function overviewOf(of: ReturnType<typeof view>): string[] {
  return overview(of, { columns: 160, rows: 40 }).map((line) => line.text);
}

function digestOf(more: Partial<Parameters<typeof boardLines>[0]>): Parameters<typeof boardLines>[0] {
  const queue = { depth: 0, checking: 0, setups: 0, head: null, paused: false, halted: null };
  return { tasks: [], agents: [], awaited: [], farm: 'running', queue, ...more } as unknown as Parameters<typeof boardLines>[0];
}
