import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import type { EndFacts } from '../../../src/daemon/acts/attempt-end/arguments.ts';
import { bringHome } from '../../../src/daemon/roster/bring-home.ts';
import type { RosterFarm } from '../../../src/daemon/roster/farm.ts';
import { judgeHome } from '../../../src/daemon/roster/judge-home.ts';
import { placesOf } from '../../../src/platform/places.ts';
import { gitRepo } from '../../support/repo.ts';

/** A farm's repository, and a clone of it in which an agent elsewhere works. */
async function two() {
  const repo = await gitRepo({ 'README.md': 'x\n', 'secret.txt': 'keep\n' });
  const base = await repo.git('rev-parse', 'HEAD');
  await repo.git('update-ref', 'refs/furrow/head/main', base);
  const far = join(repo.base, 'far');
  await repo.git('clone', '--quiet', repo.root, far);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', far, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' }).trim();
  const farm = {
    repo: { root: repo.root, gitDir: join(repo.root, '.git') },
    places: placesOf(repo.root),
    board: { dir: join(repo.root, 'board') },
    config: parseConfig('protect: [secret.txt]', 'furrow.yaml'),
    target: 'main',
  } as unknown as RosterFarm;
  await mkdir(farm.places.run, { recursive: true });
  const row = { id: 5, task: 'default/7', n: 2, agent: 'ada', base, branch: 'furrow/default/ada/7', target: 'main' };
  const facts = { row, task: { rework: null }, leases: [], earlier: { since: 0, from: null, dropped: [] } } as unknown as EndFacts;
  const commit = async (file: string, text = 'y\n') => {
    await writeFile(join(far, file), text);
    git('add', '-A');
    git('commit', '--quiet', '-m', file);
    return git('rev-parse', 'HEAD');
  };
  /** Sends these commits, as a host does it. */
  const send = async (refs: Record<string, string>, attempt = row.id) => {
    for (const [ref, oid] of Object.entries(refs)) git('update-ref', ref, oid);
    const file = join(repo.base, 'bundle');
    git('bundle', 'create', '--quiet', file, ...Object.keys(refs), `^${base}`);
    return bringHome(farm, attempt, createReadStream(file), [base]);
  };
  return { repo, base, far, git, farm, facts, commit, send, [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose]() };
}

const said = (outcome: 'submitted' | 'failed' | 'unchanged', sha: string | null = null) => ({ outcome, reason: `it says ${outcome}`, sha });

describe('the commits of an agent on another machine', () => {
  it('come home under the names that they would have here, and are handed in', async () => {
    await using at = await two();
    const tip = await at.commit('work.txt');
    const brought = await at.send({ 'refs/furrow/home/5/tip': tip });
    expect(await judgeHome(at.farm, at.facts, said('submitted', tip), brought)).toMatchObject({
      outcome: 'submitted',
      sha: tip,
      kept: null,
    });
    expect(await at.repo.git('rev-parse', 'refs/furrow/pin/default/7/2-queued-main', 'refs/heads/furrow/default/ada/7')).toBe(
      `${tip}\n${tip}`,
    );
  });

  it('are kept when they are not handed in, with what was in no commit', async () => {
    await using at = await two();
    const tip = await at.commit('work.txt');
    const draft = await at.commit('draft.txt');
    const brought = await at.send({ 'refs/furrow/home/5/tip': tip, 'refs/furrow/home/5/uncommitted': draft });
    const kept = 'refs/furrow/pin/default/7/2-uncommitted';
    expect(await judgeHome(at.farm, at.facts, said('failed', tip), brought)).toMatchObject({ outcome: 'failed', sha: tip, kept });
    expect(await at.repo.git('rev-parse', 'refs/furrow/pin/default/7/2', kept)).toBe(`${tip}\n${draft}`);
  });

  it('are not handed in because a machine says so: there must be some, and they leave protected paths alone', async () => {
    await using at = await two();
    expect(await judgeHome(at.farm, at.facts, said('submitted', at.base), {})).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('there is no commit on the branch'),
    });
    expect(await judgeHome(at.farm, at.facts, said('submitted', 'ab'.repeat(20)), {})).toMatchObject({ outcome: 'failed', sha: null });
    const tip = await at.commit('secret.txt', 'told\n');
    const brought = await at.send({ 'refs/furrow/home/5/tip': tip });
    expect(await judgeHome(at.farm, at.facts, said('submitted', tip), brought)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('protected paths: secret.txt'),
    });
    expect((await at.repo.tryGit('rev-parse', '--verify', 'refs/furrow/pin/default/7/2-queued-main')).code).not.toBe(0);
  });

  it('leave a branch alone that somebody has checked out, or that has other commits', async () => {
    await using at = await two();
    const own = await at.repo.git('commit-tree', '-m', 'mine', 'HEAD^{tree}');
    await at.repo.git('branch', 'furrow/default/ada/7', own);
    const tip = await at.commit('work.txt');
    await judgeHome(at.farm, at.facts, said('submitted', tip), await at.send({ 'refs/furrow/home/5/tip': tip }));
    expect(await at.repo.git('rev-parse', 'furrow/default/ada/7')).toBe(own);
  });

  it('come with no ref but those of their attempt, and only if git takes them', async () => {
    await using at = await two();
    const tip = await at.commit('work.txt');
    await expect(at.send({ 'refs/heads/main': tip })).rejects.toMatchObject({ code: 'NOT_WORK' });
    await expect(at.send({ 'refs/furrow/home/6/tip': tip })).rejects.toMatchObject({ code: 'NOT_WORK' });
    const blob = at.git('hash-object', '-w', 'work.txt');
    const tree = execFileSync('git', ['-C', at.far, 'hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
      input: Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]),
      encoding: 'utf8',
    }).trim();
    const bad = at.git('commit-tree', '-m', 'bad', '-p', tip, tree);
    await expect(at.send({ 'refs/furrow/home/5/tip': bad })).rejects.toMatchObject({
      code: 'NOT_WORK',
      message: expect.stringContaining('.git'),
    });
    await expect(bringHome(at.farm, 5, Readable.from([Buffer.from('no bundle')]), [])).rejects.toThrow();
    expect(await at.repo.git('rev-parse', 'main')).toBe(at.base);
  });
});
