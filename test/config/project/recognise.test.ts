import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import type { ProjectFacts } from '../../../src/config/project/facts.ts';
import { furrowYaml } from '../../../src/config/project/furrow-yaml.ts';
import { programsOf } from '../../../src/config/project/proposal.ts';
import { recognise } from '../../../src/config/project/recognise.ts';

type Files = Readonly<Record<string, string>>;
interface Machine {
  readonly tools?: readonly string[];
  readonly pytest?: true;
  readonly modules?: readonly string[];
  readonly executables?: readonly string[];
}

const EVERYTHING = [
  'npm',
  'npx',
  'node',
  'python3',
  'cargo',
  'go',
  'make',
  'cmake',
  'ctest',
  'mvn',
  'gradle',
  'bundle',
  'git',
  'git-lfs',
  'xargs',
];

function facts(files: Files, { tools = [], pytest, modules = [], executables = [] }: Machine = {}): ProjectFacts {
  const there = new Set([...EVERYTHING, ...tools]);
  return {
    paths: Object.keys(files),
    executables: new Set(executables),
    modules,
    read: (path) => files[path],
    onPath: (program) => there.has(program),
    python: (packages) => packages.every((name) => pytest === true && name === 'pytest'),
  };
}

/** The commands of a proposal, in the form of what a user would see in furrow.yaml. */
function lines(files: Files, machine?: Machine) {
  const { setup, checks, regenerate } = recognise(facts(files, machine));
  const runs = (list: readonly { run: string }[]) => list.map((one) => one.run);
  return { setup: runs(setup), check: runs(checks), anew: runs(regenerate) };
}

const proposes = (files: Files, expected: Partial<ReturnType<typeof lines>>, machine?: Machine) => () =>
  expect(lines(files, machine)).toMatchObject(expected);

const pkg = (scripts: Record<string, string>, more: object = { devDependencies: { x: '1' } }) => JSON.stringify({ scripts, ...more });

describe('projects of npm and its kin', () => {
  const test = { test: 'mocha' };
  it(
    'npm with a lockfile',
    proposes(
      { 'package.json': pkg(test), 'package-lock.json': '' },
      {
        setup: ['npm ci'],
        check: ['npm test'],
        anew: ['npm install --package-lock-only --ignore-scripts'],
      },
    ),
  );
  it(
    'npm without a lockfile writes none',
    proposes({ 'package.json': pkg(test) }, { setup: ['npm install --no-package-lock'], check: ['npm test'], anew: [] }),
  );
  it('nothing to install', proposes({ 'package.json': pkg({ test: 'node --test' }, {}) }, { setup: [], check: ['npm test'] }));
  it(
    'pnpm on the PATH',
    proposes(
      { 'package.json': pkg(test), 'pnpm-lock.yaml': '' },
      {
        setup: ['pnpm install --frozen-lockfile'],
        check: ['pnpm test'],
        anew: ['pnpm install --lockfile-only --no-frozen-lockfile --ignore-scripts'],
      },
      { tools: ['pnpm'] },
    ),
  );
  it(
    'pnpm by npx in the version that package.json names',
    proposes(
      { 'package.json': pkg(test, { packageManager: 'pnpm@9.1.0+sha512.abc', devDependencies: { x: '1' } }), 'pnpm-lock.yaml': '' },
      {
        setup: ['npx --yes pnpm@9.1.0 install --frozen-lockfile'],
        check: ['npx --yes pnpm@9.1.0 test'],
      },
    ),
  );
  it(
    'a version that is a command line is none',
    proposes(
      { 'package.json': pkg(test, { packageManager: 'pnpm@9;rm', devDependencies: { x: '1' } }) },
      { setup: ['npx --yes pnpm@9 install --no-lockfile'] },
    ),
  );
  it(
    'yarn classic',
    proposes(
      { 'package.json': pkg(test), 'yarn.lock': '# yarn lockfile v1' },
      { setup: ['yarn install --frozen-lockfile'], check: ['yarn test'] },
      { tools: ['yarn'] },
    ),
  );
  it(
    'yarn classic by npx: the newest yarn of the registry is another one',
    proposes({ 'package.json': pkg(test), 'yarn.lock': '# yarn lockfile v1' }, { setup: ['npx --yes yarn@1 install --frozen-lockfile'] }),
  );
  it(
    'yarn berry that lives in the repository',
    proposes(
      {
        'package.json': pkg({ pretest: 'tsc', test: 'mocha' }),
        'yarn.lock': '__metadata:',
        '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs',
        '.yarn/releases/yarn-4.1.0.cjs': '',
      },
      {
        setup: ['node .yarn/releases/yarn-4.1.0.cjs install --immutable'],
        check: ['node .yarn/releases/yarn-4.1.0.cjs run pretest && node .yarn/releases/yarn-4.1.0.cjs test'],
        anew: ['node .yarn/releases/yarn-4.1.0.cjs install --mode=update-lockfile'],
      },
    ),
  );
  it(
    'yarn berry by corepack',
    proposes(
      { 'package.json': pkg(test, { packageManager: 'yarn@4.1.0', devDependencies: { x: '1' } }), 'yarn.lock': '' },
      { setup: ['corepack yarn install --immutable'] },
      { tools: ['yarn', 'corepack'] },
    ),
  );
  it(
    'bun runs the script, not its own runner',
    proposes(
      { 'package.json': pkg(test), 'bun.lock': '' },
      { setup: ['bun install --frozen-lockfile'], check: ['bun run test'] },
      { tools: ['bun'] },
    ),
  );
  it(
    'the field decides between two lockfiles',
    proposes(
      {
        'package.json': pkg(test, { packageManager: 'npm@10.0.0', devDependencies: { x: '1' } }),
        'package-lock.json': '',
        'yarn.lock': '',
      },
      { setup: ['npm ci'] },
    ),
  );
  it(
    'hook managers stay out of .git',
    proposes(
      { 'package.json': pkg({ test: 'mocha', prepare: 'husky' }, { devDependencies: { husky: '9' } }), 'package-lock.json': '' },
      { setup: ['HUSKY=0 npm ci'] },
    ),
  );
  it('ends a watching runner', proposes({ 'package.json': pkg({ test: 'vitest' }) }, { check: ['CI=1 npm test'] }));
  it(
    'finds the runner behind another script',
    proposes(
      { 'package.json': pkg({ test: 'npm run lint && npm run unit', lint: 'eslint .', unit: 'jest' }) },
      { check: ['CI=1 npm test'] },
    ),
  );
  it(
    'prefers a script that does not watch',
    proposes({ 'package.json': pkg({ test: 'jest --watch', 'test:ci': 'jest' }) }, { check: ['CI=1 npm run test:ci'] }),
  );
  it(
    'takes the watch mode away',
    proposes(
      { 'package.json': pkg({ test: 'jest --watch --coverage' }) },
      { check: ['export CI=1 PATH="$PWD/node_modules/.bin:$PATH"; jest --coverage'] },
    ),
  );
  it('a test script that is none', proposes({ 'package.json': pkg({ test: 'echo "Error: no test specified" && exit 1' }) }, { check: [] }));
  it(
    'the build that CI runs before the tests',
    proposes(
      {
        'package.json': pkg({ test: 'vitest run', build: 'tsc -b' }),
        'package-lock.json': '',
        '.github/workflows/ci.yml':
          'jobs:\n  t:\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: |\n          npm run build\n          npm test\n',
      },
      { check: ['export CI=1; npm run build && npm test'] },
    ),
  );
  it(
    'no build where the test script builds',
    proposes(
      {
        'package.json': pkg({ test: 'npm run build && mocha', build: 'tsc -b' }),
        '.github/workflows/ci.yml': 'jobs: { t: { steps: [{ run: npm run build }, { run: npm test }] } }',
      },
      { check: ['npm test'] },
    ),
  );
  it(
    'packages of a workspace whose root has no test',
    proposes(
      { 'package.json': '{"workspaces":["packages/*"]}', 'package-lock.json': '', 'packages/a/package.json': pkg(test) },
      { setup: ['npm ci'], check: ['npm test --workspaces --if-present'] },
    ),
  );
  it('a broken package.json is none', proposes({ 'package.json': '{', 'go.mod': 'module x' }, { check: ['go test ./...'] }));
  it('a weak check is better than none', proposes({ 'package.json': pkg({ build: 'tsc' }) }, { check: ['npm run build'] }));
});

describe('projects of Python', () => {
  const toml =
    '[project]\nname = "x"\ndependencies = ["requests"]\n[project.optional-dependencies]\ntest = ["pytest"]\n[tool.pytest.ini_options]\n';
  it(
    'uv',
    proposes(
      { 'pyproject.toml': '[dependency-groups]\ntests = ["pytest"]\n', 'uv.lock': '' },
      { setup: ['uv sync --locked --group tests'], check: ['uv run --frozen --group tests python -m pytest'], anew: ['uv lock'] },
      { tools: ['uv'] },
    ),
  );
  it(
    'uv that is missing, where pytest is there',
    proposes(
      { 'pyproject.toml': toml.replace('"requests"', ''), 'uv.lock': '', 'src/x/a.py': '' },
      { setup: [], check: ['PYTHONPATH=src python3 -m pytest'], anew: [] },
      { pytest: true },
    ),
  );
  it(
    'pip, with what the tests need',
    proposes(
      { 'pyproject.toml': toml, '.gitignore': '.venv\n' },
      { setup: ['python3 -m venv .venv', ".venv/bin/python -m pip install -q -e '.[test]'"], check: ['.venv/bin/python -m pytest'] },
      { pytest: true },
    ),
  );
  it(
    'pip with requirements, and a runner that no file lists',
    proposes(
      { 'requirements.txt': 'flask\n', 'requirements-dev.txt': 'ruff\n', 'tests/conftest.py': '' },
      {
        setup: [
          "python3 -m venv .venv && echo '*' > .venv/.gitignore",
          '.venv/bin/python -m pip install -q -r requirements.txt -r requirements-dev.txt pytest',
        ],
      },
    ),
  );
  it(
    'pip, and a runner that only a comment names',
    proposes(
      { 'pyproject.toml': '[project]\nname = "x"\n\n# pytest\n[tool.pytest.ini_options]\n', '.gitignore': '.venv\n' },
      { setup: ['python3 -m venv .venv', '.venv/bin/python -m pip install -q -e . pytest'] },
    ),
  );
  it(
    'pip with a group of packages, which an old pip does not know',
    proposes(
      {
        'pyproject.toml': '[project]\nname = "x"\n[dependency-groups]\ntests = ["pytest"]\n[tool.pytest.ini_options]\n',
        '.gitignore': '.venv\n',
      },
      { setup: ['python3 -m venv --upgrade-deps .venv', '.venv/bin/python -m pip install -q -e . --group tests'] },
    ),
  );
  it(
    'poetry of the first generation',
    proposes(
      { 'pyproject.toml': '[tool.poetry]\n', 'poetry.lock': '# @generated by Poetry 1.8.2', 'tests/conftest.py': '' },
      { check: ['POETRY_VIRTUALENVS_IN_PROJECT=1 poetry run python -m pytest'], anew: ['poetry lock --no-update'] },
      { tools: ['poetry'] },
    ),
  );
  it(
    'unittest where nothing names pytest',
    proposes({ 'setup.py': '', 'tox.ini': '', 'tests/test_a.py': '' }, { setup: [], check: ['python3 -m unittest discover -s tests'] }),
  );
  it('Django', proposes({ 'requirements.txt': 'django', 'manage.py': '' }, { check: ['.venv/bin/python manage.py test'] }));
});

describe('others', () => {
  it(
    'cargo',
    proposes(
      { 'Cargo.toml': '[workspace]\n', 'Cargo.lock': '' },
      { check: ['cargo test --workspace --locked'], anew: ['cargo update --workspace'] },
    ),
  );
  it('go', proposes({ 'go.mod': '', 'go.sum': '' }, { check: ['go test ./...'], anew: ['go mod tidy'] }));
  it(
    'bundler',
    proposes(
      { Gemfile: '', 'Gemfile.lock': '', '.rspec': '' },
      { setup: ['BUNDLE_FROZEN=1 bundle install'], check: ['bundle exec rspec'], anew: ['bundle lock'] },
    ),
  );
  it(
    'maven by its wrapper',
    proposes({ 'pom.xml': '', mvnw: '' }, { check: ['./mvnw --batch-mode --no-transfer-progress test'] }, { executables: ['mvnw'] }),
  );
  it(
    'gradle by a wrapper that lost its bit',
    proposes({ 'build.gradle.kts': '', gradlew: '' }, { check: ['sh gradlew --no-daemon test'] }),
  );
  it(
    'cmake beside a folder that is tracked',
    proposes(
      { 'CMakeLists.txt': 'enable_testing()', 'build/x': '' },
      { check: ['cmake -S . -B _build && cmake --build _build --parallel 4 && ctest --test-dir _build --output-on-failure'] },
    ),
  );
  it(
    'cmake with ccache',
    proposes(
      { 'CMakeLists.txt': '' },
      {
        check: [
          'export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache; cmake -S . -B build && cmake --build build --parallel 4',
        ],
      },
      { tools: ['ccache'] },
    ),
  );
  it('cmake with a build folder that git ignores keeps it', () => {
    const files = { 'CMakeLists.txt': '', '.gitignore': '*.o\nbuild/\n' };
    expect(recognise(facts(files)).caches).toMatchObject([{ path: 'build' }]);
    expect(lines(files)).toMatchObject({
      check: ['( cmake -S . -B build || ( rm -rf build && cmake -S . -B build ) ) && cmake --build build --parallel 4'],
    });
    expect(recognise(facts({ 'CMakeLists.txt': '', '.gitignore': 'mybuild/\n' })).caches).toEqual([]);
  });
  it(
    'make, by a target that stands with others',
    proposes({ Makefile: '.PHONY: all\nall:\n\tcc\ncheck test: all\n\t./t\n' }, { check: ['make test'] }),
  );
  it(
    'falls through a package.json without tests',
    proposes({ 'package.json': '{}', Makefile: 'test:\n\ttrue\n' }, { setup: [], check: ['make test'] }),
  );
  it('a folder of texts', proposes({ 'README.md': '' }, { setup: [], check: [], anew: [] }));
  it(
    'a prepare that builds is part of the check, so that packages are installed once for a lockfile',
    proposes(
      { 'package.json': pkg({ test: 'mocha', prepare: 'tsc && chmod +x build/x.js' }), 'package-lock.json': '' },
      { setup: ['npm ci --ignore-scripts', 'npm rebuild'], check: ['npm run prepare && npm test'] },
    ),
  );
  it(
    'a prepare that builds stays where the tests build before themselves, and where other scripts run with it',
    proposes(
      { 'package.json': pkg({ test: 'vitest', pretest: 'tsc', prepare: 'tsc' }), 'package-lock.json': '' },
      { setup: ['npm ci --ignore-scripts', 'npm rebuild'], check: ['CI=1 npm test'] },
    ),
  );
  it(
    'is left alone, with a word, where npm cannot tell it from other scripts',
    proposes(
      { 'package.json': pkg({ test: 'mocha', prepare: 'tsc', postinstall: 'patch-package' }), 'package-lock.json': '' },
      { setup: ['npm ci'] },
    ),
  );
  it('says what a prepare costs that it leaves alone, and which folders prettier would read', () => {
    const files = { 'package.json': pkg({ test: 'mocha', prepare: 'tsc' }, { devDependencies: { prettier: '3' } }), 'pnpm-lock.yaml': '' };
    const said = (more: Files) => recognise(facts({ ...files, ...more }, { tools: ['pnpm'] })).remarks.map(({ text }) => text);
    const cost = expect.stringContaining('set-up runs again for every tree');
    expect(said({})).toEqual([cost, expect.stringContaining('also reads .furrow')]);
    expect(said({ '.prettierignore': 'dist\n.furrow/\n' })).toEqual([cost]);
  });
  it(
    'submodules need no set-up',
    proposes(
      { '.gitmodules': '', 'package.json': pkg({ test: 'mocha' }), 'package-lock.json': '' },
      { setup: ['npm ci'] },
      { modules: ['deps/x'] },
    ),
  );
  it(
    'each folder where the root has nothing',
    proposes(
      { 'api/go.mod': '', 'api/main.go': '', 'web/package.json': pkg({ test: 'mocha' }), 'web/package-lock.json': '' },
      {
        setup: ['cd web && npm ci'],
        check: ['cd api && go test ./...', 'cd web && npm test'],
        anew: ['cd web && npm install --package-lock-only --ignore-scripts'],
      },
    ),
  );
});

describe('what is said', () => {
  const remarks = (files: Files, machine?: Machine) => recognise(facts(files, machine)).remarks.map(({ text }) => text);

  it('names the kind with the most sources, and the others with their check', () => {
    const found = recognise(
      facts({ 'package.json': pkg({ test: 'mocha' }), 'a.js': '', 'pyproject.toml': '[tool.pytest]\n', 'a.py': '', 'b.py': '' }),
    );
    expect(found.kinds).toMatchObject([
      { name: 'pip', chosen: true, because: expect.stringContaining('2 source files') },
      { name: 'npm', chosen: false },
    ]);
    expect(found.remarks.map(({ text }) => text)).toEqual([expect.stringContaining('npm was found too: its check is `npm test`')]);
  });

  it('prefers what the CI of the project tests with to the most sources', () => {
    const files = { Gemfile: '', 'meson.build': '', 'a.c': '', 'b.c': '', 'lib/x.rb': '', 'test/Rakefile': '' };
    const workflow = (run: string) => ({ '.github/workflows/ci.yml': JSON.stringify({ jobs: { one: { steps: [{ run }] } } }) });
    const chosen = (more: Files) => recognise(facts({ ...files, ...more })).kinds.find((kind) => kind.chosen);
    expect(chosen({})).toMatchObject({ name: 'meson' });
    expect(chosen(workflow('meson test -C build'))).toMatchObject({ name: 'meson' });
    expect(chosen(workflow('cd test && rake test:unit'))).toMatchObject({
      name: 'bundler',
      because: 'Gemfile, 1 source files, and its CI tests with it',
    });
    expect(lines({ ...files, ...workflow('bundle install\ncd test && rake test:unit') })).toMatchObject({
      check: ['cd test && bundle exec rake test:unit'],
    });
    expect(lines({ ...files, ...workflow(`cd ${'${{'} matrix.folder }} && rake test`) })).toMatchObject({
      check: [expect.stringContaining('meson')],
    });
  });

  it('names tools that are missing, large files and a lockfile that is not used', () => {
    expect(remarks({ 'meson.build': '' }, { tools: ['ccache'] })).toEqual(['meson is not on the PATH']);
    expect(remarks({ 'CMakeLists.txt': '' })).toEqual(['ccache is not on the PATH: each check compiles all files']);
    expect(remarks({ 'CMakeLists.txt': '' }, { tools: ['ccache'] })).toEqual([]);
    expect(remarks({ '.gitattributes': '*.png filter=lfs diff=lfs' })).toEqual([expect.stringContaining('large files are in git-lfs')]);
    expect(remarks({ 'package.json': '{"packageManager":"npm@10.0.0"}', 'yarn.lock': '' })).toEqual([
      expect.stringContaining('yarn.lock is not used'),
    ]);
  });

  it.each([
    ['HUSKY=0 npm ci', ['npm']],
    ['cd api && go test ./... | tee log', ['go', 'tee']],
    ["export CI=1; sh -c 'x y'", ['sh']],
    ['$RUN test; (make)', []],
  ])('finds the programs of %s', (line, programs) => expect(programsOf(line)).toEqual(programs));
});

it('writes a furrow.yaml that furrow reads as it was proposed', () => {
  const proposal = recognise(
    facts(
      { 'package.json': pkg({ test: 'jest --watch' }), 'package-lock.json': '', '.gitmodules': '', 'turbo.json': '' },
      { modules: ['a'] },
    ),
  );
  const config = parseConfig(
    furrowYaml({ board: 'my board', agents: [{ name: 'claude', settings: '{ driver: claude }' }], proposal }),
    'furrow.yaml',
  );
  expect(config).toMatchObject({
    board: 'my board',
    agent: 'claude',
    checks: proposal.checks.map(({ name, run }) => ({ name, run })),
    worktree: { setup: proposal.setup.map(({ run }) => run) },
    queue: { caches: ['.turbo'], regenerate: proposal.regenerate.map(({ paths, run }) => ({ paths, run })) },
  });
  const none = parseConfig(furrowYaml({ board: 'board', agents: [], proposal: recognise(facts({})) }), 'furrow.yaml');
  expect(none).toMatchObject({ checks: [], worktree: { setup: [] } });
});
