import { expect, it } from 'vitest';
import { type Health, healthOf } from '../../../src/daemon/calls/doctor/health.ts';

const WELL: Health = {
  agents: ['claude'],
  readyKinds: ['claude'],
  missingKinds: [],
  checks: [{ name: 'check', run: 'CI=1 npm test' }],
  setup: ['npm ci'],
  proposed: ['npm ci'],
  onPath: (program) => program === 'npm' || program === 'git',
  modules: [],
  lfs: false,
  pointers: [],
  freeBytes: 100 * 1024 ** 3,
  home: '/home/ada/app.furrow',
  identity: true,
  nodes: [{ check: 'check', version: '24.15.0', wishes: [{ where: '.nvmrc', range: '24' }] }],
  red: null,
  isolation: { level: 'guard', why: null, refused: null },
  fenceOnly: [],
  bare: [],
};

it('finds nothing wrong where all is there', () => {
  expect(healthOf(WELL).filter(({ level }) => level !== 'ok')).toEqual([]);
});

it('is content with an agent that furrow does not know, when furrow.yaml says how it starts', () => {
  const said = healthOf({ ...WELL, agents: [], readyKinds: ['script'] });
  expect(said.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(said[0]).toMatchObject({ what: 'agents of furrow.yaml that can start: script' });
});

it('says which kinds of codex have the fence for their only sandbox', () => {
  const said = (bare: string[]) => healthOf({ ...WELL, bare }).filter(({ what }) => what.includes('sandbox'));
  expect(said([])).toEqual([]);
  expect(said(['codex', 'fast'])).toMatchObject([
    { level: 'ok', what: expect.stringMatching(/^codex, fast: .*no command .* unless allowed by a rule/) },
  ]);
});

const cases: [string, Partial<Health>, 'warn' | 'bad', RegExp, RegExp][] = [
  ['no agent', { agents: [], readyKinds: [] }, 'warn', /no coding agent/, /driver: command/],
  [
    'a kind without its program',
    { missingKinds: [{ kind: 'codex', what: 'codex is not on the PATH', install: 'npm i -g codex' }] },
    'warn',
    /codex/,
    /npm i -g/,
  ],
  ['a tool of the check', { checks: [{ name: 'unit', run: 'cd a && pytest -q' }] }, 'bad', /check unit needs pytest/, /install pytest/],
  ['a tool of the set-up', { setup: ['HUSKY=0 pnpm install'] }, 'bad', /set-up needs pnpm/, /install pnpm/],
  ['no set-up', { setup: [] }, 'warn', /no set-up is configured/, /worktree: \{ setup: \["npm ci"\] \}/],
  [
    'a submodule that is not here',
    { modules: [{ path: 'deps/x', state: 'not fetched', url: 'https://x' }] },
    'warn',
    /deps\/x is not here/,
    /git submodule update/,
  ],
  ['a submodule from nowhere', { modules: [{ path: 'deps/x', state: 'gone', url: '/x' }] }, 'bad', /not there/, /git config/],
  ['large files without git-lfs', { lfs: true }, 'warn', /git-lfs/, /git lfs fetch/],
  ['large files that are not here', { pointers: ['a.png', 'b', 'c', 'd', 'e'] }, 'warn', /a\.png, b, c and 2 more/, /git lfs pull/],
  ['a full disk', { freeBytes: 1000 }, 'bad', /0\.0 GB are free/, /furrow clean/],
  ['nobody', { identity: false }, 'warn', /who you are/, /git config --global user\.name/],
  [
    'a Node that the project does not ask for',
    {
      nodes: [
        {
          check: 'unit',
          version: '20.11.1',
          wishes: [
            { where: 'package.json (engines.node)', range: '>=22' },
            { where: '.nvmrc', range: '20' },
          ],
        },
      ],
    },
    'warn',
    /^check unit would run node 20\.11\.1, and package\.json \(engines\.node\) asks for >=22$/,
    /on the PATH/,
  ],
  ['a red target', { red: 'main itself fails' }, 'bad', /main itself fails/, /furrow doctor --check/],
];

it.each(cases)('names %s with the next command', (_name, health, level, what, hint) => {
  const found = healthOf({ ...WELL, ...health }).filter((one) => one.level !== 'ok');
  expect(found).toEqual([{ level, what: expect.stringMatching(what), hint: expect.stringMatching(hint), fixed: false }]);
});
