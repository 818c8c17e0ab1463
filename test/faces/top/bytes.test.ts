import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Reply } from '../../../src/api/contract.ts';
import { gitRepo } from '../../support/repo.ts';
import { farmAt } from '../cli/stub.ts';
import { crowd, task, whole } from './fixture.ts';
import { terminal } from './terminal.ts';

/** Each capture begins with this, so that a terminal shows it at once. */
const BEGIN = '\x1b[?2026h';

it('20 agents and 500 tasks: nothing is written while nothing changes, one row when one row does, and at most ten captures a second', async () => {
  await using repo = await gitRepo();
  const view = crowd(20, 500);
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const calm = { ...view, agents: view.agents.map((one) => ({ ...one, since })), attention: [] };
  let send = (_delta: object) => {};
  await using _farm = await farmAt(repo.root, ({ id, call }, reply) => {
    if (call === 'cost') return reply({ id, error: { code: 'NO', message: 'no cost' } });
    if (call !== 'watch') return;
    send = (delta) => reply({ id, item: delta } as Reply);
    send(whole(calm));
  });
  await using person = await terminal(repo, ['top'], { width: 160, height: 50 });
  await person.shows('agent-16');
  const file = join(repo.base, 'written');
  await person.record(file);
  let seq = 1;
  const rename = (title: string) => {
    const changed = task('1', { ...calm.tasks[0]!, title });
    send({ seq: ++seq, events: [], lists: { tasks: { set: { 'default/1': changed } } } });
  };

  // Deltas that change nothing that is in sight, then one that does: only its row is written.
  for (let n = 0; n < 50; n++)
    send({ seq: ++seq, events: [], lists: { tasks: { set: { 'default/500': task('500', { ...calm.tasks[499]! }) } } } });
  rename('New name');
  await person.shows('1 New name');
  const once = await readFile(file, 'utf8');
  expect(once.split(BEGIN)).toHaveLength(2);
  expect(once.length).toBeLessThan(1500);

  // A burst of changes is a few captures.
  const begun = performance.now();
  for (let n = 0; n < 300; n++) {
    rename(`Name ${n}`);
    await new Promise((next) => setImmediate(next));
  }
  await person.shows('Name 299');
  const captures = (await readFile(file, 'utf8')).split(BEGIN).length - 2;
  expect(captures).toBeGreaterThan(0);
  expect(captures).toBeLessThanOrEqual(2 + (performance.now() - begun) / 100);
  await person.press('q');
  await person.shows('ended with 0');
});
