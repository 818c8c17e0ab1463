import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readIfAny } from '../agents/agent/stages/place.ts';
import { writeBoard } from '../support/board.ts';
import { begin, farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** A user who has set up Claude Code and works with it elsewhere, and this repository, which it has never seen. */
async function newcomer() {
  const agents = { here: { driver: 'scripted' } };
  const repo = await gitRepo({ 'furrow.yaml': stringify({ agent: 'claude', agents, check: 'true' }), 'README.md': 'x\n' });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3, agent: 'here', script: ['write 3.txt 3', 'commit 3'] }]);
  const [bin, starts, config] = [join(repo.base, 'bin'), join(repo.base, 'starts'), join(repo.home, '.claude.json')];
  // It stands for a program that is not ours: all that is asked of it is whether it was started.
  await mkdir(bin);
  await writeFile(join(bin, 'claude'), `#!/bin/sh\npwd >> '${starts}'\nexec sleep 1000\n`);
  await chmod(join(bin, 'claude'), 0o755);
  Object.assign(repo.env, { PATH: `${bin}:${process.env['PATH']}` });
  const theirs = {
    numStartups: 41,
    hasCompletedOnboarding: true,
    unheardOf: ['ü', { deep: [null, 1.5] }],
    projects: { [`${repo.root}-other`]: { hasTrustDialogAccepted: true, history: ['a'] }, '/': { allowedTools: [] } },
  };
  await writeFile(config, ` ${JSON.stringify(theirs)}\n`, { mode: 0o640 });
  const running = farm(repo);
  return {
    repo,
    farm: running,
    theirs,
    config: () => readFile(config, 'utf8'),
    mode: async () => (await stat(config)).mode & 0o777,
    starts: async () => (await readIfAny(starts)).split('\n').filter(Boolean),
    /** The question for leave, once nothing else is left to do. */
    async asked() {
      await expect.poll(async () => (await running.ask('status')).tasks).toMatchObject({ landed: 1 });
      const open = async () => (await running.ask('status')).attention;
      await expect.poll(open).toMatchObject([{ kind: 'consent', subject: 'claude' }]);
      return (await open())[0];
    },
    reasons: async (task: string) =>
      (await running.ask('why', task)).reasons
        .filter(({ code }: { code: string }) => code === 'consent')
        .map(({ text }: { text: string }) => text),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

it('trust is asked for before anything is started or written; a yes adds that one entry, and an agent starts', async () => {
  await using it = await newcomer();
  const before = await it.config();
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const question = await it.asked();
  expect(question.reason).toContain(`Claude Code does not trust ${it.repo.root} yet`);
  expect(question.reason).toContain(join(it.repo.home, '.claude.json'));
  expect([await it.config(), await it.starts()]).toEqual([before, []]);
  for (const task of ['1', '2']) {
    expect(await it.reasons(task), task).toEqual([question.reason]);
    expect((await it.farm.ask('show', task)).attempts).toEqual([]);
  }

  await it.farm.furrow('answer', question.id, 'yes');
  const agent = async () => (await it.farm.ask('status')).agents[0];
  await expect.poll(it.starts).toEqual([(await agent()).worktree]);
  const { projects, ...rest } = JSON.parse(await it.config());
  const { projects: known, ...others } = it.theirs;
  expect(JSON.stringify(rest)).toBe(JSON.stringify(others));
  expect(projects).toEqual({ ...known, [it.repo.root]: { hasTrustDialogAccepted: true } });
  expect(await it.mode()).toBe(0o640);
  expect((await it.farm.ask('status')).attention).toEqual([]);
  // It says nothing, ever: that is no work.
  const started = async () => (await it.farm.events()).filter(({ kind }) => kind === 'attempt.started').length;
  await expect.poll(started).toBe(2);
  expect(await agent()).toMatchObject({ state: 'starting' });
});

it('a no leaves the file as it was, is not asked again by itself, says what is held and ends the work; new work asks anew', async () => {
  await using it = await newcomer();
  const before = await it.config();
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const question = await it.asked();
  await it.farm.furrow('answer', question.id, 'no');
  await expect.poll(async () => (await it.farm.ask('status')).farm.state).toBe('stopped');
  expect((await it.farm.ask('status')).attention).toEqual([]);
  for (const task of ['1', '2'])
    expect(await it.reasons(task), task).toEqual([
      expect.stringMatching(/^you said no to this: Claude Code does not trust .* furrow work asks again$/),
    ]);
  expect([await it.config(), await it.mode(), await it.starts()]).toEqual([before, 0o640, []]);

  const work = begin(it.repo, 'work', '--parallel', '1', '--json');
  const anew = await it.asked();
  expect(anew.id).not.toBe(question.id);
  await it.farm.furrow('answer', anew.id, 'no');
  const { code, stdout } = await work.ended;
  expect([code, JSON.parse(stdout).left]).toMatchObject([
    1,
    ['1', '2'].map((id) => ({ id, reason: expect.stringContaining('you said no') })),
  ]);
  expect([await it.config(), await it.mode(), await it.starts()]).toEqual([before, 0o640, []]);
});
