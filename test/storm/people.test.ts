import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { mutants } from './people/mutants.ts';
import { openings } from './people/openings.ts';
import { roam } from './people/run.ts';
import { type ShownFarm, Standstill } from './people/standstill.ts';
import type { StormOptions } from './scenario.ts';

const SHORT: StormOptions = {
  seed: '1',
  agents: 2,
  tasks: undefined,
  kills: undefined,
  rounds: undefined,
  days: undefined,
  lines: undefined,
  minutes: 0.1,
  only: undefined,
  skip: [],
  mutant: undefined,
  keep: false,
  from: undefined,
  requests: undefined,
  opened: () => {},
  say: () => {},
};

it('a few steps of a person beside two agents disturb nothing, and nothing disturbs the person', async () => {
  const told: string[] = [];
  const { violations } = await roam({ ...SHORT, say: (line) => told.push(line) }, undefined);
  expect(violations, told.join('\n')).toEqual([]);
});

it.each(mutants)('the mutant $name breaks the product as it is now', async ({ edits, opening }) => {
  expect(openings.map(({ name }) => name)).toContain(opening);
  for (const { file, find } of edits) {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find).length - 1, `${file} has this once:\n${find}`).toBe(1);
  }
});

it('the storm notices a farm in which nothing runs or lands while tasks wait and nobody is asked', () => {
  const still: ShownFarm = {
    farm: { state: 'running', stopped: null },
    tasks: { ready: 2 },
    queue: { depth: 0, checking: 0, paused: false },
    attention: [],
  };
  const after = (shown: ShownFarm, landed: (n: number) => number = () => 3) => {
    const standstill = new Standstill();
    return [0, 1, 50, 92].map((second, n) => standstill.look(shown, landed(n), second * 1000)).at(-1);
  };
  expect(after(still)).toMatch(/2 tasks wait, and nobody is asked/);
  expect(after({ ...still, farm: { state: 'stopped', stopped: null }, queue: { ...still.queue, depth: 1 } })).toMatch(/1 tasks wait/);
  const moving: ShownFarm[] = [
    { ...still, attention: ['a question'] },
    { ...still, tasks: { ready: 2, leased: 1 } },
    { ...still, tasks: { landed: 2 } },
    { ...still, queue: { ...still.queue, checking: 1 } },
    { ...still, farm: { state: 'stopped', stopped: 'since noon' } },
  ];
  for (const fine of moving) expect(after(fine)).toBeUndefined();
  expect(after(still, (n) => n)).toBeUndefined();
});
