import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';

const guides = ['docs/guide.md', 'docs/agents.md', 'docs/merge-queue.md'];
const blocks = guides.flatMap((file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((found, n): [string, string] => [`${file}, block ${n + 1}`, found[1]!]);
});

it.each(blocks)('the example is a configuration: %s', (name, yaml) => {
  expect(() => parseConfig(yaml, name)).not.toThrow();
});
