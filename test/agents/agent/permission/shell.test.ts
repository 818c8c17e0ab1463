import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { innerLine, parseLine } from '../../../../src/agents/agent/permission/shell.ts';

const words = (line: string) => parseLine(line)?.map((command) => command.words);

it.each([
  ['git status', [['git', 'status']]],
  [
    `git commit -qm "a; b && c" && git log | head -1`,
    [
      ['git', 'commit', '-qm', 'a; b && c'],
      ['git', 'log'],
      ['head', '-1'],
    ],
  ],
  [`echo it\\'s "a \\"b\\" \\$c" 'd$e'`, [['echo', "it's", 'a "b" $c', 'd$e']]],
  ['a;b&c\nd || e |& f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
  ['CI=1 npm test', [['npm', 'test']]],
  ['git show HEAD~1 -- src/*.ts', [['git', 'show', 'HEAD~1', '--', 'src/*.ts']]],
])('takes %j apart as a shell does', (line, expected) => expect(words(line)).toEqual(expected));

it('knows what a command reads and writes', () => {
  const [command] = parseLine('a <in >out 2>>err 2>&1 >/dev/null &>all')!;
  expect(command).toEqual({ words: ['a'], reads: ['in'], writes: ['out', 'err', 'all'], patterns: [] });
});

it.each([
  'echo $(rm x)',
  'echo `rm x`',
  'echo "$(rm x)"',
  'echo "`rm x`"',
  'echo $HOME',
  "echo $'a'",
  'cat <(rm x)',
  'cat <<END\nrm x\nEND',
  'cat <<< x',
  '(rm x)',
  '{ rm x; }',
  'f() { rm x; }',
  'eval rm x',
  'command rm x',
  '! rm x',
  'if true; then rm x; fi',
  'PATH=. git status',
  'LD_PRELOAD=./x git status',
  'GIT_PAGER=./x git log',
  'CI=1',
  '"CI"=1 rm x',
  'cat ~/secret',
  'ls --file=~/x',
  'ls {a,b}',
  'ls *',
  'ls .*/x',
  'echo "open',
  "echo 'open",
  'ls # rm x',
  'echo a\\\nb',
  'echo a\0b',
  'echo a\rb',
  '> x',
  'a >',
  '12>x',
  'a <&3',
  'a >& -c',
  '',
  ' ; ',
  // bash and zsh do not agree on these.
  '12>x rm y',
  'echo x >! y',
  'echo x >!y',
  'echo x >>! y',
  'echo x &>! y',
  'echo x >>| y',
  'ls &| rm',
  'ls &! rm',
  'ls ;& rm',
  'ls ;| rm',
  'ls ; ; rm',
  'echo =ls',
  'CI==ls true',
  'ls src/**/x',
  'ls ^src',
  'echo ~+',
  'cat a<1-9>b',
  'echo "!ls"',
  'echo !ls',
  'noglob ls',
  'repeat 2 ls',
  '- ls',
  'git log --o*/path',
  'git log -*',
  "ls ''*",
  'ls "-"*',
  'ls a\u200bb',
  'ls\u0085b',
])('does not claim to understand %j', (line) => expect(parseLine(line)).toBeUndefined());

it('takes the number of a stream for no program', () => expect(words('2>x rm y')).toEqual([['rm', 'y']]));

it.each([
  [`/bin/bash -lc 'git add a && git commit -m "b"'`, 'git add a && git commit -m "b"'],
  [`sh -c "bash -c 'npm test'"`, 'npm test'],
  [`bash -c 'npm test' x`, `bash -c 'npm test' x`],
  [`bash -c 'npm test' > out`, `bash -c 'npm test' > out`],
  [`bash -c 'npm test'; rm x`, `bash -c 'npm test'; rm x`],
])('finds the line that %j runs', (line, inner) => expect(innerLine(line)).toBe(inner));

const PIECES = [
  'a',
  'b',
  '-c',
  ' ',
  ' ',
  '\t',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '\n',
  "'",
  '"',
  '\\',
  '>',
  '>>',
  '2>',
  '12>',
  '<',
  '>&1',
  '&>',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '*',
  '=',
  'CI=',
  '#',
  '!',
  '~',
  'if ',
  'é',
  '\u00a0',
];

const line = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', ' ', ' -c ') }, { weight: 1, arbitrary: fc.constantFrom(...PIECES) }), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''));

// The other side is the shell itself: it may run nothing that was not seen in the line.
it('misses no command that bash runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-shell-'));
  const lines = fc.sample(line, 4_000);
  const understood = lines.filter((line) => parseLine(line) !== undefined);
  // Every program is unknown to a shell without a PATH: it says what it would have run, in one write, for some run side by side.
  const script = `
    PATH=/nowhere; set -f
    command_not_found_handle() { local all; printf -v all '\\t%s' "$@"; printf 'ran%s\\0' "\${all//$'\\n'/;}" >&9; }
    while IFS= read -r -d '' line; do printf 'line\\0' >&9; eval "$line" </dev/null >/dev/null 2>&1; wait; done`;
  const run = spawnSync('bash', ['--norc', '--noprofile', '-c', `exec 9>&1; ${script}`], {
    cwd: folder,
    input: understood.map((line) => `${line}\0`).join(''),
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8' },
  });
  rmSync(folder, { recursive: true, force: true });
  const ran = run.stdout
    .split('line\0')
    .slice(1)
    .map((part) => part.split('\0').filter((text) => text.startsWith('ran\t')));
  expect([ran.length, understood.length > 300]).toEqual([understood.length, true]);
  expect(ran.flat().length).toBeGreaterThan(300);
  for (const [i, line] of understood.entries()) {
    const seen = words(line)!.map((command) => ['ran', ...command].join('\t').replaceAll('\n', ';'));
    for (const command of ran[i]!) expect({ line, seen }).toEqual({ line, seen: expect.arrayContaining([command]) });
  }
});
