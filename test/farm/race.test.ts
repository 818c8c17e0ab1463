import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { replayChecks } from '../support/oracle.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, shellRepo } from './shell.ts';

const kind = (line: string) => `{ driver: command, run: ${JSON.stringify(line)} }`;
const onMain = (repo: TestRepo, path: string) => repo.git('show', `main:${path}`).catch(() => 'not there');
const states = async (running: TestFarm, task: string): Promise<string[]> =>
  (await running.ask('race', task)).entrants.map(({ state }: { state: string }) => state);

/** Chooses the entrant of the kind `loud`, and looks at the commits as a judge would. */
const JUDGE = `
const { task, head, entrants } = JSON.parse(require('fs').readFileSync(process.env.FURROW_RACE, 'utf8'));
const diff = (to) => require('child_process').execFileSync('git', ['diff', head, to], { encoding: 'utf8' });
const loud = entrants.find(({ merged }) => diff(merged).includes('+loud'));
console.log(\`looked at \${entrants.length} results for \${task.title}\`);
console.log(\`\${loud.n} it is loud\`);
`;

it('of three entrants of two kinds the judge picks one, which lands without a second check; the others keep their branches', async () => {
  const config = `agent: quiet\nagents:\n  quiet: ${kind(commits('a', 'quiet'))}\n  loud: ${kind(`test "$FURROW_TASK" = 1 && ${commits('a', 'loud')} && furrow done`)}\ncheck: sh check.sh\nrace: { judge: node judge.js }\n`;
  await using repo = await shellRepo({}, config, { 'judge.js': JUDGE });
  await writeBoard(repo, [{ id: 1, more: { race: ['quiet', 'loud', 'quiet'] } }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '3')).code).toBe(0);
  expect(await onMain(repo, 'src/a.txt')).toBe('loud');
  const race = await running.ask('race', '1');
  expect(race).toMatchObject({ task: '1', state: 'won', winner: 2, why: 'it is loud', judge: 'command' });
  expect(race.entrants).toMatchObject([
    { n: 1, kind: 'quiet', state: 'lost', lines: 1 },
    { n: 2, kind: 'loud', state: 'won', lines: 1 },
    { n: 3, kind: 'quiet', state: 'lost', lines: 1 },
  ]);
  const others = race.entrants.filter(({ state }: { state: string }) => state === 'lost');
  for (const { branch, commit } of others) expect(await repo.git('rev-parse', branch)).toBe(commit);
  const shown = (await running.furrow('show', '1')).stdout;
  expect(shown).toMatch(/race for 1: won: it is loud\n.*agent +kind +state +usd +tokens +lines +commit/);
  expect(await repo.git('log', '-1', '--format=%B', 'main')).toMatch(/Furrow-Task: 1\n/);
  const checks = (await running.events())
    .filter((event) => event.kind === 'check.ended')
    .map((event) => (event.data as { tree: string }).tree);
  // The head, what both quiet ones made, what the loud one made: each once.
  expect([checks.length, new Set(checks).size]).toEqual([3, 3]);
  expect((await replayChecks(repo, 'main', 'sh check.sh')).red).toEqual([]);
});

it('a dud is dropped while another waits for it, also after kill -9; the race says why it waits until then', async () => {
  const config = `agent: sh\nagents:\n  sh: ${kind(commits('a', 'good'))}\n  dud: ${kind('sleep 600')}\ncheck: sh check.sh\n`;
  await using repo = await shellRepo({}, config);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--until', 'forever', '--detach', '--agent', 'dud');
  await expect.poll(async () => (await running.ask('show', '1')).state).toBe('leased');
  expect((await running.furrow('race', '1', '--entrants', '2')).stderr).toContain('1 cannot start now: it is working');
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await running.furrow('stop', '--now');
  expect((await running.furrow('race', '2', '--entrants', 'dud,nobody')).stderr).toContain('furrow.yaml has no agent kind nobody');
  expect((await running.furrow('race', '2', '--entrants', 'dud,sh')).stdout).toContain(
    'nobody starts yet: nobody works on phase default (start it: furrow work default)',
  );
  await running.furrow('work', '--parallel', '2', '--until', 'forever', '--detach');
  await expect.poll(() => states(running, '2')).toEqual(['running', 'green']);
  await killDaemon(running);
  const { reasons } = await running.ask('why', '2');
  expect(reasons.map(({ text }: { text: string }) => text)).toEqual(expect.arrayContaining(['entrant 1 is at work', 'entrant 2 passes']));
  const dropped = await running.ask('race', 'drop', '2', '1', '--reason', 'it sleeps');
  expect(dropped).toMatchObject({ task: '2', entrant: 1, left: 1 });
  await expect.poll(() => onMain(repo, 'src/a.txt')).toBe('good');
  expect(await states(running, '2')).toEqual(['dropped', 'won']);
  await expect.poll(async () => (await running.ask('show', 'entrant-2-1')).attempts[0]?.outcome).toBe('stopped');
  expect((await running.furrow('race', 'drop', '2', '2')).stderr).toContain('the race for 2 is over');
});

it('a race that nobody wins goes back to usual work, which is told of every result', async () => {
  const work = `case "$FURROW_ERRAND" in entrant-*) ${commits('a', 'bad')};; *) grep -c ^Entrant "$FURROW_PROMPT_FILE" > src/told.txt; ${commits('a', 'good')};; esac`;
  const config = `agent: sh\nagents: { sh: ${kind(work)} }\ncheck: sh check.sh\nqueue: { retries: 0 }\n`;
  await using repo = await shellRepo({}, config);
  await writeBoard(repo, [{ id: 1, more: { race: 2 } }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '2')).code).toBe(0);
  expect([await onMain(repo, 'src/a.txt'), await onMain(repo, 'src/told.txt')]).toEqual(['good', '2']);
  const race = await running.ask('race', '1');
  expect(race).toMatchObject({ state: 'lost', winner: null });
  expect(race.entrants.map(({ state, reason }: { state: string; reason: string }) => `${state} ${reason}`)).toEqual([
    expect.stringMatching(/^out check fails on the merged tree \(exit 1\)/),
    expect.stringMatching(/^out check fails on the merged tree \(exit 1\)/),
  ]);
});
