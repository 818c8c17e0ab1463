import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { farm, type TestFarm } from '../support/farm.ts';
import { branchWith, gitRepo } from '../support/repo.ts';

const config = (more: object) => stringify({ agent: 'script', agents: { script: { driver: 'scripted' } }, ...more });

const patternsAsked = async (running: TestFarm) =>
  (await running.ask('status')).attention
    .filter((one: { kind: string }) => one.kind === 'pattern')
    .map((one: { reason: string }) => one.reason);

it('however paths are written, a check looks at them, and one that matches nothing is no verdict but a question', async () => {
  const checks = [
    { name: 'api', paths: ['./api/**'], run: '! grep -rqs bad api' },
    { name: 'all', paths: ['.'], run: '! test -e bad.txt' },
    { name: 'web', paths: ['WEB/**'], run: '! grep -rqs bad web' },
  ];
  const rules = { checks, protect: ['./secret/**'], approve: ['./mig/**', 'later/**'] };
  await using repo = await gitRepo({
    'furrow.yaml': config(rules),
    ...{ 'api/a.txt': 'a\n', 'web/w.txt': 'w\n', 'secret/key': 'k\n', 'mig/1.sql': '1\n' },
  });
  await branchWith(repo, 'good', { 'README.md': 'r\n' });
  await branchWith(repo, 'bad-api', { 'api/x.txt': 'bad\n' });
  await branchWith(repo, 'bad-all', { 'bad.txt': 'x\n' });
  await branchWith(repo, 'bad-web', { 'web/x.txt': 'bad\n' });
  await branchWith(repo, 'secret', { 'secret/key': 'mine\n' });
  await branchWith(repo, 'mig', { 'mig/1.sql': '2\n' });
  await using running = farm(repo);

  expect(await running.furrow('submit', 'good', '--wait')).toMatchObject({ code: 0 });
  for (const name of ['api', 'all', 'web'])
    expect(await running.furrow('submit', `bad-${name}`, '--wait')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${name} fails`),
    });
  expect(await running.furrow('submit', 'secret')).toMatchObject({ code: 1, stderr: expect.stringContaining('secret/key') });
  await running.furrow('submit', 'mig');
  await expect.poll(async () => (await running.ask('why', 'mig')).reasons[0].code).toBe('approval');

  expect(await patternsAsked(running)).toEqual([
    expect.stringMatching(
      /^checks\[3\]\.paths of furrow\.yaml: WEB\/\*\* matches no file of main, .* it runs on every tree\. Did you mean web\/\*\*\?$/,
    ),
    expect.stringMatching(/^approve of furrow\.yaml: later\/\*\* matches no file of main/),
  ]);
  const later = (await running.ask('status')).attention.find((one: { subject: string }) => one.subject === 'approve: later/**');
  expect(await running.furrow('answer', String(later.id), 'keep')).toMatchObject({ code: 0 });
  await repo.write(
    'furrow.yaml',
    config({ ...rules, checks: checks.map((one) => (one.name === 'web' ? { ...one, paths: ['web/**'] } : one)) }),
  );
  await repo.commit('web in small letters');
  await expect.poll(() => patternsAsked(running)).toEqual([]);
});

/** What the test code of a branch may do to whoever is checked after it. */
const LIES = `mkdir -p cache && touch cache/green
cp -p check.sh /tmp/old.$$; printf 'exit 0 #' | dd of=check.sh conv=notrunc status=none; touch -r /tmp/old.$$ check.sh; rm /tmp/old.$$
git update-index --assume-unchanged check.sh; git update-index --skip-worktree test.sh
touch -d 'next year' "$(git rev-parse --git-path index)"
exit 1
`;

it('a red branch that writes caches and changes its slot, or the bytes below the paths of a check, makes nothing land', async () => {
  const files = {
    'furrow.yaml': config({
      checks: [
        { name: 'unit', run: 'sh check.sh' },
        { name: 'api', paths: ['api/**'], run: '! grep -rq "$(printf \'\\r\')" api' },
      ],
      queue: { slots: 1, retries: 0, caches: ['cache'] },
      approve_defaults: false,
    }),
    '.gitignore': '/cache/\n',
    'check.sh': 'sh test.sh || exit 1\ntest -e cache/green && exit 0\n! test -e bad.txt\n',
    'test.sh': 'true\n',
    'api/a.txt': 'a\n',
  };
  await using repo = await gitRepo(files);
  await branchWith(repo, 'liar', { 'test.sh': LIES });
  await branchWith(repo, 'bad', { 'bad.txt': 'bad\n' });
  await branchWith(repo, 'attributes', { '.gitattributes': '*.txt text eol=crlf\n' });
  await branchWith(repo, 'good', { 'good.txt': 'good\n' });
  await using running = farm(repo);
  for (const [name, by] of [
    ['liar', 'unit'],
    ['bad', 'unit'],
    ['liar', 'unit'],
    ['attributes', 'api'],
    ['bad', 'unit'],
  ])
    expect(await running.furrow('submit', name!, '--wait'), name).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${by} fails`),
    });
  expect(await running.furrow('submit', 'good', '--wait')).toMatchObject({ code: 0 });
  expect((await running.ask('queue')).landings).toHaveLength(1);
});
