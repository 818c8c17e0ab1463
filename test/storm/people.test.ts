import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { mutants } from './people/mutants.ts';
import { openings } from './people/openings.ts';
import { roam } from './people/run.ts';
import type { StormOptions } from './scenario.ts';

const SHORT: StormOptions = {
  seed: '1',
  agents: 2,
  tasks: undefined,
  kills: undefined,
  rounds: undefined,
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
