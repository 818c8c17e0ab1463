import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfAny } from '../agents/agent/stages/place.ts';
import type { TestRepo } from './repo.ts';

/** The hooks that git knows; each is a program in the folder of hooks. */
const HOOKS =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change'.split(
    ' ',
  );

/** Settings by which git's configuration starts a program, with the place of the program as `RUN`. */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ...['clean', 'smudge'].map((what) => [`filter.trap.${what}`, `RUN filter-${what} %f`] as const),
  ['filter.other.process', 'RUN filter-process'],
  ['filter.odd=name.smudge', 'RUN filter-odd'],
  ['filter..clean', 'RUN filter-nameless'],
  ['filter..smudge', 'RUN filter-nameless'],
  ['diff.trap.textconv', 'RUN textconv'],
  ['diff.other.command', 'RUN diff-command'],
  ['diff.external', 'RUN diff-external'],
  ['merge.trap.driver', 'RUN merge-driver %A %O %B'],
  ['merge.default', 'trap'],
  ['core.fsmonitor', 'RUN fsmonitor'],
  ['core.sshCommand', 'RUN ssh'],
  ['core.gitProxy', 'RUN proxy'],
  ['core.askPass', 'RUN askpass'],
  ['core.editor', 'RUN editor'],
  ['sequence.editor', 'RUN sequence-editor'],
  ['core.pager', 'RUN pager'],
  ['pager.diff', 'RUN pager-diff'],
  ['pager.log', 'RUN pager-log'],
  ['interactive.diffFilter', 'RUN diff-filter'],
  ['credential.helper', '!RUN credential'],
  ['gpg.program', 'RUN gpg'],
  ['gpg.ssh.program', 'RUN gpg-ssh'],
  ['commit.gpgSign', 'true'],
  ['tag.gpgSign', 'true'],
  ['log.showSignature', 'true'],
  ['alias.status', '!RUN alias-status'],
  ['alias.merge-tree', '!RUN alias-merge-tree'],
  ['uploadpack.packObjectsHook', 'RUN pack-objects'],
  ['core.alternateRefsCommand', 'RUN alternate-refs'],
  ['gc.recentObjectsHook', 'RUN recent-objects'],
  ['protocol.ext.allow', 'always'],
  ['remote.origin.url', 'ext::RUN remote-ext'],
  ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
  ['remote.origin.uploadpack', 'RUN uploadpack'],
  ['submodule.part.update', '!RUN submodule'],
  ['submodule.part.url', 'ext::RUN submodule-url'],
  ['submodule.recurse', 'true'],
  ['trailer.sign.command', 'RUN trailer'],
  ['trailer.sign.cmd', 'RUN trailer-cmd'],
  ['tar.trap.command', 'RUN tar'],
  ['mergetool.trap.cmd', 'RUN mergetool'],
  ['gc.auto', '1'],
  ['maintenance.auto', 'true'],
];

/** Attributes that name the traps. */
export const ATTRIBUTES = '*.txt filter=trap diff=trap merge=trap\n*.md filter=other diff=other\n*.sh filter=odd=name\n*.yaml filter=\n';

export interface GitCanaries {
  /** The names of the programs that a git of furrow's has started. */
  ran(): Promise<string[]>;
}

/** The conditions under which git includes a file; each holds here at some time. */
const CONDITIONS = ['gitdir:**', 'gitdir/i:**', 'onbranch:**', 'hasconfig:remote.*.url:ext::*'];

/**
 * Plants a program wherever git's configuration starts one: in `.git/config`, in a file that it includes under every condition, in the hooks, in
 * the configuration of a worktree. A program that runs leaves its name, unless an agent or a check started it: theirs is their own git.
 */
export async function plantGitCanaries(repo: TestRepo): Promise<GitCanaries> {
  const [program, ran] = [join(repo.base, 'trap.sh'), join(repo.base, 'ran')];
  await writeFile(program, `#!/bin/sh\n[ -n "$FURROW_RUN$FURROW_AGENT" ] || echo "$1 $2" >> ${ran}\n[ -t 0 ] || exec cat\n`);
  await chmod(program, 0o755);
  const hooks = join(repo.base, 'hooks');
  for (const folder of [hooks, join(repo.root, '.git', 'hooks')]) {
    await mkdir(folder, { recursive: true });
    for (const name of HOOKS) {
      await writeFile(join(folder, name), `#!/bin/sh\n[ -n "$FURROW_RUN$FURROW_AGENT" ] || echo hook-${name} >> ${ran}\n`);
      await chmod(join(folder, name), 0o755);
    }
  }
  const set = async (file: string, part: string) => {
    for (const [key, value] of SETTINGS)
      await repo.git('config', '--file', file, '--add', key, value.replaceAll('RUN', `${program} ${part}`));
  };
  const [included, conditional] = [join(repo.base, 'included'), join(repo.base, 'conditional')];
  await set(included, 'included');
  await set(conditional, 'conditional');
  // Beside a condition on addresses no file with a condition may name one.
  await writeFile(conditional, (await readIfAny(conditional)).replace(/\turl = ext::.*\n/g, ''));
  const includes = CONDITIONS.map((one) => `[includeIf "${one}"]\n\tpath = ${conditional}\n`);
  await set(join(repo.root, '.git', 'config.worktree'), 'worktree');
  await set(join(repo.root, '.git', 'config'), 'config');
  await appendFile(
    join(repo.root, '.git', 'config'),
    `[extensions]\n\tworktreeConfig = true\n[core]\n\thooksPath = ${hooks}\n[include]\n\tpath = ${included}\n${includes.join('')}`,
  );
  return {
    ran: async () => [...new Set((await readIfAny(ran)).split('\n').filter(Boolean))].sort(),
  };
}
