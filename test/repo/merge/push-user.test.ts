import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { withoutLogin } from '../../../src/platform/git/push.ts';
import { identify } from '../../../src/platform/process/identity.ts';
import { pushTarget } from '../../../src/repo/merge/push.ts';
import { eachPushing, type Pushing } from './pushing.ts';

let repo: Pushing;
eachPushing((made) => {
  repo = made;
});

describe('a push in the name of the user', () => {
  it("goes by the user's own address rewrites and push address", async () => {
    repo.write({ '.gitconfig': `[url "file://${repo.folder}/"]\n  insteadOf = work:\n` }, repo.home);
    repo.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all');
    repo.git('remote', 'set-url', '--push', 'origin', 'work:remote.git');
    expect(await pushTarget(repo, repo.order(repo.start))).toEqual({ pushed: true, at: repo.start });
    expect(repo.there()).toBe(repo.start);
    repo.git('remote', 'set-url', '--add', '--push', 'origin', 'work:another.git');
    expect(await pushTarget(repo, repo.order(repo.start))).toMatchObject({ kind: 'refused' });
  });

  it('uses their ssh, which is told never to ask', async () => {
    const said = join(repo.folder, 'said');
    const ssh = repo.script('ssh', `echo "$@" > "${said}"`, 'echo "git@host: Permission denied (publickey)." >&2', 'exit 255');
    repo.git('config', 'core.sshCommand', `${ssh} -F mine`);
    repo.git('remote', 'set-url', 'origin', 'git@host:repo.git');
    expect(await pushTarget(repo, repo.order(repo.start))).toMatchObject({ pushed: false, kind: 'auth' });
    expect(readFileSync(said, 'utf8')).toContain('-F mine -oBatchMode=yes -oControlMaster=no');
  });

  it('shows no password: not in an answer, and not in the log of commands', async () => {
    const argv: string[] = [];
    logExec((line) => argv.push(line.argv.join(' ')));
    for (const set of [[], ['--push']]) {
      repo.git('remote', 'set-url', ...set, 'origin', 'http://ada:s3cr%40t-word@127.0.0.1:1/repo.git');
      const failed = await pushTarget(repo, repo.order(repo.start));
      expect(failed).toMatchObject({ pushed: false, kind: 'offline' });
      expect(JSON.stringify(failed)).toContain('127.0.0.1:1/repo.git');
      expect(JSON.stringify(failed)).not.toMatch(/s3cr|ada/);
    }
    expect(argv.length).toBeGreaterThan(0);
    expect(argv.join('\n')).not.toMatch(/s3cr|ada/);
    const text = "fatal: 'https://x:y@z@host/r?access_token=abc&b=c' ghp_0123456789abcdefghij hunter2";
    expect(withoutLogin(text, ['hunter2'])).toBe("fatal: 'https://host/r?access_token=***&b=c' *** ***");
  });

  it('runs their pre-push hook only when told to, and pushes no large files without it', async () => {
    repo.script('repo/.git/hooks/pre-push', `echo ran >> "${repo.folder}/ran"`, 'echo "tests first" >&2', 'exit 1');
    expect(await pushTarget(repo, repo.order(repo.start))).toEqual({ pushed: true, at: repo.start });
    expect(existsSync(join(repo.folder, 'ran'))).toBe(false);
    const large = repo.commitOn(repo.start, { 'art/.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n' });
    expect(await pushTarget(repo, repo.order(large))).toMatchObject({ pushed: false, kind: 'refused' });
    expect(await pushTarget(repo, repo.order(large, { hooks: true }))).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('your pre-push hook') as string,
    });
    expect(existsSync(join(repo.folder, 'ran'))).toBe(true);
    expect(repo.there()).toBe(repo.start);
  });

  it('can be cancelled, and leaves no process behind', async () => {
    const pid = join(repo.folder, 'pid');
    repo.git(
      'config',
      'remote.origin.uploadpack',
      repo.script('uploadpack', `echo $$ > "${pid}.new"`, `mv "${pid}.new" "${pid}"`, 'exec sleep 600'),
    );
    const stop = new AbortController();
    const started = new Promise<void>((seen) => {
      const watcher = watch(dirname(pid), () => {
        if (!existsSync(pid)) return;
        watcher.close();
        seen();
      });
    });
    const pushing = pushTarget(repo, repo.order(repo.start, { signal: stop.signal }));
    await started;
    stop.abort();
    await expect(pushing).rejects.toMatchObject({ name: 'AbortError' });
    const child = Number(readFileSync(pid, 'utf8'));
    await vi.waitFor(() => expect(identify(child)).toBeUndefined());
  });
});
