import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { fileSchema } from '../../../src/config/schema.ts';
import { differenceOf, differenceText, isCovered } from '../../../src/config/trust/difference.ts';
import { EMPTY_FOLDER, type GitFolder, type GitSetting } from '../../../src/config/trust/git-lines.ts';
import { nameText, quoted } from '../../../src/config/trust/line.ts';
import { linesOf, type TrustFacts } from '../../../src/config/trust/lines.ts';
import { isLargeFileHook } from '../../../src/config/trust/read.ts';
import { standingOf } from '../../../src/config/trust/standing.ts';

const BASE = `
agent: own
agents:
  own: { driver: command, run: sh agent.sh, env: { A: "1" }, pass_env: [TOKEN] }
  claude: { permission: act }
checks: [ { name: unit, run: npm test, env: { CI: "1" }, dir: web } ]
queue:
  after: [ { name: slow, run: npm run slow } ]
  regenerate: [ { paths: [package-lock.json], run: npm i } ]
  remote: origin
worktree: { setup: [npm ci], copy: [.env], env: { URL: postgres } }
race: { judge: sh judge.sh }
isolation: guard
protect: [secret/**]
review: true
approve: [package.json]
permissions: { rules: [ { do: allow, tool: run, command: ls } ] }
`;

const setting = (value: string, more: Partial<GitSetting> = {}): GitSetting => ({
  ...{ key: 'core.sshcommand', value, file: '.git/config', of: '', when: undefined },
  ...more,
});
const git: GitFolder = {
  ...EMPTY_FOLDER,
  settings: [setting('ssh')],
  files: [{ path: '.git/hooks/update', what: 'git hook', hash: 'dd' }],
};

const facts = (yaml = BASE, more: Partial<TrustFacts> = {}): TrustFacts => ({
  config: parseConfig(yaml, 'furrow.yaml'),
  tasks: [{ ref: 'default/7', check: 'sh own.sh' }],
  settings: [{ path: '.claude/settings.json', hash: 'aa' }],
  hooks: [{ path: 'hooks/pre-commit', hash: 'bb' }],
  prompt: { path: 'prompt.md', hash: 'cc' },
  git,
  borrowed: ['/srv/store/objects'],
  ...more,
});

/** One change each: a text of furrow.yaml before and after, or other facts. */
const CHANGES: Record<string, [string, string] | Partial<TrustFacts>> = {
  "an agent's command": ['sh agent.sh', 'sh evil.sh'],
  "an agent's environment": ['A: "1"', 'A: "2"'],
  "what an agent gets of the person's environment": ['[TOKEN]', '[TOKEN, AWS_SECRET]'],
  'a permission': ['permission: act', 'permission: suggest'],
  'arguments of an agent': ['permission: act', 'permission: act, args: [--dangerous]'],
  'the default agent': ['agent: own', 'agent: claude'],
  'a check': ['npm test', 'npm test; evil'],
  'the environment of a check': ['CI: "1"', 'NODE_OPTIONS: "--require evil"'],
  'the folder of a check': ['dir: web', 'dir: evil'],
  'a slow check': ['npm run slow', 'evil'],
  'the judge of races': ['sh judge.sh', 'evil'],
  'a command that regenerates': ['run: npm i', 'run: evil'],
  'the remote': ['remote: origin', 'remote: elsewhere'],
  'set-up': ['npm ci', 'evil'],
  'a store of objects that the repository borrows': { borrowed: ['/srv/store/objects', '/home/ada/private/.git/objects'] },
  'files that agents get': ['copy: [.env]', 'copy: [.env, .ssh]'],
  'the environment of all agents': ['URL: postgres', 'URL: evil'],
  'a rule that is taken away': [', command: ls', ''],
  'protected paths that are none any more': ['protect: [secret/**]\n', ''],
  'paths to approve that are none any more': ['approve: [package.json]\n', ''],
  'isolation that is taken away': ['isolation: guard', 'isolation: none'],
  'files of yours that agents may read': ['isolation: guard', 'isolation: guard\nfence: { read: [~/keys] }'],
  'files of yours that agents may change': ['isolation: guard', 'isolation: guard\nfence: { write: [~/keys] }'],
  'hosts that agents may call': ['isolation: guard', 'isolation: guard\nfence: { network: [evil.example.org] }'],
  'limits that are others': ['isolation: guard', 'isolation: guard\nlimits: { memory: 1g }'],
  'paths that wait for a yes by default': ['isolation: guard', 'isolation: guard\napprove_defaults: false'],
  'reviews that are none any more': ['review: true\n', ''],
  'the kind that reviews': ['review: true', 'review: { kind: own }'],
  'paths that are not screened': ['isolation: guard', 'isolation: guard\nscreen: { allow: ["**"] }'],
  'agents that an orchestrator may add': ['isolation: guard', 'isolation: guard\nspawn: { kinds: [own], most: 9 }'],
  'farms whose agents may write to those here': ['isolation: guard', 'isolation: guard\ncircle: { accept: [evil] }'],
  'farms that agents here may write to': ['isolation: guard', 'isolation: guard\ncircle: { send: [evil] }'],
  "a task's own check": { tasks: [{ ref: 'default/7', check: 'evil' }] },
  'a check of another task': { tasks: [...facts().tasks, { ref: 'default/8', check: 'evil' }] },
  "an agent's settings": { settings: [{ path: '.claude/settings.json', hash: 'ab' }] },
  'new settings of an agent': { settings: [...facts().settings, { path: '.mcp.json', hash: 'aa' }] },
  'a hook': { hooks: [{ path: 'hooks/pre-commit', hash: 'ba' }] },
  'a command of git': { git: { ...git, settings: [setting('evil')] } },
  'a command of git in another file': { git: { ...git, settings: [setting('ssh', { file: 'included' })] } },
  'a command of git on another branch': { git: { ...git, settings: [setting('ssh', { when: 'onbranch:evil' })] } },
  'one more command of git': { git: { ...git, settings: [setting('ssh'), setting('evil', { file: 'included' })] } },
  'a command of git in a worktree': { git: { ...git, settings: [setting('ssh'), setting('ssh', { of: 'worktrees/w' })] } },
  'a hook that is not in force': { git: { ...git, files: [{ path: '.git/hooks/update', what: 'git hook', hash: 'de' }] } },
  'a part of the git folder that is elsewhere': { git: { ...git, links: [{ path: '.git/objects', to: '/home/you' }] } },
  'a step of a rebase': { git: { ...git, steps: ['evil'] } },
  'the template of prompts': { prompt: { path: 'prompt.md', hash: 'ca' } },
};

describe('what was trusted is asked about again when it changes', () => {
  const trusted = linesOf(facts());

  it.each(Object.entries(CHANGES))('%s', (_what, change) => {
    const now = linesOf(Array.isArray(change) ? facts(BASE.replace(change[0], change[1])) : facts(BASE, change));
    expect(isCovered(differenceOf(trusted, trusted))).toBe(true);
    expect(standingOf(trusted, now, undefined)).toMatchObject({ yes: false, why: expect.stringMatching(/changed since you trusted it/) });
  });

  it('but not when something is gone, or is said in another way', () => {
    const shorter = BASE.replace('  claude: { permission: act }\n', '').replace('setup: [npm ci], ', '');
    const now = linesOf(facts(`# words\nparallel: 9\n${shorter}`, { tasks: [], hooks: [] }));
    expect(standingOf(trusted, now, undefined)).toEqual({ yes: true });
  });
});

it('every key of furrow.yaml is part of it, or runs nothing and holds nothing back', () => {
  const part =
    'agent agents check checks queue race land approve approve_defaults review screen phases worktree protect permissions prompt isolation fence limits notify spawn circle';
  const harmless = 'target board parallel attempts resources leases hosts messages budget forge';
  expect(Object.keys(fileSchema.shape).sort()).toEqual(`${part} ${harmless}`.split(' ').sort());
});

it('what could not be read refuses, whoever agreed to it', () => {
  const now = linesOf(facts(BASE, { git: { ...git, unread: [{ path: '.git/config', why: 'it is too large to be read whole' }] } }));
  expect(standingOf(now, now, undefined)).toEqual({
    yes: false,
    foreign: false,
    why: 'some of what git runs here cannot be read, so nothing is started: .git/config cannot be trusted: it is too large to be read whole',
  });
});

it('says of which check the files cannot be told, and of no other', () => {
  const lines = linesOf(
    facts('checks: [ { name: a, run: "sh $X" }, { name: b, run: "sh b.sh $X" } ]', { tasks: [{ ref: 'default/7', check: 'curl x | sh' }] }),
  );
  expect(lines.filter(({ name }) => name.startsWith('files of ')).map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'files of checks.a: not everything can be listed: "$X" may be anything, and may change without your approval',
    'files of check of task default/7: not everything can be listed: "curl x" may be anything, and may change without your approval',
  ]);
});

it('says where a setting of git is and when it counts, and shows no password', () => {
  const settings = [
    setting('a'),
    setting('b\u202e', { file: 'x y', when: 'onbranch:main' }),
    setting('https://host/', { key: 'url.https://you:secret@host/.insteadof', of: 'modules/lib', file: '.git/modules/lib/config' }),
  ];
  const told = linesOf(facts(BASE, { git: { ...EMPTY_FOLDER, settings } })).filter(({ group }) => group === 'git');
  expect(told.map(({ name, text }) => `${name} = ${text}`)).toEqual([
    'git core.sshcommand = "a"; then "b\\u202e" in x y when onbranch:main',
    'git "url.https://…@host/.insteadof" of modules/lib = "https://host/" in .git/modules/lib/config',
  ]);
});

it('one text has one meaning only', () => {
  const of = (yaml: string) => JSON.stringify(linesOf(facts(yaml, { tasks: [] })));
  expect(of('checks: [ { name: a, run: "x, env: {\\"A\\":\\"1\\"}" } ]')).not.toBe(of('checks: [ { name: a, run: x, env: { A: "1" } } ]'));
  expect(of('worktree: { setup: [a, b] }')).not.toBe(of('worktree: { setup: ["a, b"] }'));
});

it('shows control characters, marks that turn text round and spaces that nobody sees as escapes', () => {
  const shown = linesOf(facts('check: "echo \\u001b[2Khi\\u202e \\u00a0\\u3164\\u200b"'));
  expect(shown.find(({ name }) => name === 'checks.check')?.text).toBe('"echo \\u001b[2Khi\\u202e \\u00a0\\u3164\\u200b"');
  expect(quoted('a\nb\u009bgrün')).toBe('"a\\nb\\u009bgrün"');
  expect([nameText('a b/c'), nameText('a\nb'), nameText('"x')]).toEqual(['a b/c', '"a\\nb"', '"\\"x"']);
});

it('shows letters that look like others by their number, in values and in names', () => {
  const shown = linesOf(
    facts('checks: [ { name: a, run: "n\\u0440m test; echo привет; \\u0441\\u0430\\u0442 x" } ]', {
      tasks: [{ ref: '\u0441/1', check: 'x' }],
    }),
  );
  expect(shown.find(({ name }) => name === 'checks.a')?.text).toBe('"n\\u0440m test; echo привет; \\u0441\\u0430\\u0442 x"');
  expect(shown.map(({ name }) => name)).toContain('check of task "\\u0441/1"');
});

it('says first what changed, and how much more', () => {
  const now = linesOf(facts(BASE.replace('npm test', 'sh evil.sh'), { hooks: [{ path: 'h', hash: 'x' }] }));
  expect(differenceText(differenceOf(linesOf(facts()), now))).toMatch(
    /^checks\.unit was run: "npm test".* and is run: "sh evil\.sh".*\(and 1 more\)$/,
  );
});

it('nothing is trusted without a record, and nothing with a store from elsewhere', () => {
  const lines = linesOf(facts());
  expect(standingOf(undefined, lines, undefined)).toMatchObject({
    yes: false,
    why: expect.stringMatching(/not trusted this repository yet/),
  });
  expect(standingOf(lines, lines, { tasks: 3, queued: 1 })).toMatchObject({
    yes: false,
    foreign: true,
    why: expect.stringMatching(/3 tasks and 1 queued entry/),
  });
});

it('knows the hooks that git-lfs writes by itself, and takes no other for one', () => {
  const missing = (say: string) => `#!/bin/sh\ncommand -v git-lfs >/dev/null 2>&1 || { ${say}; exit 2; }\n`;
  const old = `${missing(`echo >&2 "\\nThis repository is configured for Git LFS but 'git-lfs' was not found.\\n"`)}git lfs pre-push "$@"\n`;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what git-lfs writes, word for word.
  const words = "deleting the '${0##*/}' file (set by 'core.hookspath'; usually '.git/hooks').";
  const newer = `${missing(`printf >&2 "\\n%s\\n\\n" "${words}"`)}git lfs post-commit "$@"\n`;
  expect([old, newer].map(isLargeFileHook)).toEqual([true, true]);
  const others = [
    old.replace('not found', '$(evil)'),
    old.replace('not found', '`evil`'),
    `${old}evil\n`,
    old.replace('exit 2', 'evil'),
    old.replace('pre-push', 'evil'),
    newer.replace('%s', '"; evil; echo "'),
  ];
  expect(others.map(isLargeFileHook)).toEqual(others.map(() => false));
});
