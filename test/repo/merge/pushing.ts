import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import type { PushOrder } from '../../../src/repo/merge/push.ts';
import { TestRepo } from './repo.ts';

/** A repository with a bare one beside it as `origin`, spoken to over file://, and a home folder of its own. */
export class Pushing extends TestRepo {
  readonly remote = join(this.folder, 'remote.git');
  readonly home = join(this.folder, 'home');
  readonly start = this.git('rev-parse', 'HEAD');

  constructor() {
    super();
    this.git('init', '-q', '--bare', '-b', 'main', this.remote);
    this.git('remote', 'add', 'origin', `file://${this.remote}`);
    this.write({ '.gitconfig': '' }, this.home);
  }

  there(ref = 'refs/heads/main'): string | undefined {
    return this.git('ls-remote', this.remote, ref).split('\t')[0] || undefined;
  }

  /** Somebody else's commit on top of another, on the remote only. */
  elsewhere(parent: string, files: Record<string, string>): string {
    const commit = this.commitOn(parent, files, 'elsewhere');
    this.git('push', '-q', this.remote, `${commit}:refs/scratch/other`);
    this.git('update-ref', '-d', 'refs/test/scratch');
    rmSync(join(this.gitDir, 'objects', commit.slice(0, 2), commit.slice(2)), { force: true });
    return commit;
  }

  script(path: string, ...text: string[]): string {
    this.write({ [path]: `#!/bin/sh\n${text.join('\n')}\n` }, this.folder);
    chmodSync(join(this.folder, path), 0o755);
    return join(this.folder, path);
  }

  order(commit: string, rest: Partial<PushOrder> = {}): PushOrder {
    return { remote: 'origin', target: 'main', commit, expected: null, ...rest };
  }
}

/** A fresh one for each test of a file; the home folder is the one that pushes see. */
export function eachPushing(use: (repo: Pushing) => void): void {
  let repo: Pushing;
  beforeEach(() => {
    repo = new Pushing();
    for (const name of ['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_CONFIG_GLOBAL']) vi.stubEnv(name, undefined);
    vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
    vi.stubEnv('HOME', repo.home);
    use(repo);
  });
  afterEach(() => {
    repo[Symbol.dispose]();
    vi.unstubAllEnvs();
    logExec(() => {});
  });
}
