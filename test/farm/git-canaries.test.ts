import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { ATTRIBUTES, plantGitCanaries } from '../support/git-canaries.ts';
import { shellRepo } from './shell.ts';

const COMMIT = 'git -c commit.gpgSign=false -c core.hooksPath=/dev/null -c core.fsmonitor=false commit --quiet --message';

/** An agent that plants the same in the configuration of its own worktree before furrow looks at it. */
const OWN = `for key in filter.trap.clean filter.trap.smudge core.fsmonitor diff.trap.textconv merge.trap.driver filter.own.clean; do
  git config --file "$(git rev-parse --git-dir)/config.worktree" $key "$(dirname "$FURROW_REPO")/trap.sh own $key"
done`;

it("nothing that git's configuration names is started by furrow, from the first look to the publication", async () => {
  const list = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
  const change = (line: number, name: string) =>
    [
      OWN,
      `sed -i 's/line ${line}$/${name}/' src/list.txt`,
      `echo ${name} > src/${name}.txt`,
      'furrow progress half-way',
      'git add -A src',
      `${COMMIT} ${name}`,
    ].join('\n');
  await using repo = await shellRepo({ 1: change(3, 'one'), 2: change(25, 'two') }, undefined, { 'src/list.txt': `${list}\n` });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await repo.write('.gitattributes', ATTRIBUTES);
  await repo.commit('the board and the attributes');
  const canaries = await plantGitCanaries(repo);
  for (const words of [['status'], ['rm', '--quiet', 'src/list.txt'], ['reset', '--quiet'], ['checkout', '--', 'src/list.txt']])
    await repo.tryGit(...words);
  expect(await canaries.ran(), 'git of a person starts them').toEqual(
    expect.arrayContaining(['worktree filter-smudge', 'hook-post-index-change']),
  );
  await repo.write('../ran', '');

  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '2');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  for (const words of [
    'status',
    'list',
    'plan',
    'queue',
    'log',
    'cost',
    'flakes',
    'doctor',
    'conflicts',
    'diff 1',
    'why 1',
    'show 1',
    'logs 1',
    'clean --dry-run',
  ])
    await running.furrow(...words.split(' '));
  expect(await canaries.ran()).toEqual([]);
});
