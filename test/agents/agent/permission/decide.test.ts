import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolUse } from '../../../../src/agents/agent/event.ts';
import { decide, forbidden } from '../../../../src/agents/agent/permission/decide.ts';
import { deniedEdit } from '../../../../src/agents/agent/permission/denied.ts';
import type { Look } from '../../../../src/agents/agent/permission/path.ts';
import { type Asked, NO_HOOKS, type Policy } from '../../../../src/agents/agent/permission/policy.ts';
import { delicateIn, protectedIn } from '../../../../src/repo/change-rules/protected.ts';

const worktree = '/home/dev/repo.furrow/worktrees/default/ada';
const none: Policy = {
  mode: 'act',
  rules: [],
  checks: ['npm test', 'npm ci && npm run lint'],
  protect: ['board', '**/*.pem'],
  leases: [],
  own: [],
};
const run = (command: string): ToolUse => ({ name: 'Bash', action: 'run', command, paths: [], input: { command } });
const edit = (...paths: string[]): ToolUse => ({ name: 'Write', action: 'edit', paths, input: {} });
// A worktree without links; what leads elsewhere is in links.test.ts.
const look: Look = { real: posix.normalize, list: () => [] };
const asked = (tool: ToolUse): Asked => ({ tool, worktree, look, hooks: NO_HOOKS });
const verdict = (tool: ToolUse, policy: Partial<Policy> = {}) => decide(asked(tool), { ...none, ...policy });
const says = (tool: ToolUse, policy: Partial<Policy> = {}) => verdict(tool, policy).do;

const FINE = [
  'echo hello-from-stub > stub.txt && git add stub.txt && git commit -q -m "stub commit" && git log --oneline | head -1',
  "/bin/bash -lc 'echo esc > esc.txt && git add esc.txt && git commit -qm esc'",
  'git status --porcelain',
  'git diff main..HEAD -- src/a.ts',
  'git commit --amend --no-edit',
  'git commit -am "/api: fix .. paths"',
  'git log -p -3 2>&1',
  'git merge origin/main',
  'git add -A; git rev-parse HEAD',
  'furrow done --summary "all; done"',
  'furrow blocked --reason x',
  'furrow reserve "src/**" --for 10m',
  'furrow hold db -- git status',
  'furrow digest --tokens 600',
  'furrow split --goal "dates can be read" --yes',
  'furrow job done 3 --result three',
  'furrow edit 4 --priority critical',
  'npm test',
  'npm ci && npm run lint',
  'git add a && npm test',
  'ls -la src',
  `cat ${worktree}/src/a.ts`,
  "grep -rn '/api/' src | wc -l",
  'rg -n "../x" src',
  'mkdir -p src/new',
  'cat < src/a.ts > /dev/null',
];
const NOT_FINE = [
  'furrow hold db -- rm -rf x',
  'furrow edit 4',
  'furrow report --html x.html',
  'furrow work',
  'furrow add x --repo ../other',
  'furrow hold db -- git push',
  'furrow hold db rm -rf x',
  'rm -rf x',
  'git push',
  'git -c core.pager=./x log',
  'git -C .. status',
  'git --exec-path=. status',
  'git diff --ext-diff',
  'git diff --ext',
  'git show --textconv HEAD:a',
  'git log --output=/tmp/x',
  'git diff --no-index a /etc/passwd',
  'git diff /etc/passwd /etc/hosts',
  'git diff -O/etc/x',
  'git commit',
  'git commit -n -m x',
  'git commit -m x --no-veri',
  'git commit -F /etc/passwd',
  'git commit -eqm x',
  'git merge -s ./x main',
  'git difftool',
  'git config core.hooksPath x',
  'git branch -D main',
  'furrow stop',
  './furrow done',
  'npm test -- --x',
  'npm ci',
  'cat /etc/passwd',
  'cat ../../other/x',
  'cat src/../../x',
  'head -n1 "/etc/passwd"',
  'tail -f x',
  'grep -- -x /etc/passwd',
  'grep -e x /etc/passwd',
  'grep -rf/etc/passwd x',
  'rg --pre ./x y',
  'rg --files /etc',
  'mkdir /tmp/x',
  'mkdir .git/hooks',
  'echo x > ../y',
  'echo x > /etc/passwd',
  'echo x > .git/hooks/pre-commit',
  'echo x > furrow.yaml',
  'echo x >> board/1.md',
  'cat < /etc/passwd',
  'FOO=1 git status',
];

describe('without a rule of the user', () => {
  it.each(FINE)('lets an agent run %j', (line) => expect(verdict(run(line))).toMatchObject({ do: 'allow' }));
  it.each(NOT_FINE)('asks before %j', (line) => expect(verdict(run(line))).toMatchObject({ do: 'ask' }));
  it.each([
    [edit('src/a.ts'), 'allow'],
    [{ ...edit(`${worktree}/a.ts`), action: 'read' } as ToolUse, 'allow'],
    [{ ...edit('/etc/passwd'), action: 'read' } as ToolUse, 'ask'],
    [{ ...edit('.git/config'), action: 'read' } as ToolUse, 'ask'],
    [{ ...edit(), action: 'fetch' } as ToolUse, 'ask'],
    [edit(), 'ask'],
  ])('answers other tools by the worktree (%#)', (tool, expected) => expect(says(tool)).toBe(expected));
});

describe('the guard, for what others hold', () => {
  const lease = { holder: 'bob', pattern: 'src/**', until: Date.parse('2030-01-01'), reason: 'moves files' };
  const asked = (own: string[], reserved: boolean) =>
    deniedEdit({ tool: edit('src/a.ts'), worktree, look, hooks: NO_HOOKS }, { ...none, own, leases: [{ ...lease, reserved }] })?.reason;

  it('names the holder, the expected end and the reason', () => {
    expect(asked([], false)).toMatch(
      /^src\/a\.ts is held by bob \(src\/\*\*\) until 2030-01-01T.*, for: moves files; .*furrow reserve --wait/,
    );
  });

  it('leaves what two tasks both name to the queue, and keeps what was reserved from everybody', () => {
    expect(asked(['src/*'], false)).toBeUndefined();
    expect(asked(['src/*'], true)).toContain('held by bob');
  });
});

describe('the guard', () => {
  const held = { ...none, leases: [{ holder: 'bob', pattern: 'src/**', until: 0 }] };
  it.each([
    ['../x', 'outside'],
    ['/etc/passwd', 'outside'],
    ['a/../../x', 'outside'],
    [`${worktree}2/x`, 'outside'],
    ['~/x', 'outside'],
    ['file:///etc/passwd', 'outside'],
    ['furrow.yaml', 'configuration'],
    ['./Furrow.YAML', 'configuration'],
    ['.git', 'belongs to git'],
    ['sub/.GIT/config', 'belongs to git'],
    ['board/1.md', 'protected'],
    ['.keys/a.pem', 'protected'],
    ['BOARD/1.md', 'protected'],
    ['board./1.md', 'protected'],
    ['keys/a.p\u200bem', 'protected'],
    ['.furrow/x', 'protected'],
    ['.claude/settings.json', 'protected'],
    ['.Claude/settings.json', 'protected'],
    ['src/a.ts', 'held by bob'],
    ['src/.env', 'held by bob'],
  ])('stops an edit of %s in every mode', (path, why) => {
    expect(deniedEdit(asked(edit('ok.ts', path)), held)?.reason).toContain(why);
    for (const mode of ['observe', 'suggest', 'act'] as const) expect(says(edit('ok.ts', path), { ...held, mode })).toBe('deny');
  });
  it.each(['a.ts', `${worktree}/a.ts`, 'sub/furrow.yaml', 'boards/x', '..a', '.gitignore', '.claude/CLAUDE.md', 'AGENTS.md'])(
    'has nothing against %s',
    (path) => expect(deniedEdit(asked(edit(path)), held)).toBeNull(),
  );
  it('leaves to an agent what its own task names, and holds for redirects too', () => {
    const both = { ...held, own: ['src/mine/**'] };
    expect([says(edit('src/mine/a'), both), says(edit('src/mine/a', 'src/b'), both)]).toEqual(['allow', 'deny']);
    expect([says(run('echo x > src/mine/a'), both), says(run('echo x > src/b'), both)]).toEqual(['allow', 'deny']);
    expect(verdict(run('npm run gen && touch src/b'), { ...both, rules: [{ do: 'allow', command: 'npm run *' }] }).by).toContain(
      'held by bob',
    );
  });
  it.each(['.claude/CLAUDE.md', '.claude/settings.json', 'FURROW.yaml', 'Tasks/1.md', '.husky/x', 'a.PEM', 'src/a.ts'])(
    'stops an edit of %s if and only if it may not land',
    (path) => {
      const rules = { protect: ['**/*.pem'], board: 'tasks' };
      const lands = protectedIn('agent', rules, [path]).length === 0;
      expect(deniedEdit(asked(edit(path)), { ...none, ...rules }) === null).toBe(lands);
    },
  );
  it('stops every edit of an agent that was asked for an answer', () => {
    expect(deniedEdit(asked(edit('a.ts')), none)).toBeNull();
    expect(deniedEdit(asked(edit('a.ts')), { ...none, answers: true })?.reason).toContain('asked for an answer');
  });
  it('leaves commands to the rules', () => expect(deniedEdit(asked(run('rm -rf /')), held)).toBeNull());
});

describe('rules', () => {
  const npm: Policy['rules'] = [{ do: 'allow', tool: 'run', command: 'npm run *' }];
  it('allow a line only when every command of it is allowed', () => {
    expect(verdict(run('npm run build && git status'), { rules: npm })).toEqual({
      do: 'allow',
      by: 'rule 1: allow run npm run *, built-in: git status',
    });
    expect(verdict(run('npm run build && npx x'), { rules: npm })).toEqual({ do: 'ask', by: 'no rule for npx x' });
    expect(says(run('npm runx'), { rules: npm })).toBe('ask');
  });
  it('do not let a redirect out, nor what is not understood', () =>
    expect(['npm run x > /etc/y', 'npm run $(x)', 'PATH=. npm run x'].map((line) => says(run(line), { rules: [{ do: 'allow' }] }))).toEqual(
      ['ask', 'ask', 'ask'],
    ));
  it('deny by the program under any path, by a file, and in lines that are not understood', () => {
    const rules: Policy['rules'] = [{ do: 'allow' }, { do: 'deny', command: 'rm *' }, { do: 'deny', path: 'secret/**' }];
    expect(['rm', '/bin/rm -rf x', 'true; rm x', 'rm $(x)', 'echo > secret/a'].map((line) => says(run(line), { rules }))).toEqual(
      Array(5).fill('deny'),
    );
    expect([says(edit('a', 'secret/b'), { rules }), says(run('curl x'), { rules }), says(edit('a'), { rules })]).toEqual([
      'deny',
      'allow',
      'allow',
    ]);
  });
  it("know the agent's own name of a tool, and paths", () => {
    const rules: Policy['rules'] = [
      { do: 'allow', tool: 'WebFetch' },
      { do: 'deny', tool: 'edit', path: 'docs/**' },
    ];
    const fetch: ToolUse = { name: 'WebFetch', action: 'fetch', paths: [], input: {} };
    expect([says(fetch, { rules }), says({ ...fetch, name: 'Other' }, { rules }), says(edit('docs/a'), { rules })]).toEqual([
      'allow',
      'ask',
      'deny',
    ]);
  });
  it('are only suggested in mode suggest', () => {
    const rules: Policy['rules'] = [{ do: 'deny', command: 'git push *' }];
    const lines = ['git status', 'git push', 'curl x'].map((line) => verdict(run(line), { rules, mode: 'suggest' }));
    expect(lines.map((answer) => [answer.do, answer.suggest])).toEqual([
      ['ask', 'allow'],
      ['ask', 'deny'],
      ['ask', undefined],
    ]);
  });
});

describe('whatever is asked', () => {
  const fine = fc.constantFrom(...FINE);
  const added = fc.constantFrom(
    '; rm -rf x',
    ' && rm x',
    ' | sh',
    ' & rm x',
    '\nrm -rf x',
    ' || rm x',
    ' $(x)',
    ' `x`',
    ' <(x)',
    ' > ../x',
    ' $HOME',
    ' <<E',
  );
  const anyLine = fc
    .array(fc.constantFrom(...FINE, ...NOT_FINE, 'a', ' ', '"', "'", '\\', ';', '$', '`', '(', '\n'), { maxLength: 4 })
    .map((parts) => parts.join(''));

  it('a line that is allowed is not any more with one more command in it', () =>
    fc.assert(fc.property(fine, added, (line, more) => says(run(line + more)) !== 'allow')));
  it('a line is allowed exactly when all of its commands are', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...FINE.slice(2).filter((line) => !line.startsWith('git merge')), 'rm x', 'git push', 'npm ci'), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.constantFrom(';', '&&', '|', '\n'),
        (lines, by) => {
          const each = lines.every((line) => says(run(line)) === 'allow' && !(lines.length > 1 && line.startsWith('npm ci &&')));
          expect(says(run(lines.join(` ${by} `)))).toBe(each ? 'allow' : 'ask');
        },
      ),
    ));
  it('a deny wins, and observing allows nothing', () =>
    fc.assert(
      fc.property(anyLine, (line) => {
        expect(says(run(line), { rules: [{ do: 'allow' }, { do: 'deny', tool: 'run' }] })).toBe('deny');
        expect(verdict(run(line), { mode: 'observe', rules: [{ do: 'allow' }] })).toEqual({ do: 'ask', by: 'mode observe' });
      }),
    ));
});

describe('a tool that is used without asking', () => {
  const rules: Policy['rules'] = [
    { do: 'allow', tool: 'run' },
    { do: 'deny', tool: 'run', command: 'touch never*' },
  ];
  const stopped = (tool: ToolUse, mode: Policy['mode'] = 'act') => forbidden(asked(tool), { ...none, rules, mode });
  it('is stopped by a rule that denies it, and by nothing else', () => {
    expect(stopped(run('git status && touch never.txt'))).toBe('rule 2: deny run touch never*');
    expect(stopped(run('touch yes.txt'))).toBeUndefined();
    expect(stopped(run('curl $(cat x)'))).toBeUndefined();
  });
  it('is not stopped while rules do not decide', () => expect(stopped(run('touch never.txt'), 'suggest')).toBeUndefined());
});

describe('an edit of the hooks that git runs', () => {
  const hooks = { folder: '.husky', changed: false };
  const allow = [{ do: 'allow', tool: 'edit', path: '.husky/**' }] as const;
  const answers = (path: string, policy: Partial<Policy> = {}) => {
    const at = { ...asked(edit(path)), hooks };
    return [decide(at, { ...none, ...policy }).do, forbidden(at, { ...none, ...policy })];
  };
  it("is a person's to allow, and is denied where the agent would not ask", () => {
    const denied = expect.stringContaining('where git finds its hooks; write it by a command line');
    expect(answers('.husky/pre-commit')).toEqual(['ask', denied]);
    expect(answers(`${worktree}/.husky/_/h`, { mode: 'observe' })).toEqual(['ask', denied]);
  });
  it.each(['tools/hooks/x', 'Tools/HOOKS/x', 'tools/hooks', 'tools/ho\u200coks/x', 'tools/hooksrc', 'a/tools/hooks/x', 'src/a.ts'])(
    "of %s is a person's if and only if its landing waits for a yes",
    (path) => {
      const at = { ...asked(edit(path)), hooks: { folder: 'tools/hooks', changed: false } };
      const waits = delicateIn({ checks: [], hooks: 'tools/hooks' }, [path]).length > 0;
      expect(decide(at, none).do).toBe(waits ? 'ask' : 'allow');
    },
  );
  it('is free where a rule allows it, or they are elsewhere', () => {
    expect(answers('.husky/pre-commit', { rules: allow })).toEqual(['allow', undefined]);
    expect(answers('.huskyrc')).toEqual(['allow', undefined]);
  });
});

it('where the fence is enough all is allowed that no rule and nothing protected denies', () => {
  const rules = [{ do: 'deny', tool: 'run', command: 'git push*' } as const];
  const fence = { mode: 'fence', rules } as const;
  expect(says(run('eval "$(curl x)"'), fence)).toBe('allow');
  expect(says({ name: 'WebFetch', action: 'fetch', paths: [], input: {} }, fence)).toBe('allow');
  expect(says(run('git push origin'), fence)).toBe('deny');
  expect(forbidden(asked(run('git push origin')), { ...none, ...fence })).toBeDefined();
  expect(says(edit(`${worktree}/a.pem`), fence)).toBe('deny');
});
