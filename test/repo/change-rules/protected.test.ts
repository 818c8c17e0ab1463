import { describe, expect, it } from 'vitest';
import { checkFiles } from '../../../src/repo/change-rules/check-files.ts';
import { delicateIn, type ProtectRules, proseIn, protectedIn } from '../../../src/repo/change-rules/protected.ts';

const rules: ProtectRules = { protect: [], board: 'board', checks: checkFiles([{ run: 'sh check.sh' }]) };

const isProtected = (path: string, protect: string[] = []) => protectedIn('agent', { ...rules, protect }, [path]).length > 0;

describe('protected, whatever furrow.yaml says', () => {
  it.each([
    'furrow.yaml',
    '.furrow/prompt.md',
    'board/tasks/001-x.md',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/hooks/run.sh',
    '.claude/commands/go.md',
    'packages/a/.claude/settings.json',
    '.mcp.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    'opencode.json',
    'opencode.jsonc',
    '.opencode/plugin/x.ts',
    '.cursor/mcp.json',
  ])('%s', (path) => expect(isProtected(path)).toBe(true));

  it.each(['src/a.ts', 'CLAUDE.md', 'AGENTS.md', '.claude/CLAUDE.md', 'docs/furrow.yaml.md', 'package.json', 'furrow.yml', 'claude/a'])(
    'not %s',
    (path) => expect(isProtected(path)).toBe(false),
  );

  it.each([
    ['another case', 'FURROW.YAML'],
    ['a fullwidth letter', 'ｆurrow.yaml'],
    ['a letter that does not show', 'furrow\u200b.yaml'],
    ['an accent', 'furrow.yam\u0301l'],
    ['a soft hyphen in a folder', '.cl\u00adaude/settings.json'],
    ['a dot at the end, which Windows leaves out', 'furrow.yaml.'],
    ['the long s', 'board/taſks/1.md'],
    ['a Cyrillic letter', 'furrow.y\u0430ml'],
    ['a slash that is none', '.claude\u2215hooks/x'],
    ['another case of the folder', '.Claude/hooks/x'],
  ])('its twin with %s', (_, path) => expect(isProtected(path)).toBe(true));

  it.each(['.claude', '.codex', 'board', '.GitHub'])('a link, a submodule or a file in the place of the folder %s', (path) => {
    expect(isProtected(path, ['.github/**'])).toBe(true);
  });
});

describe('protect of furrow.yaml', () => {
  it.each([
    ['.github/**', '.GitHub/workflows/x.yml'],
    ['.github', '.github/CODEOWNERS'],
    ['src/core/', 'src/core/a.ts'],
    ['**/*.lock', 'a/b/Cargo.lock'],
    ['*.md', 'AGENTS.md'],
    ['a[0-9].txt', 'a7.txt'],
    ['{a,b}/c.txt', 'b/c.txt'],
    ['infra/*/prod.tf', 'infra/eu/PROD.tf'],
    ['infra/*/prod.tf', 'infra'],
  ])('%s means %s', (pattern, path) => expect(isProtected(path, [pattern])).toBe(true));

  it.each([
    ['.github/workflows/**', '.github/CODEOWNERS'],
    ['src/core', 'src/corer/a.ts'],
    ['*.md', 'docs/a.md'],
    ['infra/*/prod.tf', 'infra/a/b/prod.tf'],
  ])('%s does not mean %s', (pattern, path) => expect(isProtected(path, [pattern])).toBe(false));
});

it('lets a person hand in task files, but no configuration of the board, and lets furrow take back whatever landed', () => {
  const paths = ['board/tasks/001-x.md', 'board/config.yml', 'furrow.yaml'];
  expect(protectedIn('agent', rules, paths)).toEqual(paths);
  expect(protectedIn('person', rules, paths)).toEqual(['board/config.yml', 'furrow.yaml']);
  expect(protectedIn('furrow', rules, paths)).toEqual([]);
});

describe('delicate', () => {
  it.each(['check.sh', 'CHECK.sh', '.github/workflows/ci.yml', '.gitattributes', 'a/.gitattributes', '.gitmodules', '.husky/pre-commit'])(
    '%s',
    (path) => expect(delicateIn(rules, [path])).toEqual([path]),
  );

  it.each(['check.sh/a', 'src/check.sh', 'package.json', '.github/CODEOWNERS', 'README.md'])('not %s', (path) =>
    expect(delicateIn(rules, [path])).toEqual([]),
  );

  it('prose for agents is reported only', () => {
    expect(proseIn(['CLAUDE.md', 'docs/AGENTS.md', 'README.md'])).toEqual(['CLAUDE.md', 'docs/AGENTS.md']);
    expect(delicateIn(rules, ['AGENTS.md'])).toEqual([]);
  });
});

it.each([
  ['sh check.sh', undefined, ['check.sh']],
  ['node tools/test.mjs --quick src/a.txt', undefined, ['tools/test.mjs']],
  ['node --import ./hook.mjs tools/test.mjs', undefined, ['hook.mjs', 'tools/test.mjs']],
  ["sh -c 'cd app && ./run.sh'", undefined, ['run.sh', 'app/run.sh']],
  ['make -j2 test', undefined, ['Makefile', 'GNUmakefile']],
  ['./check.sh', 'app', ['app/check.sh', 'check.sh']],
  ['CI=1 timeout 10m bash -eu ci/all.sh fast', undefined, ['ci/all.sh']],
  ['. ci/env.sh && npx vitest run --config=vitest.ci.ts', undefined, ['ci/env.sh', 'vitest.ci.ts']],
  ['npm test && if ! sh a.sh; then exit 1; fi', undefined, ['a.sh']],
])('the files of the check %s in %s are among %j', (run, dir, expected) => {
  expect(checkFiles([{ run, dir }])).toEqual(expect.arrayContaining(expected));
});

it.each([
  ['! test -f a.txt || test -f 1.txt', ['a.txt', '1.txt']],
  ['node tools/test.mjs src/a.txt', ['src/a.txt']],
  ['pytest tests/a.py', ['tests/a.py']],
  ['grep -q x README.md', ['README.md']],
])('the check %s does not consist of %j', (run, others) => {
  expect(checkFiles([{ run }])).not.toEqual(expect.arrayContaining(others));
});

it.each([
  ['docs/**x', { 'docs/a/bx': true, 'docs/a/b': false }],
  ['a?.txt', { 'ab.txt': true, 'AB.TXT': true, 'abb.txt': false, 'a/.txt': false }],
  ['[ab].txt', { 'a.txt': true, 'A.TXT': true, 'c.txt': false }],
  ['*.{pem,key}', { 'a.KEY': true, 'a.kez': false, 'x/a.key': false }],
] as const)('the pattern %s holds for a path and its twins, and for no other', (pattern, paths) => {
  expect(Object.fromEntries(Object.keys(paths).map((path) => [path, isProtected(path, [pattern])]))).toEqual(paths);
});
