import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';
import { toFile } from '../../src/config/print.ts';

const FULL = `
target: main
board: kanban
agent: script
agents:
  script: { driver: command, run: "sh a.sh", timeout: 1h30m, stuck: 90s, price: { input: 3, output: 15 } }
checks: [ { name: unit, run: npm test, timeout: 10m, env: { CI: "1" } } ]
queue: { slots: 2, caches: [node_modules], after: [ { run: e2e, timeout: 1h } ], regenerate: [ { paths: [a.lock], run: make } ] }
permissions: { timeout: 5m, rules: [ { do: allow, tool: run, command: "npm *" } ] }
budget: { run_usd: 20 }
resources: { db: 1 }
`;

it.each([
  ['the defaults', ''],
  ['a full file', FULL],
])('%s are printed in words that the file takes, and mean the same there', (_name, text) => {
  const config = parseConfig(text, 'furrow.yaml');
  const printed = stringify(toFile(config));
  expect(parseConfig(printed, 'printed')).toEqual(config);
  expect(printed).not.toMatch(/Ms:/);
});
