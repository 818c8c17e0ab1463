import type { ListedAgent } from '../../../api/contract.ts';
import { agentState } from '../../../tell/face/states.ts';
import { cells, type Line, span, words } from '../line.ts';
import { drawList, type Panel, type Scene } from './panel.ts';

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
  const state = width >= 110 ? 27 : width >= 70 ? 20 : 9;
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

export function agentGlyph(agent: ListedAgent): ReturnType<typeof span> {
  const { glyph, tone } = agentState(agent);
  return span(glyph, tone);
}

/** The state in words, with its detail where there is room. */
function stateOf(agent: ListedAgent, room: number): ReturnType<typeof words> {
  const { word, tone } = agentState(room > 9 ? agent : { ...agent, detail: null });
  return words(word, tone);
}

/** Small tasks cost fractions of a cent. */
export function usdOf({ usd, partial, tokens }: { readonly usd: number; readonly partial?: boolean; readonly tokens: number }): string {
  if (usd === 0 && (partial || tokens > 0)) return `${tokensOf(tokens)} tok`;
  return usd === 0 ? '' : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export const tokensOf = (tokens: number): string =>
  tokens < 1000 ? String(tokens) : tokens < 1e6 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1e6).toFixed(1)}M`;
