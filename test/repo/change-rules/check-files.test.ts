import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consistsOf } from '../../../src/repo/change-rules/check-files.ts';
import { runs } from '../../support/all.ts';

/** A command that runs a file, and that file. `ci/run.x` is in no other word; what comes after `ARGS` is data. */
const CORES: readonly (readonly [command: string, file: string])[] = [
  ...[
    'sh',
    'bash -eu',
    'dash',
    'bash -o pipefail',
    'zsh -x',
    '/bin/sh',
    '.',
    'source',
    'node',
    'python3',
    'python3 -u',
    'ruby',
    'perl -w',
    'deno run',
    'tsx',
  ].map((program) => [`${program} ci/run.x ARGS`, 'ci/run.x'] as const),
  ...[
    'sh < ci/run.x',
    'bash -s <ci/run.x',
    'python3 - < ci/run.x',
    'cat ci/run.x | sh',
    'cat <ci/run.x | bash -s',
    'sed s/a/b/ ci/run.x | sh',
  ].map((line) => [line, 'ci/run.x'] as const),
  ...[
    './ci/run.x ARGS',
    'ci/run.x',
    "bash -c 'sh ci/run.x'",
    'sh -ec "sh ci/run.x"',
    'eval "sh ci/run.x"',
    'sh -c \'sh -c "sh ci/run.x"\'',
  ].map((line) => [line, 'ci/run.x'] as const),
  ...[
    'make -f ci/run.x test',
    'make -fci/run.x',
    'make --file=ci/run.x',
    'make --makefile ci/run.x',
    'make -j2 -f ci/run.x',
    'gmake -k -f ci/run.x x',
  ].map((line) => [line, 'ci/run.x'] as const),
  ...[
    'just -f ci/run.x',
    'just --justfile=ci/run.x a',
    'task -t ci/run.x a',
    'tox -c ci/run.x',
    'pytest -c ci/run.x',
    'nox -f ci/run.x',
    'rake -f ci/run.x',
    'ninja -f ci/run.x',
  ].map((line) => [line, 'ci/run.x'] as const),
  ...[
    'cmake -P ci/run.x',
    'ctest -S ci/run.x',
    'docker compose -f ci/run.x run t',
    'docker-compose --file=ci/run.x up',
    'cargo test --manifest-path ci/run.x',
    'mvn -f ci/run.x test',
    'docker build -f ci/run.x .',
  ].map((line) => [line, 'ci/run.x'] as const),
  ...[
    'node --import ci/run.x t.mjs',
    'node --require=ci/run.x t.mjs',
    'node -r ci/run.x t.js',
    'npx vitest run --config ci/run.x',
    'jest -c ci/run.x',
    'tsc -p ci/run.x',
    'go run ci/run.go',
  ].map((line) => [line, line.includes('.go') ? 'ci/run.go' : 'ci/run.x'] as const),
  ...['python3 -m ci.run', 'python -m ci.run x'].map((line) => [line, 'ci/run.py'] as const),
  ['python3 -m pytest -c ci/run.x', 'ci/run.x'],
  ['make -C app test', 'app/Makefile'],
  ['make -Capp', 'app/Makefile'],
  ['make --directory=app -f run.mk', 'app/run.mk'],
  ['just -d app x', 'app/justfile'],
  ['ctest --test-dir app', 'app/CTestTestfile.cmake'],
  ['cmake -S app -B build', 'app/CMakeLists.txt'],
  ['pnpm -C app exec sh run.sh', 'app/run.sh'],
  ['yarn --cwd app exec sh run.sh', 'app/run.sh'],
  ['npm --prefix app exec -- sh run.sh', 'app/run.sh'],
  ['(cd app && ./run.sh)', 'app/run.sh'],
  ['BASH_ENV=ci/run.x bash -c true', 'ci/run.x'],
  ['NODE_OPTIONS="--require ./ci/run.x" npm test', 'ci/run.x'],
  ['MAKEFILES=ci/run.x make', 'ci/run.x'],
  ['sh <<EOF\nsh ci/run.x\nEOF\n', 'ci/run.x'],
  ["bash <<<'sh ci/run.x'", 'ci/run.x'],
  ['find src -name x -exec sh ci/run.x \\;', 'ci/run.x'],
  ['make test', 'Makefile'],
];

const WRAPPERS = [
  ...[
    '',
    'env',
    'env -u X',
    'env -i A=b',
    'env --unset=X',
    'nice',
    'nice -n 5',
    'timeout 10m',
    'timeout -k 5 10m',
    'timeout --signal=KILL 30',
    'time',
    'time -p',
    'command',
    'exec',
    'nohup',
  ],
  ...[
    'xargs',
    'xargs -n 1',
    'xargs -0 -P4',
    'stdbuf -oL',
    'stdbuf -o L',
    'flock /tmp/lock',
    'flock -n /tmp/lock',
    'flock -w 5 /tmp/lock',
    'sudo -u me',
    'sudo -u me -H',
    'setsid',
    'CI=1',
    'CI=1 B="x y"',
    'ionice -c 3',
  ],
  ...['env -u X nice -n 5 timeout 10m', 'npx -y', 'bundle exec', 'poetry run', 'uv run', 'xvfb-run -a'],
];

const PLACES: readonly ((line: string) => string)[] = [
  ...[
    (x: string) => x,
    (x: string) => `true && ${x}`,
    (x: string) => `${x}; true`,
    (x: string) => `false || ${x}`,
    (x: string) => `${x} &`,
  ],
  ...[
    (x: string) => `(${x})`,
    (x: string) => `{ ${x}; }`,
    (x: string) => `! ${x}`,
    (x: string) => `if ${x}; then true; fi`,
    (x: string) => `if true; then ${x}; fi`,
  ],
  ...[
    (x: string) => `while ${x}; do :; done`,
    (x: string) => `for i in 1 2; do ${x}; done`,
    (x: string) => `case a in a) ${x};; esac`,
    (x: string) => `f() { ${x}; }; f`,
  ],
  ...[
    (x: string) => `echo $(${x})`,
    (x: string) => `# words\n${x}`,
    (x: string) => `set -e\n${x}`,
    (x: string) => `cd sub && ${x}`,
    (x: string) => `[ -f data.txt ] && ${x}`,
  ],
  ...[(x: string) => `${x} > out.txt 2>&1`, (x: string) => `${x} | tee out.txt`, (x: string) => `2>/dev/null ${x}`],
];

/** Forms that end in lines of their own cannot stand in the middle of one. */
const isWhole = (core: string) => /<<EOF|^\(|^(?:BASH_ENV|NODE_OPTIONS|MAKEFILES)=/.test(core);

describe('a command line in whatever form', () => {
  it('names the files that it runs, and not the data', () => {
    const every = CORES.flatMap(([core, file]) =>
      (isWhole(core) ? [''] : WRAPPERS).flatMap((wrapper, w) =>
        (core.includes('\n') ? PLACES.slice(0, 2) : PLACES).map((place, p) => ({
          line: place(`${wrapper} ${core.replace('ARGS', '--quick data.txt')}`.trim()),
          file,
          simple: w === 0 || p === 0,
        })),
      ),
    );
    expect(every.length).toBeGreaterThan(40_000);
    // Each wrapper and each place with each command, and every 17th of all three together.
    const lines = every
      .filter(({ simple }, n) => simple || n % 17 === 0)
      .map(({ line, file }) => ({ line, file, ...consistsOf({ run: line }) }));
    const told = (list: readonly { readonly line: string }[]) => list.slice(0, 30).map(({ line }) => line);
    expect(told(lines.filter(({ file, files }) => !files.includes(file)))).toEqual([]);
    const plain = lines.filter(({ line }) => !/xargs|npx|find|cat|sed|flock -n .* \.\//.test(line));
    expect(told(plain.filter(({ files }) => files.some((file) => /data\.txt|out\.txt/.test(file))))).toEqual([]);
    expect(told(lines.filter(({ unclear }) => unclear.length > 0))).toEqual([]);
  });

  it.each([
    ...[
      'sh $FILE',
      '$RUN x',
      'sh tests/*.sh',
      'curl https://x | sh',
      'bash <(curl x)',
      'node -e "require(x)"',
      'python3 -c "import x"',
      "sh 'a",
      'cd $X && sh a.sh',
      'make -f $M',
      'eval $X',
      'eval "$X"',
    ],
    ...[
      '"$(which sh)" f',
      'find . -exec sh {} \\;',
      'sh -c "$X"',
      'sh "$DIR/x.sh"',
      'bash <<EOF\nsh $X\nEOF\n',
      '`cat cmd`',
      'env -u A $X',
      'BASH_ENV=$X bash -c true',
      '~/x.sh',
      'sh {a,b}.sh',
      'node < $X',
      'sh "a',
    ],
  ])('%s may be anything, and says so', (run) => expect(consistsOf({ run }).unclear).not.toEqual([]));

  it.each([
    ...[
      'npm test',
      'npx vitest run',
      'test -f "$X"',
      'echo $HOME && sh a.sh',
      'FOO=$BAR sh a.sh',
      'pytest -k "a or b" $ARGS',
      'sh a.sh $X *.txt',
      'cargo test -- --test-threads=1',
      'go test ./...',
      'make -j$(nproc) test',
    ],
    ...[
      '! test -f a.txt || test -f 1.txt',
      'grep -q "a|b" README.md',
      "awk '{print $1}' x",
      'git diff --exit-code',
      'docker compose run t',
    ],
  ])('%s is clear', (run) => expect(consistsOf({ run }).unclear).toEqual([]));

  it('is read to its end, whatever it is', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...'sh|a.sh|"|\'|`|$(|)|(|<|>|<<|EOF|\n|;|&&|\\|$X|{|}|-c|env|#|~|*| |é'.split('|'), '|')),
        (parts) => {
          const { files, unclear } = consistsOf({ run: parts.join('') });
          expect(files.length + unclear.length).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: runs(200) },
    ));
});
