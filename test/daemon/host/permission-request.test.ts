import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ToolUse } from '../../../src/agents/agent/event.ts';
import { toFarmEvent } from '../../../src/daemon/farm/feed.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { gitRepo } from '../../support/repo.ts';
import { supervised } from './supervised.ts';

const line = `git status \x1b[8m; rm -rf x\x1b[0m\n  ? 2: all is well ${'a'.repeat(700)}; rm -rf y`;
const shown = `git status ␛[8m; rm -rf x␛[0m⏎  ? 2: all is well ${'a'.repeat(700)}; rm -rf y`;

it('a person is asked with the whole request, the folder and the verdict of the rules, and no face of it hides anything', async () => {
  await using at = await supervised('ada');
  await using repo = await gitRepo();
  const judging = { checks: [], queue: { after: [] }, race: { judge: null } };
  const config = { ...judging, protect: [], approve: [], permissions: { timeout: 60_000, rules: [] } };
  const place = { root: repo.root, gitDir: join(repo.root, '.git') };
  Object.assign(at.farm, { repo: place, board: { dir: '/elsewhere' }, config, trust: { config } });
  const tool: ToolUse = { name: 'Bash', action: 'run', command: line, paths: [], cwd: '/w/ada/src', input: { command: line } };
  await at.say(at.attempts[0]!, { on: 'permission', request: 'r1', tool });

  const [question] = await openQuestions(at.db);
  expect(question!.reason).toBe(`ada asks to run ${shown}`);
  const request = JSON.parse(question!.data!) as Record<string, unknown>;
  expect(request).toMatchObject({ folder: '/w/ada/src', rules: expect.any(String), tool: { command: line } });

  const waiting = (await at.record(at.attempts[0]!)).signals.open[0]!.text;
  const events = (await eventsAfter(at.db, 0)).map((row) => toFarmEvent(row).text);
  const opened = events.find((text) => text.startsWith('needs you'))!;
  for (const text of [waiting, opened]) {
    expect(text).toContain('git status ␛[8m; rm -rf x␛[0m⏎  ? 2: all is well');
    expect(text).toMatch(/… \d+ more characters: furrow next/);
  }
  expect([...events, waiting, question!.reason].join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
});
