import { firstOf, has, type ProjectFacts, textOf } from './facts.ts';
import type { Candidate } from './proposal.ts';

const NOTHING = { setup: [], caches: [], regenerate: [], remarks: [] } as const;

/** Rust. Without `--locked` cargo would rewrite a lockfile that does not fit, and a check must not. */
export function cargo(facts: ProjectFacts): Candidate | undefined {
  if (!has(facts, 'Cargo.toml')) return undefined;
  const locked = has(facts, 'Cargo.lock');
  const workspace = /^\[workspace\]/m.test(textOf(facts, 'Cargo.toml'));
  const run = `cargo test${workspace ? ' --workspace' : ''}${locked ? ' --locked' : ''}`;
  return {
    ...NOTHING,
    name: 'cargo',
    because: locked ? 'Cargo.toml and Cargo.lock' : 'Cargo.toml',
    sources: /\.rs$/,
    tools: /^cargo$/,
    check: { run, because: `Cargo.toml${workspace ? ' is a workspace' : ''}` },
    caches: [{ path: 'target', because: 'cargo compares what it built with the sources' }],
    // Only what the merged manifests ask for anew; `cargo generate-lockfile` would upgrade the rest.
    regenerate: locked
      ? [
          {
            paths: ['Cargo.lock'],
            run: 'cargo update --workspace',
            because: 'Cargo.lock is written by cargo, which keeps the versions that are locked',
          },
        ]
      : [],
  };
}

export function go(facts: ProjectFacts): Candidate | undefined {
  const work = has(facts, 'go.work');
  if (!has(facts, 'go.mod') && !work) return undefined;
  const each = work && !has(facts, 'go.mod');
  return {
    ...NOTHING,
    name: 'go',
    because: work ? 'go.work' : 'go.mod',
    sources: /\.go$/,
    tools: /^(go|gotestsum)$/,
    check: each
      ? { run: "go list -m -f '{{.Dir}}/...' | xargs go test", because: 'go.work: the tests of each of its modules' }
      : { run: 'go test ./...', because: 'go.mod' },
    regenerate: has(facts, 'go.sum') && !work ? [{ paths: ['go.sum'], run: 'go mod tidy', because: 'go.sum is written by go' }] : [],
  };
}

/**
 * Without a number `--parallel` starts as many compilers as there are files. A build folder that is ignored is kept as a cache; cmake refuses one
 * that was copied from another slot, and ccache then spares what was compiled before.
 */
export function cmake(facts: ProjectFacts): Candidate | undefined {
  if (!has(facts, 'CMakeLists.txt')) return undefined;
  const folder = buildFolder(facts);
  const cached = facts.onPath('ccache');
  const launcher = cached ? 'export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache; ' : '';
  const configure = `cmake -S . -B ${folder}`;
  const kept = new RegExp(`^/?${folder}/?$`, 'm').test(textOf(facts, '.gitignore'));
  const steps = [
    kept ? `( ${configure} || ( rm -rf ${folder} && ${configure} ) )` : configure,
    `cmake --build ${folder} --parallel 4`,
    `ctest --test-dir ${folder} --output-on-failure`,
  ];
  const tests = facts.paths.some(
    (path) => /(^|\/)CMakeLists\.txt$/.test(path) && /\b(enable_testing|add_test|include\s*\(\s*CTest)/i.test(facts.read(path) ?? ''),
  );
  return {
    ...NOTHING,
    name: 'cmake',
    because: 'CMakeLists.txt',
    sources: /\.(c|cc|cpp|cxx|h|hpp|hxx)$/,
    tools: /^(cmake|ctest)$/,
    check: {
      run: launcher + steps.slice(0, tests ? 3 : 2).join(' && '),
      because: tests ? 'CMakeLists.txt with tests' : 'CMakeLists.txt, which has no tests: that it builds',
    },
    caches: kept ? [{ path: folder, because: 'cmake compares what it built with the sources' }] : [],
    remarks: cached ? [] : [UNCACHED],
  };
}

const UNCACHED = { text: 'ccache is not on the PATH: each check compiles all files', next: 'install ccache, then furrow init once more' };

export function meson(facts: ProjectFacts): Candidate | undefined {
  if (!has(facts, 'meson.build')) return undefined;
  const folder = buildFolder(facts);
  return {
    ...NOTHING,
    name: 'meson',
    because: 'meson.build',
    sources: /\.(c|cc|cpp|cxx|h|hpp|vala)$/,
    tools: /^(meson|ninja)$/,
    // Meson uses ccache by itself.
    remarks: facts.onPath('ccache') ? [] : [UNCACHED],
    check: { run: `meson setup ${folder} && meson test -C ${folder} --print-errorlogs`, because: 'meson.build' },
  };
}

/** A folder name that no tracked file uses. */
const buildFolder = (facts: ProjectFacts) =>
  ['build', '_build', 'furrow-build'].find((name) => !facts.paths.some((path) => path === name || path.startsWith(`${name}/`))) ??
  'furrow-build';

/** The last resort, and for C the first choice: a target named test or check. */
export function make(facts: ProjectFacts): Candidate | undefined {
  const file = firstOf(facts, 'GNUmakefile', 'makefile', 'Makefile');
  const made = firstOf(facts, 'configure', 'autogen.sh', 'bootstrap', 'configure.ac');
  if (file === undefined && (made === undefined || !has(facts, 'Makefile.am'))) return undefined;
  const text = file === undefined ? 'check:' : textOf(facts, file);
  const target = ['test', 'check', 'tests', 'all', 'build'].find((name) =>
    new RegExp(`^(\\.PHONY:.*\\b${name}\\b|([\\w.-]+\\s+)*${name}(\\s[\\w.\\s-]*)?::?(?!=))`, 'm').test(text),
  );
  const configure =
    file !== undefined
      ? ''
      : has(facts, 'configure')
        ? './configure && '
        : has(facts, 'autogen.sh')
          ? './autogen.sh && ./configure && '
          : 'autoreconf -i && ./configure && ';
  if (file !== undefined && target === undefined && !/^[\w.-]+\s*:(?!=)/m.test(text)) return undefined;
  const tests = target !== undefined && !['all', 'build'].includes(target);
  return {
    ...NOTHING,
    name: 'make',
    because: file ?? 'configure.ac and Makefile.am',
    sources: /\.(c|cc|cpp|cxx|h|hpp|asm|s|f90|sh)$/i,
    tools: /^make$/,
    check: {
      run: `${configure}make${target === undefined ? '' : ` ${target}`}`,
      because: tests ? `the target ${target} of ${file ?? 'automake'}` : `${file}, which has no target test or check: that it builds`,
    },
  };
}
