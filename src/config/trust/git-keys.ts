/** The places that a path in a setting is compared with. */
export interface Ground {
  readonly root: string;
  readonly gitDir: string;
}

type Rule = (value: string, ground: Ground) => boolean;

const always: Rule = () => true;
/** git runs the value, or what it names. An empty one takes an earlier setting back. */
const program: Rule = (value) => value !== '';
const SWITCH = /^(?:true|false|yes|no|on|off|\d+)$/i;
/** A command, or a mere switch. */
const programOrSwitch: Rule = (value) => value !== '' && !SWITCH.test(value);
/** The name of a tool that git knows; a path in its place is a script that it runs. */
const toolName: Rule = (value) => !/^[\w-]*$/.test(value);
/** The lines that `git lfs install` writes, and no others. */
const filter: Rule = (value) =>
  program(value, NOWHERE) && !/^git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)$/.test(value);
const isOff: Rule = (value) => /^(?:false|no|off|0+)?$/i.test(value);

const NOWHERE: Ground = { root: '', gitDir: '' };

/** An address that leads over the network to another machine. Every other form of address makes a program run here: a helper, or the hooks of a folder. */
const ELSEWHERE =
  /^(?:(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?):\/\/[^-/\s][^\s]*|(?:[\w.+-]+@)?[\w][\w.-]*:(?![:/])[^\s]+|(?:[\w.+-]+@)?[\w][\w.-]*:\/(?!\/)[^\s]+)$/;
const address: Rule = (value) => value !== '' && !ELSEWHERE.test(value);
/** The name of a remote, `.` for the repository itself, or an address. */
const remoteName: Rule = (value) => !/^(?:\.|[\w][\w.-]*(?:\/[\w.-]+)*)?$/.test(value) && address(value, NOWHERE);

/** A file or folder outside of the repository. */
const outside: Rule = (value, { root, gitDir }) => {
  if (value === '' || value === '/dev/null') return false;
  if (value.split('/').includes('..') || /^[~%$]/.test(value)) return true;
  return value.startsWith('/') && ![root, gitDir].some((folder) => value === folder || value.startsWith(`${folder}/`));
};

/**
 * The settings by which git, or a tool beside it, runs a program, opens a folder or goes to another place than the person thinks. Keys are as git
 * lists them: section and name in lower case. All others (names of people, branches, colours, sizes …) are not shown.
 */
const RULES: readonly (readonly [key: RegExp, rule: Rule])[] = [
  [/^include\.path$|^includeif\..*\.path$/s, always],
  [/^core\.(?:hookspath|worktree)$/, always],
  [/^core\.fsmonitor$|^pager\./s, programOrSwitch],
  [/^core\.(?:sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)$/, program],
  [/^filter\..*\.(?:clean|smudge|process)$/s, filter],
  [/^alias\.|^lfs\.customtransfer\..*\.(?:path|args)$|^lfs\.extension\..*\.(?:clean|smudge)$/s, programOrSwitch],
  [/^(?:diff|merge)\.(?:tool|guitool)$|^(?:help|web|instaweb)\.browser$|^man\.viewer$/, toolName],
  [/^remote\..*\.(?:uploadpack|receivepack|vcs)$|^instaweb\.(?:httpd|modulepath)$/s, program],
  [/^(?:difftool|mergetool|browser|man)\..*\.path$/s, program],
  [/^imap\.(?:.*\.)?tunnel$|^diff\.external$|^interactive\.difffilter$|^lfs\.(?:.*\.)?standalonetransferagent$/s, program],
  [/^sendemail\.(?:.*\.)?smtpserver$/s, (value) => value.startsWith('/')],
  [/^protocol\.(?:.*\.)?allow$/s, always],
  [/^url\..*\.(?:push)?insteadof$/s, always],
  [/^(?:http|remote)\.(?:.*\.)?proxy$|^http\.(?:.*\.)?curloptresolve$/s, program],
  [/^http\.(?:.*\.)?sslverify$/s, isOff],
  [/^submodule\..*\.update$/s, (value) => value.startsWith('!')],
  [
    /^remote\..*\.(?:push)?url$|^submodule\..*\.url$|^lfs\.(?:push)?url$|^remote\..*\.lfs(?:push)?url$|^(?:fetch\.bundleuri|bundle\..*\.uri)$/s,
    address,
  ],
  [/^branch\..*\.(?:push)?remote$|^remote\.pushdefault$|^checkout\.defaultremote$/s, remoteName],
  [/^lfs\.storage$/, outside],
  [/^extensions\.refstorage$/, (value) => value.includes(':')],
  [
    /^core\.(?:excludesfile|attributesfile)$|^(?:commit\.template|init\.templatedir|fsmonitor\.socketdir|format\.outputdirectory|gitcvs\.logfile)$/,
    outside,
  ],
  [/^(?:blame\.ignorerevsfile|mailmap\.file|diff\.orderfile|format\.signaturefile|gpg\.ssh\.(?:allowedsigners|revocation)file)$/, outside],
  [
    /^sendemail\.(?:.*\.)?(?:aliasesfile|smtpsslcertpath)$|^http\.(?:.*\.)?(?:cookiefile|(?:proxy)?ssl(?:cainfo|capath|cert|key))$/s,
    outside,
  ],
  // Settings of future gits and of other tools: the name decides.
  [/[.-](?:\w*command|\w*cmd|program|helper|\w*hook|driver|textconv|editor|pager|\w*prog|script|shell|exec)$/, programOrSwitch],
];

/** git reads this from the person's own configuration only. */
const NOT_FROM_HERE = /^(?:uploadpack\.packobjectshook|completion\.commands)$/;

/** True when a setting of a repository makes a program run, opens a folder, or leads elsewhere. `value` undefined: a mere switch. */
export function mattersTo(key: string, value: string | undefined, ground: Ground): boolean {
  if (NOT_FROM_HERE.test(key)) return false;
  return RULES.some(([shape, rule]) => shape.test(key) && rule(value ?? 'true', ground));
}
