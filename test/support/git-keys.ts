/**
 * Every key of git's configuration that starts a program or names a place, by `git help --config` and by what that leaves out. A key that a newer
 * git knows, and that looks like one of these, must be put into one of the lists before the matrix is green again.
 */

/** Keys whose value is run, or decides what is run: a program, a tool by name, an address that may be a program. */
export const RUNS = [
  ...[
    'alias.*',
    'browser.<tool>.cmd',
    'browser.<tool>.path',
    'bundle.<id>.uri',
    'core.alternateRefsCommand',
    'core.askPass',
    'core.editor',
  ],
  ...['core.fsmonitor', 'core.gitProxy', 'core.hooksPath', 'core.pager', 'core.sshCommand', 'credential.<url>.*', 'credential.helper'],
  ...['diff.<driver>.command', 'diff.<driver>.textconv', 'diff.external', 'diff.guitool', 'diff.tool', 'difftool.<tool>.cmd'],
  ...['difftool.<tool>.path', 'filter.<driver>.clean', 'filter.<driver>.smudge', 'filter.<driver>.process', 'gc.recentObjectsHook'],
  ...['gpg.<format>.program', 'gpg.program', 'gpg.ssh.defaultKeyCommand', 'guitool.<name>.cmd', 'help.browser', 'imap.tunnel'],
  ...['instaweb.browser', 'instaweb.httpd', 'interactive.diffFilter', 'man.<tool>.cmd', 'man.<tool>.path', 'man.viewer'],
  ...['merge.<driver>.driver', 'merge.guitool', 'merge.tool', 'mergetool.<tool>.cmd', 'mergetool.<tool>.path', 'pager.<cmd>'],
  ...['remote.<name>.receivepack', 'remote.<name>.uploadpack', 'remote.<name>.url', 'remote.<name>.pushurl', 'remote.<name>.vcs'],
  ...[
    'sendemail.<identity>.*',
    'sendemail.ccCmd',
    'sendemail.tocmd',
    'sendemail.headerCmd',
    'sendemail.sendmailCmd',
    'sendemail.smtpServer',
  ],
  ...['sequence.editor', 'submodule.<name>.update', 'submodule.<name>.url', 'tar.<format>.command', 'trailer.<token>.cmd'],
  ...['trailer.<token>.command', 'uploadpack.packObjectsHook', 'url.<base>.insteadOf', 'url.<base>.pushInsteadOf', 'web.browser'],
];

/** Keys whose value is a file or a folder that git reads or writes. */
export const PATHS = [
  ...['blame.ignoreRevsFile', 'commit.template', 'core.attributesFile', 'core.excludesFile', 'diff.orderFile', 'fetch.fsck.skipList'],
  ...['format.outputDirectory', 'format.signatureFile', 'fsck.skipList', 'fsmonitor.socketDir', 'gitcvs.dbName', 'gitcvs.logFile'],
  ...[
    'gpg.ssh.allowedSignersFile',
    'gpg.ssh.revocationFile',
    'help.htmlPath',
    'http.cookieFile',
    'http.proxySSLCAInfo',
    'http.proxySSLCert',
  ],
  ...['http.proxySSLKey', 'http.sslCAInfo', 'http.sslCAPath', 'http.sslCert', 'http.sslKey', 'init.templateDir', 'instaweb.modulePath'],
  ...[
    'lfs.storage',
    'mailmap.file',
    'receive.certNonceSeed',
    'receive.fsck.skipList',
    'sendemail.aliasesFile',
    'sendemail.smtpsslcertpath',
  ],
  ...['trace2.eventTarget', 'trace2.normalTarget', 'trace2.perfTarget', 'user.signingKey'],
];

/** Keys that are looked at elsewhere: the places of the matrix themselves, and where a repository has its files. */
const ELSEWHERE = ['include.path', 'includeIf.<condition>.path', 'core.worktree', 'safe.directory', 'extensions.*'];

/** Keys that only look like it: words, numbers, switches. */
const HARMLESS = `clone.filterSubmodules column.clean commitGraph.maxNewFilters commitGraph.readChangedPaths completion.commands
  core.bigFileThreshold core.fileMode core.filesRefLockTimeout core.fsmonitorHookVersion core.fsyncObjectFiles core.hideDotFiles
  core.quotePath credential.useHttpPath diff.<driver>.binary diff.<driver>.cachetextconv diff.<driver>.wordRegex
  diff.<driver>.xfuncname difftool.prompt difftool.trustExitCode extensions.worktreeConfig feature.manyFiles
  format.filenameMaxLength fsmonitor.allowRemote gc.worktreePruneExpire gitcvs.dbDriver gitweb.url gui.newBranchTemplate
  guitool.<name>.argPrompt guitool.<name>.confirm guitool.<name>.needsFile guitool.<name>.noConsole guitool.<name>.noRescan
  guitool.<name>.prompt guitool.<name>.revPrompt guitool.<name>.revUnmerged guitool.<name>.title http.pinnedPubkey http.proxy
  http.proxyAuthMethod http.proxySSLCertPasswordProtected http.schannelUseSSLCAInfo http.sslCertPasswordProtected
  interactive.singleKey merge.<driver>.name merge.<driver>.recursive merge.directoryRenames mergetool.<tool>.hideResolved
  mergetool.<tool>.trustExitCode mergetool.hideResolved mergetool.keepBackup mergetool.keepTemporaries mergetool.meld.hasOutput
  mergetool.meld.useAutoMerge mergetool.prompt mergetool.vimdiff.layout mergetool.writeToTemp notes.rewrite.<command>
  push.useForceIfIncludes rebase.abbreviateCommands rebase.rescheduleFailedExec receive.certNonceSlop receive.shallowUpdate
  receive.updateServerInfo remote.<name>.partialclonefilter remote.<name>.proxy remote.<name>.proxyAuthMethod
  remote.<name>.skipDefaultUpdate repack.updateServerInfo rerere.autoUpdate sendemail.aliasFileType sendemail.smtpServerOption
  sendemail.smtpServerPort sparse.expectFilesOutsideOfPatterns stash.showIncludeUntracked status.relativePaths
  status.showUntrackedFiles trace2.maxFiles transfer.credentialsInUrl uploadpack.allowAnySHA1InWant uploadpack.allowFilter
  uploadpack.allowReachableSHA1InWant uploadpack.allowRefInWant uploadpack.allowTipSHA1InWant uploadpack.hideRefs
  uploadpack.keepAlive uploadpackfilter.<filter>.allow uploadpackfilter.allow uploadpackfilter.tree.maxDepth worktree.guessRemote`.split(
  /\s+/,
);

const LOOKS =
  /(cmd|command|program|path|file|dir\b|directory|dir$|hook|helper|editor|pager|driver|textconv|clean$|smudge|process|template|proxy|browser|tool|viewer|askpass|url$|uri$|alias|exec\b|tunnel|target|server|update$|receivepack|uploadpack|vcs|filter|cert|key$|cainfo|skiplist|fsmonitor|include|insteadof|worktree|socket|store$|storage)/i;

/** Keys of the installed git that nobody has put into a list. */
export function unsorted(keys: readonly string[]): string[] {
  const known = new Set([...RUNS, ...PATHS, ...ELSEWHERE, ...HARMLESS].map((key) => key.toLowerCase()));
  const isAdvice = (key: string) => /^(advice|color|fsck|receive\.fsck|fetch\.fsck)\.(?!skipList)/i.test(key);
  return keys.filter((key) => LOOKS.test(key) && !isAdvice(key) && !known.has(key.toLowerCase()));
}
