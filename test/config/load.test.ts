import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { FurrowError } from '../../src/platform/error.ts';

const parse = (text: string) => parseConfig(text, 'furrow.yaml');

function problems(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof FurrowError && error.code === 'CONFIG') return error.message.split('\n');
    throw error;
  }
  return [];
}

/** The one problem of a text, without the file's name. */
const says = (text: string, expected: string) => () => expect(problems(text)).toEqual([`furrow.yaml:${expected}`]);
const gives = (text: string, expected: object) => () => expect(parse(text)).toMatchObject(expected);

describe('without a file', () => {
  const kind = {
    permission: 'observe',
    role: 'agent',
    args: [],
    env: {},
    pass_env: [],
    config_home: 'user',
    accounts: [],
    timeoutMs: undefined,
    stuckMs: 600_000,
  };
  it('every key has its default', () => {
    expect(parse('# nothing yet\n')).toEqual({
      parallel: 4,
      agent: 'claude',
      attempts: 3,
      agents: {
        claude: { driver: 'claude', ...kind },
        codex: { driver: 'codex', ...kind },
        opencode: { driver: 'opencode', ...kind },
        gemini: { driver: 'gemini', ...kind },
        scripted: { driver: 'scripted', ...kind },
      },
      checks: [],
      queue: {
        slots: 'auto',
        batch: 8,
        retries: 1,
        history: 'merge',
        keep_commits: false,
        message: null,
        caches: [],
        share_caches: false,
        remote: null,
        after: [],
        union: [],
        regenerate: [],
        rerere: true,
      },
      worktree: { keep: 'on-failure', setup: [], setup_files: [], copy: [], ports: 10, env: {} },
      hosts: { lost_after: 600_000 },
      land: 'auto',
      approve: [],
      approve_defaults: true,
      review: { tasks: 'marked', rounds: 2, not: [] },
      screen: { size: '5m', allow: [] },
      phases: {},
      protect: [],
      permissions: { timeout: 600_000, rules: [] },
      resources: {},
      messages: { spread: 3, rate: 30, hops: 8 },
      leases: 'advise',
      budget: {},
      forge: { kind: null, api: null, issues: { label: null } },
      race: { judge: null, reviewer: null, first: false },
      fence: { read: [], write: [], network: [] },
      limits: {},
      spawn: { kinds: [], most: 0 },
      circle: { send: [], accept: [] },
      notify: { terminal: true, desktop: false, webhook: null, quiet: null },
    });
  });
});

it('reads the whole documented example', () => {
  const config = parse(`
target: main
board: board
parallel: 4
agent: script
attempts: 3
agents:
  claude: { driver: claude, permission: act, model: sonnet, args: [] }
  script: { driver: command, run: "sh tools/agent.sh", commit: auto, timeout: 30m }
checks: [ { name: unit, run: npm test, timeout: 10m, env: { CI: "1" } } ]
queue: { slots: auto, batch: 8, retries: 1, history: merge, caches: [node_modules] }
worktree: { keep: on-failure, setup: [npm ci], copy: [.env], ports: 10, env: { DATABASE_URL: "postgres://localhost/app_{agent}" } }
protect: [.github/**, furrow.yaml]
resources: { db: 1, "api:stripe": 3 }
budget: { run_usd: 20, task_usd: 2 }
isolation: none               # none | guard | strict
notify: { terminal: true, desktop: false, webhook: null }
`);
  expect(config.agents['script']).toMatchObject({ driver: 'command', run: 'sh tools/agent.sh', commit: 'auto', timeoutMs: 1_800_000 });
  expect(config.agents['claude']).toMatchObject({ driver: 'claude', permission: 'act', model: 'sonnet' });
  expect(config.checks).toEqual([{ name: 'unit', run: 'npm test', timeoutMs: 600_000, env: { CI: '1' } }]);
  expect(config).toMatchObject({
    resources: { db: 1, 'api:stripe': 3 },
    budget: { run_usd: 20, task_usd: 2 },
    protect: ['.github/**', 'furrow.yaml'],
  });
});

describe('a file', () => {
  it('may give one check', gives('check: npm test', { checks: [{ name: 'check', run: 'npm test', timeoutMs: 600_000, env: {} }] }));
  it('may let an orchestrator add agents', gives('spawn: { kinds: [claude], most: 6 }', { spawn: { kinds: ['claude'], most: 6 } }));
  it(
    'may let messages cross to other farms',
    gives('circle: { name: web, send: [api], accept: [api] }', { circle: { name: 'web', send: ['api'], accept: ['api'] } }),
  );
  it(
    'may show agents more of the machine',
    gives('fence: { read: [~/.npmrc], write: [/srv/cache], network: ["*.example.org", "localhost:5432"] }', {
      fence: { read: ['~/.npmrc'], write: ['/srv/cache'], network: ['*.example.org', 'localhost:5432'] },
    }),
  );
  it('may call a program named true', gives('check: true', { checks: [{ run: 'true' }] }));
  it(
    'may run a check in a folder and for some paths',
    gives('checks: [{ name: api, run: make, dir: api, paths: [api/**, shared] }]', {
      checks: [{ name: 'api', dir: 'api', paths: ['api/**', 'shared'] }],
    }),
  );
  it('may leave checks unnamed', gives('checks: [{run: a}, {run: b}]', { checks: [{ name: 'check-1' }, { name: 'check-2' }] }));
  it('may give a check several lines', gives('check: |\n  a\n  b\n', { checks: [{ run: 'a\nb\n' }] }));
  it(
    'keeps text as written',
    gives('target: 1.10\nworktree: { env: { V: 1.10, O: 010, Y: yes, N: } }', {
      target: '1.10',
      worktree: { env: { V: '1.10', O: '010', Y: 'yes', N: '' } },
    }),
  );
  it(
    'may leave keys empty',
    gives('check:\nqueue:\nagents:\n  codex:\nworktree:\n  copy:\n  ports: ~\n', {
      checks: [],
      queue: { batch: 8 },
      worktree: { copy: [], ports: 10 },
    }),
  );
  it(
    'may name slow checks and what is mended by itself',
    gives('queue: { after: [{ name: e2e, run: e2e, timeout: 1h }], regenerate: [{ paths: [a.lock], run: lock }], union: [CHANGES] }', {
      queue: {
        after: [{ name: 'e2e', run: 'e2e', timeoutMs: 3_600_000, env: {} }],
        regenerate: [{ paths: ['a.lock'], run: 'lock', timeout: 300_000 }],
        union: ['CHANGES'],
      },
    }),
  );
  it('may ask for reviews of all work', gives('review: true', { review: { tasks: 'all', rounds: 2, not: [] } }));
  it('may ask for none but of marked tasks', gives('review: false', { review: { tasks: 'marked', rounds: 2, not: [] } }));
  it(
    'may say who reviews, how often, and what not',
    gives('review: { kind: codex, rounds: 1, not: [docs/**] }', {
      review: { tasks: 'all', kind: 'codex', rounds: 1, not: ['docs/**'] },
    }),
  );
  it('may say when a machine counts as lost', gives('hosts: { lost_after: 30m }', { hosts: { lost_after: 1_800_000 } }));
  it('may let a command judge races', gives('race: { judge: sh j.sh, deadline: 1h }', { race: { judge: 'sh j.sh', deadline: 3_600_000 } }));
  it(
    'may name one thing in place of a list',
    gives('worktree: { setup: npm ci }\nprotect: a.lock', { worktree: { setup: ['npm ci'] }, protect: ['a.lock'] }),
  );
  it('may set a number of slots', gives('queue: { slots: 3 }', { queue: { slots: 3, batch: 8 } }));
  it('may change a built-in kind', gives('agents: { codex: { model: o5 } }', { agents: { codex: { driver: 'codex', model: 'o5' } } }));
  it('may name a kind without a driver', gives('agent: sh\nagents: { sh: { run: ./a.sh } }', { agents: { sh: { driver: 'command' } } }));
  it(
    'may name accounts of an agent',
    gives('agents: { claude: { accounts: [~/.claude-work, ~/.claude] } }', {
      agents: { claude: { accounts: ['~/.claude-work', '~/.claude'] } },
    }),
  );
  it('may share by alias', gives('agents: { a: &a { run: x }, b: *a }', { agents: { b: { run: 'x' } } }));
  it('may have a byte order mark and CRLF', gives('\uFEFFparallel: 2\r\nattempts: 5\r\n', { parallel: 2, attempts: 5 }));
  it(
    'may name a webhook',
    gives('notify: { webhook: "https://example.org/x" }', { notify: { webhook: { url: 'https://example.org/x', shape: 'generic' } } }),
  );
  it(
    'may say the shape of a webhook',
    gives('notify: { webhook: { url: "http://127.0.0.1:99/x", shape: ntfy } }', {
      notify: { webhook: { url: 'http://127.0.0.1:99/x', shape: 'ntfy' } },
    }),
  );
  it(
    'knows the webhooks of Slack',
    gives('notify: { webhook: "https://hooks.slack.com/services/x" }', {
      notify: { webhook: { url: 'https://hooks.slack.com/services/x', shape: 'slack' } },
    }),
  );
  it('may have quiet hours', gives('notify: { quiet: "22:00-07:00" }', { notify: { quiet: '22:00-07:00' } }));
});

describe('a wrong key', () => {
  it('is named with its line and the likely one', says('\n\n\n\n\n\nparalel: 3', '7: unknown key "paralel"; did you mean "parallel"?'));
  it('with its value below it', says('parallel: 1\nqueues:\n  batch: 1', '2: unknown key "queues"; did you mean "queue"?'));
  it('in a section', says('queue:\n  slots: 2\n  bach: 2', '3: unknown key "bach" in queue; did you mean "batch"?'));
  it('that belongs in a section', says('parallel: 1\nsetup: npm ci', '2: unknown key "setup"; did you mean "worktree.setup"?'));
  it(
    'that belongs at the top',
    says('queue:\n  parallel: 2', '2: unknown key "parallel" in queue; did you mean "parallel" at the top of the file?'),
  );
  it(
    'in an agent kind',
    says('agents:\n  claude:\n    passEnv: [A]', '3: unknown key "passEnv" in agents.claude; did you mean "pass_env"?'),
  );
  it(
    'in a list item',
    says(
      'checks:\n  - run: a\n  - run: b\n    time: 3',
      '4: unknown key "time" in checks[2]; the keys are name, run, timeout, env, dir, paths, needs',
    ),
  );
  it('far from all', says('budget: { colour: red }', '1: unknown key "colour" in budget; the keys are run_usd, task_usd'));
  it(
    'that would steer a terminal',
    says('budget: { "a\\e[2Jbcdefgh": 1 }', '1: unknown key "a?[2Jbcdefgh" in budget; the keys are run_usd, task_usd'),
  );
  it('that would reach a prototype', () => expect(problems('__proto__: { parallel: 9 }')[0]).toContain('unknown key "__proto__"'));
});

describe('a wrong value', () => {
  it('of a number', says('# four\nparallel: four', '2: parallel: expected a whole number from 1 to 500, found "four"'));
  it('below the least', says('parallel: 0', '1: parallel: expected a whole number from 1 to 500, found "0"'));
  it('with a fraction', says('attempts: 1.5', '1: attempts: expected a whole number from 1 to 100, found "1.5"'));
  it('of a time that is too short', says('hosts: { lost_after: 5s }', '1: hosts.lost_after: expected a time of at least 20s, found "5s"'));
  it('of a choice', says('isolation: total', '1: isolation: expected one of none, guard, strict, found "total"'));
  it(
    'limits in bytes',
    gives('limits: { memory: 512m, processes: 500, disk: 10g }', { limits: { memory: 2 ** 29, processes: 500, disk: 10 * 2 ** 30 } }),
  );
  it.each(['127.0.0.1', '10.0.0.1:80', 'localhost', '[::1]:80', 'https://example.org', 'a b', '*'])('%s is no host to allow', (host) =>
    expect(() => parse(`fence: { network: ["${host}"] }`)).toThrow(/fence.network\[1\]: expected the name of a host/),
  );
  it(
    'of a path of the machine',
    says('fence: { read: [.npmrc] }', '1: fence.read[1]: expected a path that begins with / or ~/, found ".npmrc"'),
  );
  it(
    'of a review',
    says('review: sometimes', '1: review: expected true, false, or a map with any of `tasks`, `kind`, `rounds`, `not`, found "sometimes"'),
  );
  it('of the rounds of a review', says('review: { rounds: 0 }', '1: review.rounds: expected a whole number from 1 to 10, found "0"'));
  it('of slots', says('queue: { slots: many }', '1: queue.slots: expected auto or a whole number from 1 to 64, found "many"'));
  it('of a time', says('checks: [{ run: a, timeout: 10 }]', '1: checks[1].timeout: expected a time such as 30m, 10s or 1h30m, found "10"'));
  it('of a switch', says('notify: { desktop: yes }', '1: notify.desktop: expected true or false, found "yes"'));
  it(
    'of an address',
    says(
      'notify: { webhook: "file:///etc" }',
      '1: notify.webhook: expected a https address, or a map with `url` and `shape`, found "file:///etc"',
    ),
  );
  it(
    'of an address that is not encrypted',
    says(
      'notify: { webhook: { url: "http://example.org/x" } }',
      '1: notify.webhook.url: expected a https address, or a http one of this machine, found "http://example.org/x"',
    ),
  );
  it('of quiet hours', says('notify: { quiet: "22-7" }', '1: notify.quiet: expected times of day such as 22:00-07:00, found "22-7"'));
  it('of an amount', says('budget: { run_usd: -1 }', '1: budget.run_usd: expected an amount such as 20 or 2.50, found "-1"'));
  it('of a farm', says('circle:\n  name: My Web', '2: circle.name: expected small letters, digits and -, at most 40, found "My Web"'));
  it('of a resource', says('resources:\n  db: 1\n  api:', '3: resources.api: expected a whole number from 1 to 10000, found nothing'));
  it('list for a map', says('queue:\n  - 1', '2: queue: expected a map, found a list'));
  it(
    'size of a file',
    says('screen: { size: 100m }', '1: screen.size: expected a size such as 500k, 5m or 50m, at most 50m, found "100m"'),
  );
  it('no size', says('screen: { size: big }', '1: screen.size: expected a size such as 500k, 5m or 50m, at most 50m, found "big"'));
  it('map for a list', says('protect: { a: b }', '1: protect: expected a list of paths or patterns inside the repository, found a map'));
  it(
    'wrong text for a list',
    says('protect: ../x', '1: protect[1]: expected a path or pattern inside the repository, without "..", found "../x"'),
  );
  it('map for text', says('check: { run: a }', '1: check: expected a command line, found a map'));
  it('of a branch', says('target: a..b', '1: target: expected the name of a branch, found "a..b"'));
  it('of a branch that is an option', says('target: --force', '1: target: expected the name of a branch, found "--force"'));
  it('behind an alias is where the value stands', () =>
    expect(problems('agents:\n  a: &a { run: x, model: [] }\n  b: *a')).toEqual([
      'furrow.yaml:2: agents.a.model: expected the name of a model, found a list',
      'furrow.yaml:2: agents.b.model: expected the name of a model, found a list',
    ]));
  it('of the whole file', says('- a', '1: the file: expected a map of keys, found a list'));
  it('that is missing', says('checks:\n  - run: a\n  - name: b', '3: checks[2].run: missing; expected a command line'));
});

describe('a path', () => {
  const inside = 'expected a path or pattern inside the repository, without ".."';
  it('that leads up', says('protect: [a/../../b]', `1: protect[1]: ${inside}, found "a/../../b"`));
  it('that is absolute', says('worktree: { copy: [.env, /etc/passwd] }', `1: worktree.copy[2]: ${inside}, found "/etc/passwd"`));
  it('in the home folder', says('queue: { caches: ["~/.npm"] }', `1: queue.caches[1]: ${inside}, found "~/.npm"`));
  it('that leads up the other way', says('protect: ["a\\\\..\\\\b"]', `1: protect[1]: ${inside}, found "a\\\\..\\\\b"`));
  it('with dots in a name is fine', gives('protect: [a..b/**, "...", .github/**]', { protect: ['a..b/**', '...', '.github/**'] }));
});

describe('a template for messages', () => {
  const names = '{title}, {summary}, {subjects}, {task}, {agent}, {attempt}, {type}, {scope}';
  const template = (text: string) => `queue:\n  message: ${JSON.stringify(text)}`;
  it('with a wrong placeholder', says(template('{titel} x'), '2: queue.message: unknown placeholder {titel}; did you mean {title}?'));
  it('with an unknown one', says(template('{x}'), `2: queue.message: unknown placeholder {x}; the placeholders are ${names}`));
  it('without any', says(template('hi'), `2: queue.message: expected conventional, or a template with one of ${names}, found "hi"`));
  it('that is fine', gives(template('{title} ({task})'), { queue: expect.objectContaining({ message: '{title} ({task})' }) }));
});

describe('keys that do not go together', () => {
  it(
    'kept commits in a linear history',
    says(
      'queue:\n  history: linear\n  keep_commits: true',
      '3: queue.keep_commits: a linear history has no place for them; use history: merge',
    ),
  );
  it(
    'several ways to choose a winner',
    says('race:\n  judge: a\n  first: true', '3: race: judge and first contradict each other; keep one'),
  );
  it('a reviewer of a kind that is not there', () =>
    expect(problems('race: { reviewer: clode }')[0]).toContain('1: there is no agent kind "clode"; did you mean "claude"?'));
  it('check and checks', says('check: a\nchecks: [{ run: b }]', '2: both "check" and "checks" are given; keep one'));
  it(
    'an agent kind that is not there',
    says(
      'agent: cluade',
      '1: there is no agent kind "cluade"; did you mean "claude"? the kinds are claude, codex, opencode, gemini, scripted',
    ),
  );
  it(
    'the command driver, which is no kind',
    says('agent: command', '1: there is no agent kind "command"; the kinds are claude, codex, opencode, gemini, scripted'),
  );
  it('a command without run', says('agents:\n  sh: { driver: command }', '2: agents.sh: needs "run", the command line to start'));
  it('a kind of ACP without run', says('agents:\n  sh: { driver: acp }', '2: agents.sh: needs "run", the command line to start'));
  it('no kind named as the driver of ACP', says('agents:\n  acp: {}', '2: agents.acp: needs "run", the command line to start'));
  it('run without command', says('agents:\n  claude:\n    run: x', '3: agents.claude.run: only the drivers "command" and "acp" take one'));
  it(
    'two checks of one name',
    says('checks:\n  - { name: a, run: x }\n  - { name: a, run: y }', '3: checks[2]: there is another check named "a"'),
  );
  it(
    'a variable of furrow’s own',
    says(
      'worktree:\n  env:\n    FURROW_RUN: 1',
      '3: worktree.env: expected names mapped to text; names that start with FURROW_ are furrow\'s own, found the name "FURROW_RUN"',
    ),
  );
});

describe('YAML itself', () => {
  it('an open bracket', () => expect(problems('protect: [a\nparallel: 2')[0]).toMatch(/^furrow\.yaml:2: Flow sequence/));
  it('a key twice', says('parallel: 1\nparallel: 2', '2: Map keys must be unique'));
  it('a tab', says('queue:\n\tbatch: 1', '2: Tabs are not allowed as indentation'));
  it('a second document', says('parallel: 1\n---\nparallel: 2', '2: expected one document, found a second one'));
  it('a tag', () => expect(problems('parallel: !!js/function 1')[0]).toMatch(/^furrow\.yaml:1: Unresolved tag/));
  it('an alias to nothing', says('parallel: 1\nprotect: *x', '2: there is no anchor "x"'));
  it('a bomb of aliases', () => {
    const bomb = ['a: &a [x, x]', ...'bcdefghijkl'.split('').map((c, i) => `${c}: &${c} [${`*${'abcdefghijkl'[i]}, `.repeat(9)}]`)].join(
      '\n',
    );
    expect(problems(bomb)).toEqual(['furrow.yaml:1: its aliases would unfold into more than 100 copies']);
  });
});

it('lists every problem, in the order of the file', () => {
  expect(problems('parallel: x\nqueue:\n  batch: 0\n  foo: 1\nagent: nobody\nchecks: [{}]\n').map((line) => line.split(':')[1])).toEqual([
    '1',
    '3',
    '4',
    '5',
    '6',
  ]);
});

it('answers any text with a configuration or with lines that name the file, never otherwise', () => {
  const piece = fc.constantFrom(
    'parallel',
    'agents',
    'queue',
    ': ',
    '\n',
    '  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '"',
    "'",
    '|',
    '? ',
    '4',
    'x',
    '~',
    '#',
    '---\n',
    '!t ',
    ',',
    '\t',
  );
  const anyText = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(anyText, (text) => problems(text).every((line) => /^furrow\.yaml:\d+: \S/.test(line))),
    { numRuns: 3000 },
  );
});
