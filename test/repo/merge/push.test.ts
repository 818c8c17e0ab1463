import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probePush, pushTarget } from '../../../src/repo/merge/push.ts';
import { eachPushing, type Pushing } from './pushing.ts';

let repo: Pushing;
eachPushing((made) => {
  repo = made;
});

describe('a push', () => {
  it('makes the branch, moves it forward, says so when it is there already, and can be asked about', async () => {
    const next = repo.commitOn(repo.start, { x: 'x' });
    expect(await probePush(repo, repo.order(repo.start))).toBe('todo');
    expect(await pushTarget(repo, repo.order(repo.start))).toEqual({ pushed: true, at: repo.start });
    expect(await probePush(repo, repo.order(repo.start))).toBe('done');
    expect(await probePush(repo, repo.order(next))).toBe('todo');
    expect(await pushTarget(repo, repo.order(next, { expected: repo.start }))).toEqual({ pushed: true, at: next });
    expect(await pushTarget(repo, repo.order(next, { expected: repo.start }))).toEqual({ pushed: true, at: next });
    // The remote is further on, with ours behind it.
    expect(await probePush(repo, repo.order(repo.start))).toBe('done');
    expect(await pushTarget(repo, repo.order(repo.start))).toEqual({ pushed: true, at: next });
    expect(repo.there()).toBe(next);
    expect(repo.git('rev-parse', 'refs/remotes/origin/main')).toBe(next);
  });

  it('leaves a remote alone that has commits which the target lacks', async () => {
    const theirs = repo.elsewhere(repo.start, { y: 'y' });
    repo.gitIn(repo.remote, 'update-ref', 'refs/heads/main', theirs);
    const ours = repo.commitOn(repo.start, { x: 'x' });
    expect(await pushTarget(repo, repo.order(ours, { expected: repo.start }))).toEqual({
      pushed: false,
      kind: 'diverged',
      reason: 'origin/main has 1 commit that main lacks; nothing is pushed until they are brought in',
      hint: 'git switch main && git pull --no-rebase --ff --no-edit origin main && git push origin main',
    });
    expect(repo.there()).toBe(theirs);
    expect(repo.git('rev-parse', 'refs/furrow/remote/main')).toBe(theirs);
    expect(repo.git('for-each-ref', 'refs/remotes')).toBe('');
  });

  it('is done when somebody else went on from it, in commits that we have never seen', async () => {
    await pushTarget(repo, repo.order(repo.start));
    const further = repo.elsewhere(repo.start, { y: 'y' });
    repo.gitIn(repo.remote, 'update-ref', 'refs/heads/main', further);
    expect(await pushTarget(repo, repo.order(repo.start, { expected: repo.start }))).toEqual({ pushed: true, at: further });
  });

  it('does not push again what was taken back or deleted on the remote, unless the target gave it up as well', async () => {
    const second = repo.commitOn(repo.start, { x: 'x' });
    const third = repo.commitOn(second, { z: 'z' });
    await pushTarget(repo, repo.order(second));
    repo.gitIn(repo.remote, 'update-ref', 'refs/heads/main', repo.start);
    expect(await pushTarget(repo, repo.order(third, { expected: second }))).toMatchObject({ pushed: false, kind: 'diverged' });
    expect(repo.there()).toBe(repo.start);
    const another = repo.commitOn(repo.start, { other: 'way' });
    expect(await pushTarget(repo, repo.order(another, { expected: second }))).toEqual({ pushed: true, at: another });
    repo.gitIn(repo.remote, 'update-ref', '-d', 'refs/heads/main');
    expect(await pushTarget(repo, repo.order(another, { expected: another }))).toMatchObject({ pushed: false, kind: 'refused' });
    expect(repo.there()).toBeUndefined();
  });

  it('hands on why the remote refuses', async () => {
    repo.script('remote.git/hooks/pre-receive', 'echo "main is protected, ask Bob" >&2', 'exit 1');
    expect(await pushTarget(repo, repo.order(repo.start))).toEqual({
      pushed: false,
      kind: 'refused',
      reason: 'origin refuses main (pre-receive hook declined): main is protected, ask Bob',
      hint: 'git push origin main',
    });
  });

  it('is tried again later when the remote is gone; an unknown remote is for a person', async () => {
    rmSync(repo.remote, { recursive: true });
    expect(await pushTarget(repo, repo.order(repo.start))).toMatchObject({ pushed: false, kind: 'offline' });
    expect(await probePush(repo, repo.order(repo.start))).toBe('unknown');
    expect(await pushTarget(repo, repo.order(repo.start, { remote: 'upstream' }))).toEqual({
      pushed: false,
      kind: 'refused',
      reason: 'there is no remote upstream',
      hint: 'git remote add upstream <address>',
    });
    expect(await pushTarget(repo, repo.order(repo.start, { remote: '--mirror' }))).toMatchObject({ kind: 'refused' });
  });
});

describe('a remote that moves while we push', () => {
  /** Moves the remote's branch once, right after it has told us where it is. */
  const afterAsked = (to: string) => {
    const once = join(repo.folder, 'once');
    writeFileSync(once, '');
    const move = `rm "${once}" 2>/dev/null && git --git-dir "${repo.remote}" update-ref refs/heads/main ${to}`;
    repo.git('config', 'remote.origin.uploadpack', repo.script('uploadpack', 'git-upload-pack "$@"', 'code=$?', move, 'exit $code'));
    return () => expect(existsSync(once)).toBe(false);
  };

  it('is never overwritten, whether it moved before git looks or under its eyes', async () => {
    await pushTarget(repo, repo.order(repo.start));
    const ours = repo.commitOn(repo.start, { x: 'x' });
    const theirs = repo.elsewhere(repo.start, { y: 'y' });
    const moved = afterAsked(theirs);
    expect(await pushTarget(repo, repo.order(ours, { expected: repo.start }))).toMatchObject({ kind: 'diverged' });
    moved();
    expect(repo.there()).toBe(theirs);

    repo.gitIn(repo.remote, 'update-ref', 'refs/heads/main', repo.start);
    repo.script('remote.git/hooks/update', `exec git update-ref refs/heads/main ${theirs}`);
    expect(await pushTarget(repo, repo.order(ours, { expected: repo.start }))).toMatchObject({ kind: 'diverged' });
    expect(repo.there()).toBe(theirs);
  });

  it('is not moved forward over a step back that somebody made meanwhile', async () => {
    const second = repo.commitOn(repo.start, { x: 'x' });
    const third = repo.commitOn(second, { z: 'z' });
    await pushTarget(repo, repo.order(second));
    const moved = afterAsked(repo.start);
    expect(await pushTarget(repo, repo.order(third, { expected: second }))).toMatchObject({ kind: 'diverged' });
    moved();
    expect(repo.there()).toBe(repo.start);
  });

  it('is followed when it moved to what we have', async () => {
    await pushTarget(repo, repo.order(repo.start));
    const second = repo.commitOn(repo.start, { x: 'x' });
    const third = repo.commitOn(second, { z: 'z' });
    repo.git('push', '-q', repo.remote, `${second}:refs/scratch/second`);
    const moved = afterAsked(second);
    expect(await pushTarget(repo, repo.order(third, { expected: repo.start }))).toEqual({ pushed: true, at: third });
    moved();
  });
});
