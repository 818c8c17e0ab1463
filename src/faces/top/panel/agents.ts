import type { ListedAgent } from '../../../api/contract.ts';
import { cells, type Line, span, type Tone, words } from '../line.ts';
import { drawList, type Panel, type Scene } from './panel.ts';

const GLYPHS: Readonly<Record<ListedAgent['state'], readonly [string, Tone]>> = {
  starting: ['…', 'busy'],
  idle: ['○', 'faint'],
  working: ['▶', 'good'],
  waiting: ['?', 'warn'],
  limited: ['◷', 'warn'],
  stopped: ['■', 'faint'],
  dead: ['✖', 'bad'],
  unknown: ['·', 'faint'],
};

export const agentsPanel: Panel = {
  id: 'agents',
  name: 'Agents',
  count: ({ view }) => String(view.agents.length),
  columns: ({ known }) => [(known?.view.agents ?? []).map(({ name }) => name)],
  draw: (scene, size, choice) =>
    drawList(
      {
        items: scene.view.agents,
        keyOf: ({ name }) => name,
        lineOf: (agent, width) => agentLine(agent, scene, width),
        empty: [span('no agents: furrow work starts some', 'faint')],
      },
      size,
      choice,
    ),
};

function agentLine(agent: ListedAgent, scene: Scene, width: number): Line {
  const cost = scene.model.cost?.agents.find(({ name }) => name === agent.name);
  const usd = cost ? usdOf(cost) : '';
  const name = Math.min(16, Math.max(6, ...scene.view.agents.map((one) => one.name.length)));
  const state = width >= 70 ? 20 : 9;
  const rest = width - 2 - name - 1 - state - 1 - 6 - 1 - 8;
  const task: Line = agent.task === null ? [span('-', 'faint')] : [words(agent.task, 'strong'), span(' '), words(agent.title ?? '')];
  return cells(
    [[agentGlyph(agent)], 1],
    [[words(agent.name)], name],
    [[stateOf(agent, state)], state],
    [task, Math.max(8, rest)],
    [[span(scene.ages.since(agent.since), 'faint')], 6],
    [[span(usd, 'faint')], 7],
  );
}

export function agentGlyph({ state, paused }: Pick<ListedAgent, 'state' | 'paused'>): ReturnType<typeof span> {
  const [glyph, tone] = GLYPHS[state];
  return paused ? span('‖', 'warn') : span(glyph, tone);
}

/** The state in words, with its detail where there is room. */
function stateOf(agent: ListedAgent, room: number): ReturnType<typeof words> {
  const tone = agent.paused ? 'warn' : GLYPHS[agent.state][1];
  const detail = agent.detail !== null && agent.detail !== 'turn-ended' && room > 9 ? `: ${agent.detail}` : '';
  return words(agent.paused ? `paused, ${agent.state}` : `${agent.state}${detail}`, tone);
}

/** Fractions of a cent are what small tasks cost. */
export function usdOf({ usd, partial, tokens }: { readonly usd: number; readonly partial?: boolean; readonly tokens: number }): string {
  if (usd === 0 && (partial || tokens > 0)) return `${tokensOf(tokens)} tok`;
  return usd === 0 ? '' : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export const tokensOf = (tokens: number): string =>
  tokens < 1000 ? String(tokens) : tokens < 1e6 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1e6).toFixed(1)}M`;
