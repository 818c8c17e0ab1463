import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { added, type Counts, Histogram, samplesOf, seriesOf, without } from '../../../src/tell/metrics/counts.ts';
import { exposition } from '../../../src/tell/metrics/exposition.ts';
import { FAMILIES, familyNamed, TICK_TIMES } from '../../../src/tell/metrics/families.ts';

const at = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

const told = (name: string, counts: Counts) => {
  const family = familyNamed(name);
  return { name, kind: family.kind, help: family.help, labels: [...family.by], since: null, samples: samplesOf(family, counts) };
};

/** The table of docs/metrics.md. */
function metricsTable(): string {
  const rows = FAMILIES.map(
    ({ name, kind, by, help }) => `| \`${name}\` | ${kind} | ${by.map((one) => `\`${one}\``).join(', ')} | ${help} |`,
  );
  return ['| name | kind | by | what it tells |', '|---|---|---|---|', ...rows].join('\n');
}

describe('the exposition', () => {
  it('has help, kind and series of each family, with values escaped', () => {
    const counts = new Map([
      [seriesOf('furrow_check_runs_total', ['a "b"\\\n{c}', 'pass']), 3],
      [seriesOf('furrow_check_runs_total', ['unit', 'fail']), 1],
    ]);
    expect(exposition([told('furrow_check_runs_total', counts)])).toBe(
      [
        '# HELP furrow_check_runs_total Runs of checks by outcome: pass, fail, or error when the machine gave no answer.',
        '# TYPE furrow_check_runs_total counter',
        'furrow_check_runs_total{check="a \\"b\\"\\\\\\n{c}",outcome="pass"} 3',
        'furrow_check_runs_total{check="unit",outcome="fail"} 1',
        '',
      ].join('\n'),
    );
  });

  it('has buckets of a histogram that add up, the last with everything', () => {
    const ticks = new Histogram(TICK_TIMES);
    for (const seconds of [0.004, 0.02, 0.02, 9]) ticks.observe(seconds);
    const lines = exposition([told(TICK_TIMES, ticks.counts)]).split('\n');
    const bucket = (le: string) => lines.find((line) => line.startsWith(`${TICK_TIMES}_bucket{le="${le}"}`))?.split(' ')[1];
    expect(['0.005', '0.01', '0.025', '5', '+Inf'].map(bucket)).toEqual(['1', '1', '3', '3', '4']);
    expect(lines).toContain(`${TICK_TIMES}_count 4`);
    expect(lines).toContain(`${TICK_TIMES}_sum 9.044`);
  });

  it('tells at most 50 names of a kind, and loses none of their counts', () => {
    const many = new Map(
      Array.from({ length: 80 }, (_, n) => [seriesOf('furrow_cost_usd_total', [`kind-${String(n).padStart(2, '0')}`]), 1]),
    );
    const samples = samplesOf(familyNamed('furrow_cost_usd_total'), many);
    expect(samples).toHaveLength(51);
    expect(samples.find(({ labels }) => labels['kind'] === 'other')?.value).toBe(30);
  });
});

it('counts are added, and compared, series by series', () => {
  const [a, b] = [new Map([['x', 1]]), new Map([['x', 2]]).set('y', 5)];
  expect([...added(a, b)]).toEqual([
    ['x', 3],
    ['y', 5],
  ]);
  expect([...without(b, a)]).toEqual([
    ['x', 1],
    ['y', 5],
  ]);
});

it('names follow the conventions, and are told apart by few things', () => {
  for (const { name, kind, by, help } of FAMILIES) {
    expect(name).toMatch(/^furrow_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
    for (const one of by)
      expect(['version', 'state', 'check', 'outcome', 'verdict', 'kind', 'receipt', 'level', 'direction']).toContain(one);
  }
  expect(new Set(FAMILIES.map(({ name }) => name)).size).toBe(FAMILIES.length);
});

it('the document has the table of all of them, as they are', async () => {
  expect(await at('docs/metrics.md')).toContain(metricsTable());
});

it('the dashboard asks for every one of them, and for nothing else', async () => {
  const dashboard = JSON.parse(await at('docs/grafana/furrow.json')) as { panels: { targets: { expr: string }[] }[] };
  const asked = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/furrow_[a-z_]+/g) ?? []));
  const names = asked.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds'));
  expect([...new Set(names)].sort()).toEqual(FAMILIES.map(({ name }) => name).sort());
});
