import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGitFolder } from '../../../src/config/trust/git-folder.ts';
import { mattersTo } from '../../../src/config/trust/git-keys.ts';
import { gitLines } from '../../../src/config/trust/git-lines.ts';
import { exec } from '../../../src/platform/exec.ts';
import { gitRepo, type TestRepo } from '../../support/repo.ts';

const look = (repo: TestRepo, own: readonly string[] = []) =>
  readGitFolder({ root: repo.root, gitDir: join(repo.root, '.git'), own, hooks: join(repo.root, '.git/hooks') });
const told = (repo: TestRepo, own: readonly string[] = []) => gitLines(look(repo, own).folder).map(({ name, text }) => `${name} = ${text}`);

describe('every key that git knows', () => {
  const GROUND = { root: '/home/you/app', gitDir: '/home/you/app/.git' };
  /** A value that would run, or open, wherever a key takes one. */
  const BAD = ['/home/you/.ssh/x', '!evil', 'ext::evil', 'false'];
  /** The name says that it may run a program, open a file or lead elsewhere. */
  const LOOKS =
    /command|cmd|program|helper|path|file|dir|hook|driver|textconv|editor|pager|browser|viewer|httpd|proxy|alias|url|uri|insteadof|storage|template|include|external|askpass|fsmonitor|ssh|clean$|smudge$|process$|tunnel|vcs|uploadpack$|receivepack$|smtpserver$|worktree$|difffilter|cert$|key$|cainfo|resolve|verify|tool$|protocol.*allow/;
  /** Why these do neither, although they look like it. */
  const HARMLESS: readonly (readonly [RegExp, string])[] = [
    [/^advice\.|^color\.|^fsck\.|^receive\.fsck\.|^fetch\.fsck\./, 'switches, colours and levels'],
    [
      /^(add|clean|column|status|core\.filemode|core\.quotepath|core\.(big|hide|files|fsync|fsmonitorhook|protect|precompose))/,
      'switches and sizes',
    ],
    [/cachetextconv$|\.(prompt|keepbackup|keeptemporaries|hideresolved|writetotemp|trustexitcode)$|guitool\..*\.(?!cmd)\w+$/, 'switches'],
    [
      /^(commitgraph|pack|repack|gc|trace2|worktree|merge|diff)\.(?!tool|guitool|.*(driver|command|textconv|orderfile|recentobjectshook))/,
      'switches, sizes and names',
    ],
    [
      /^(feature|sparse|push|rebase|receive|transfer|log|user|interactive\.singlekey|instaweb\.(local|port)|extensions\.worktreeconfig|ssh\.variant)/,
      'switches and names',
    ],
    [/^uploadpack(filter)?\.|^completion\.|^safe\./, "counts in the person's own configuration only"],
    [/^http\.(followredirects|pinnedpubkey)|^stash\./, 'words and switches'],
    [/^gitweb\.|^gitcvs\.(?!logfile)|^help\.htmlpath|^gui\.|^blame\.show|^commit\.cleanup|^clone\./, 'a server of web pages, or no file'],
    [
      /^sendemail\.(aliasfiletype|smtpserver(option|port)|.*sslcertpath$)|^http\.(?!.*proxy$).*(schannel|passwordprotected|authmethod|proxyssl|sslversion|savecookies)/,
      'words',
    ],
    [
      /^remote\..*(proxyauthmethod|fetch|partialclone)|^credential\.(usehttppath|.*username)|^format\.filename|^gpg\.format|^imap\.sslverify|^fsmonitor\.allow|^notes\.|^trailer\..*\.key/,
      'words',
    ],
    [/^init\.|^submodule\.(?!.*(url|update))|^man\.viewer|^http\..*\*$|^credential\..*\*$|^alias\.\*/, 'names'],
  ];

  it('is a line where it makes a program run, opens something outside or leads elsewhere', async () => {
    const { stdout } = await exec(['git', 'help', '--config'], { env: { PATH: process.env['PATH'] ?? '', HOME: '/' }, timeoutMs: 10_000 });
    const keys = stdout
      .split('\n')
      .filter((key) => /^\w+\./.test(key))
      .map((key) =>
        key
          .replace(/<[^>]+>/g, 'x')
          .replace(/^([^.]+)(.*?)([^.]+)$/, (_, a: string, b: string, c: string) => a.toLowerCase() + b + c.toLowerCase()),
      );
    expect(keys.length).toBeGreaterThan(500);
    const quiet = keys.filter((key) => LOOKS.test(key) && !BAD.some((value) => mattersTo(key, value, GROUND)));
    expect(quiet.filter((key) => !HARMLESS.some(([shape]) => shape.test(key)))).toEqual([]);
  });

  it.each([
    ...[
      ['core.hookspath', ''],
      ['core.fsmonitor', '.git/evil'],
      ['core.sshcommand', 'evil'],
      ['credential.helper', '!evil'],
      ['credential.https://h.helper', 'store'],
    ],
    ...[
      ['filter..clean', 'evil'],
      ['filter.lfs.process', 'git-lfs filter-process; evil'],
      ['filter.a.b.smudge', 'evil'],
      ['alias.st', '!evil'],
      ['alias.up', '-c core.pager=x log'],
    ],
    ...[
      ['diff.x.textconv', 'evil'],
      ['diff.external', 'evil'],
      ['merge.x.driver', 'evil'],
      ['merge.tool', '../../evil'],
      ['mergetool.x.cmd', 'evil'],
      ['mergetool.vimdiff.path', 'evil'],
    ],
    ...[
      ['remote.o.url', 'ext::sh -c evil'],
      ['remote.o.url', '/srv/x.git'],
      ['remote.o.url', '../x'],
      ['remote.o.url', 'file:///x'],
      ['remote.o.url', 'ssh://-oProxyCommand=evil/x'],
      ['remote.o.pushurl', 'fd::7'],
    ],
    ...[
      ['branch.main.remote', 'ext::sh -c evil'],
      ['branch.main.pushremote', '/srv/x'],
      ['remote.o.uploadpack', 'evil'],
      ['remote.o.vcs', 'evil'],
      ['remote.pushdefault', 'ext::evil'],
      ['remote.o.proxy', 'http://p'],
    ],
    ...[
      ['url.ext::evil.insteadof', 'https://'],
      ['protocol.ext.allow', 'always'],
      ['protocol.allow', 'user'],
      ['http.proxy', 'http://p'],
      ['http.sslverify', 'false'],
      ['http.https://h/.sslverify', '0'],
    ],
    ...[
      ['include.path', 'x'],
      ['includeif.onbranch:x.path', 'y'],
      ['submodule.s.update', '!evil'],
      ['submodule.s.url', 'ext::evil'],
      ['core.worktree', '/'],
      ['lfs.storage', '/home/you/.ssh'],
      ['lfs.storage', '../../.ssh'],
    ],
    ...[
      ['core.excludesfile', '~/.ssh/id'],
      ['core.attributesfile', '/etc/x'],
      ['lfs.customtransfer.x.path', 'evil'],
      ['lfs.extension.x.clean', 'evil'],
      ['hook.x.command', 'evil'],
      ['gpg.ssh.program', 'evil'],
    ],
    ...[
      ['gpg.ssh.defaultkeycommand', 'evil'],
      ['trailer.x.cmd', 'evil'],
      ['tar.tgz.command', 'evil'],
      ['sequence.editor', 'evil'],
      ['pager.log', 'evil'],
      ['annex.tune-command', 'evil'],
      ['gc.recentobjectshook', 'evil'],
    ],
  ] as [string, string][])('%s = %s is a line', (key, value) => expect(mattersTo(key, value, GROUND)).toBe(true));

  it.each([
    ...[
      ['user.name', 'You'],
      ['user.signingkey', '~/.ssh/id.pub'],
      ['core.bare', 'false'],
      ['core.filemode', 'true'],
      ['core.autocrlf', 'input'],
      ['core.fsmonitor', 'true'],
      ['gc.auto', '0'],
      ['color.pager', 'false'],
    ],
    ...[
      ['remote.origin.url', 'https://host/x.git'],
      ['remote.origin.url', 'https://you:key@host/x.git'],
      ['remote.origin.url', 'git@host:you/app.git'],
      ['remote.origin.url', 'ssh://git@host:22/x'],
      ['remote.origin.url', 'host:/srv/x'],
    ],
    ...[
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
      ['branch.main.remote', 'origin'],
      ['branch.main.remote', '.'],
      ['branch.main.merge', 'refs/heads/main'],
      ['branch.a/b.vscode-merge-base', 'origin/main'],
    ],
    ...[
      ['filter.lfs.clean', 'git-lfs clean -- %f'],
      ['filter.lfs.smudge', 'git-lfs smudge --skip -- %f'],
      ['filter.lfs.process', 'git-lfs filter-process'],
      ['filter.lfs.required', 'true'],
      ['lfs.storage', 'lfs2'],
      ['lfs.https://h/.access', 'basic'],
    ],
    ...[
      ['submodule.lib.url', 'https://host/lib'],
      ['submodule.lib.active', 'true'],
      ['submodule.lib.update', 'rebase'],
      ['merge.tool', 'vimdiff'],
      ['diff.x.xfuncname', '^f'],
      ['trailer.sign.key', 'Signed-off-by: '],
      ['pager.log', 'false'],
    ],
    ...[
      ['credential.helper', ''],
      ['extensions.worktreeconfig', 'true'],
      ['core.excludesfile', '/home/you/app/.git/x'],
      ['blame.ignorerevsfile', '.git-blame-ignore-revs'],
      ['pull.rebase', 'true'],
      ['rerere.enabled', 'true'],
    ],
  ] as [string, string][])('%s = %s is none', (key, value) => expect(mattersTo(key, value, GROUND)).toBe(false));
});

it('an ordinary repository has no line, whatever git itself writes in daily work', async () => {
  await using repo = await gitRepo();
  const first = look(repo);
  await repo.git('remote', 'add', 'origin', 'https://host.invalid/x.git');
  await repo.git('checkout', '-q', '-b', 'topic');
  await repo.git('config', 'branch.topic.remote', 'origin');
  await repo.git('worktree', 'add', '-q', '../other');
  expect(first.isCurrent()).toBe(false);
  expect(told(repo)).toEqual([]);
  expect(look(repo).isCurrent()).toBe(true);
});

it('finds a setting in every file that git would read it from, and says when it counts', async () => {
  await using repo = await gitRepo({ 'tools/gitconfig': '[core]\n\tpager = tracked\n' });
  await repo.git('worktree', 'add', '-q', '../other');
  await repo.git('worktree', 'add', '-q', '../app.furrow/ada');
  await writeFile(
    join(repo.root, '.git/config'),
    '[core]\n\thooksPath = tools/hooks\n[extensions]\n\tworktreeConfig\n[include]\n\tpath = ../tools/gitconfig\n[includeIf "onbranch:secret"]\n\tpath = more\n',
  );
  await repo.write('.git/more', '[core]\n\tsshCommand = evil\n[include]\n\tpath = deeper\n');
  await repo.write('.git/deeper', '[core]\n\tfsmonitor = deep\n');
  await repo.write('.git/config.worktree', '[diff]\n\texternal = main\n');
  await repo.write('.git/worktrees/other/config.worktree', '[diff]\n\texternal = other\n');
  await repo.write('.git/worktrees/ada/config.worktree', '[diff]\n\texternal = of-an-agent\n');
  await repo.write('.git/modules/group/lib/HEAD', 'ref: refs/heads/main\n');
  await repo.write('.git/modules/group/lib/config', '[core]\n\tfsmonitor = lib\n');
  await repo.write('.git/modules/group/lib/hooks/post-checkout', 'lib\n');
  await repo.write('.git/remotes/old', 'URL: ext::evil\n');
  await repo.write('.git/rebase-merge/git-rebase-todo', 'pick 1234567 words\nexec npm test\nx npm test\nx evil\n');
  expect(told(repo, [join(repo.base, 'app.furrow')]).map((line) => line.replace(/content \w+/, 'content …'))).toEqual([
    'git core.hookspath = "tools/hooks"',
    'git include.path = "../tools/gitconfig"; then "deeper" in .git/more when onbranch:secret',
    'git includeif.onbranch:secret.path = "more"',
    'git core.pager = "tracked" in tools/gitconfig',
    'git core.sshcommand = "evil" in .git/more when onbranch:secret',
    'git core.fsmonitor = "deep" in .git/deeper when onbranch:secret',
    'git diff.external = "main" in .git/config.worktree',
    'git diff.external of worktrees/other = "other" in .git/worktrees/other/config.worktree',
    'git core.fsmonitor of modules/group/lib = "lib" in .git/modules/group/lib/config',
    '.git/modules/group/lib/hooks/post-checkout = git hook that is not in force in the main worktree, content …',
    '.git/remotes/old = old way to name a remote, content …',
    'rebase: npm test = runs when the unfinished rebase goes on',
    'rebase: evil = runs when the unfinished rebase goes on',
  ]);
});

it('a change of a file that is included, or comes to be, is noticed even with the same size and time', async () => {
  await using repo = await gitRepo();
  await repo.git('config', 'include.path', '../later');
  const before = look(repo);
  await repo.write('later', '[core]\n\tpager = a\n');
  expect(before.isCurrent()).toBe(false);
  const after = look(repo);
  await exec(['sh', '-c', 'touch -r later time && printf "[core]\\n\\tpager = b\\n" > later && touch -r time later'], {
    cwd: repo.root,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 10_000,
  });
  expect(after.isCurrent()).toBe(false);
  expect(told(repo)).toContain('git core.pager = "b" in later');
});

it('a part of the git folder that is really elsewhere is a line', async () => {
  await using repo = await gitRepo();
  await mkdir(join(repo.base, 'secrets'));
  await symlink(join(repo.base, 'secrets'), join(repo.root, '.git/lfs'));
  await symlink('refs/heads/main', join(repo.root, '.git/inside'));
  expect(told(repo)).toEqual([`.git/lfs = a link to "${join(repo.base, 'secrets')}"`]);
});

describe('what cannot be read whole refuses, and holds nobody up', () => {
  const refusals: Record<string, [(repo: TestRepo, config: string) => Promise<unknown>, RegExp]> = {
    'a pipe': [(_, config) => exec(['mkfifo', config], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 10_000 }), /no plain file/],
    'a device that never ends': [(_, config) => symlink('/dev/zero', config), /no plain file/],
    'a link to itself': [(_, config) => symlink(config, config), /cannot be read \(ELOOP\)/],
    'a folder': [(_, config) => mkdir(config), /it is a folder/],
    'a huge file': [(_, config) => writeFile(config, `[a]\n${'k = v\n'.repeat(1_000_000)}`), /too large/],
    garbage: [(_, config) => writeFile(config, Buffer.from([0, 1, 2, 255])), /git would not understand it/],
    'half a section': [(_, config) => writeFile(config, '[core\n'), /git would not understand it/],
    'the home of somebody else': [(_, config) => writeFile(config, '[include]\n\tpath = ~bob/x\n'), /includes ~bob\/x/],
    'an endless chain of includes': [
      async (repo, config) => {
        await writeFile(config, '[include]\n\tpath = n/1\n');
        await mkdir(join(repo.root, '.git/n'));
        for (let n = 1; n < 1100; n++)
          await writeFile(join(repo.root, `.git/n/${n}`), `[include]\n\tpath = ${n + 1}\n\tpath = ${n}\n\tpath = 1\n`);
      },
      /more than 1000 files/,
    ],
  };

  it.each(Object.entries(refusals))('%s', async (_what, [plant, why]) => {
    await using repo = await gitRepo();
    const config = join(repo.root, '.git/config');
    await rm(config);
    await plant(repo, config);
    const found = look(repo);
    const lines = gitLines(found.folder).filter(({ refuses }) => refuses);
    expect(lines.map(({ text }) => text).join('\n')).toMatch(why);
    expect(found.isCurrent(), 'it is tried again').toBe(false);
  });
});

it('an include bomb is read once', async () => {
  await using repo = await gitRepo();
  for (let n = 0; n < 40; n++) await repo.write(`.git/bomb${n}`, `[include]\n${`\tpath = bomb${n + 1}\n`.repeat(200)}`);
  await repo.write('.git/bomb40', '[core]\n\tpager = evil\n');
  await repo.git('config', 'include.path', 'bomb0');
  expect(told(repo)).toContain('git core.pager = "evil" in .git/bomb40');
});
