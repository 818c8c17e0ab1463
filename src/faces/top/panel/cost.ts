import type { Out } from '../../../api/contract.ts';
import { spendOf } from '../../../tell/face/cost.ts';
import { cells, type Line, span, words } from '../line.ts';
import type { Model } from '../model.ts';
import { tokensOf, usdOf } from './agents.ts';
import { drawList, type Panel } from './panel.ts';

interface Spent {
  readonly key: string;
  readonly what: 'agent' | 'task';
  readonly name: string;
  readonly usd: number;
  readonly tokens: number;
  readonly partial: boolean;
}

const known = new WeakMap<object, readonly Spent[]>();

/** Agents, then tasks, the most expensive first. */
function spentOf({ cost }: Model): readonly Spent[] {
  if (!cost) return [];
  const made = known.get(cost) ?? sorted(cost);
  known.set(cost, made);
  return made;
}

function sorted(cost: Out<'cost'>): Spent[] {
  const dear = (a: Spent, b: Spent) => b.usd - a.usd || b.tokens - a.tokens;
  const agents = cost.agents.map(({ name, usd, tokens, partial }): Spent => ({ key: name, what: 'agent', name, usd, tokens, partial }));
  const tasks = cost.tasks.map(
    ({ id, title, usd, tokens, partial }): Spent => ({ key: id, what: 'task', name: `${id} ${title}`, usd, tokens, partial }),
  );
  return [...agents.filter(({ tokens }) => tokens > 0).sort(dear), ...tasks.filter(({ tokens }) => tokens > 0).sort(dear)];
}

export const costPanel: Panel = {
  id: 'cost',
  name: 'Cost',
  count: ({ model }) => (model.cost ? usdOf(model.cost.total) : ''),
  columns: (model) => [spentOf(model).map(({ key }) => key)],
  draw: ({ model }, size, choice) => {
    const items = spentOf(model);
    const above = [totals(model), ...curve(model, size.width)];
    const most = Math.max(...items.map(({ usd, tokens }) => usd || tokens / 1e6), 1e-9);
    const drawn = drawList(
      {
        items,
        keyOf: ({ key }) => key,
        lineOf: (one, width) => spentLine(one, most, width),
        empty: [span('nothing was spent yet', 'faint')],
      },
      { ...size, height: Math.max(1, size.height - above.length) },
      choice,
    );
    return { ...drawn, hits: drawn.hits.map((hit) => ({ ...hit, row: hit.row + above.length })), lines: [...above, ...drawn.lines] };
  },
};

const STEPS = '▁▂▃▄▅▆▇█';

/** The spending over time, from the first figure to the last. */
function curve({ cost }: Model, width: number): Line[] {
  if (!cost || cost.spans.length === 0) return [];
  const measure = cost.total.usd > 0 ? 'usd' : 'tokens';
  const { sum, total } = spendOf(cost, { by: 'agent', measure, steps: Math.max(2, width), most: 1, now: 0 });
  if (total === 0) return [];
  return [[span(sum.map((one) => STEPS[Math.min(STEPS.length - 1, Math.floor((one / total) * STEPS.length))]).join(''), 'busy')]];
}

function totals({ cost }: Model): Line {
  if (!cost) return [span('asking …', 'faint')];
  const landed = cost.tasks.filter((task) => task.landed);
  const each = landed.length === 0 ? '' : `, $${(landed.reduce((sum, { usd }) => sum + usd, 0) / landed.length).toFixed(4)} a landed task`;
  return [span(`this run ${usdOf(cost.run) || '$0'}`, 'strong'), span(`, ${tokensOf(cost.run.tokens)} tokens${each}`, 'faint')];
}

function spentLine(one: Spent, most: number, width: number): Line {
  const bar = Math.max(0, Math.min(30, Math.floor(width * 0.3)));
  const full = Math.max(1, Math.round(((one.usd || one.tokens / 1e6) / most) * bar));
  return cells(
    [[span(one.what, 'faint')], 5],
    [[words(one.name)], Math.max(8, width - 5 - 9 - 8 - bar - 4)],
    [[span(usdOf(one))], 9],
    [[span(tokensOf(one.tokens), 'faint')], 8],
    [[span('▇'.repeat(full), one.what === 'agent' ? 'busy' : 'good')], bar],
  );
}
