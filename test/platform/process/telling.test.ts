import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GAP, tellingLines } from '../../../src/platform/output/telling.ts';

const noise = (n: number) => Array.from({ length: n }, (_, i) => `  compiled module ${i} of ${n}`).join('\n');

/** The output of real runners, shortened, and the lines that a person would point at. */
const OUTPUTS: readonly [runner: string, output: string, tells: readonly string[]][] = [
  [
    'vitest',
    `${noise(40)}\n FAIL  test/dates.test.ts > dates > knows leap years\nAssertionError: expected 28 to be 29\n\n- Expected\n+ Received\n\n- 29\n+ 28\n\n ❯ test/dates.test.ts:7:20\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\n\n Test Files  1 failed | 12 passed (13)\n      Tests  1 failed | 99 passed (100)\n`,
    [
      ' FAIL  test/dates.test.ts > dates > knows leap years',
      'AssertionError: expected 28 to be 29',
      '- 29',
      '+ 28',
      '      Tests  1 failed | 99 passed (100)',
    ],
  ],
  [
    'pnpm, at an install',
    `✗ Lockfile failed supply-chain policy check (1504 entries in 42.4s)\n${noise(40)}\n[ERR_PNPM_TRUST_DOWNGRADE] 1 lockfile entries failed verification:\n  a@4.0.0 Missing time for version 4.0.0 of a in metadata\n`,
    [
      '✗ Lockfile failed supply-chain policy check (1504 entries in 42.4s)',
      '[ERR_PNPM_TRUST_DOWNGRADE] 1 lockfile entries failed verification:',
      '  a@4.0.0 Missing time for version 4.0.0 of a in metadata',
    ],
  ],
  [
    'pnpm, before version 11',
    `${noise(40)}\n ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"\n${noise(20)}\n`,
    [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'],
  ],
  [
    'jest',
    `PASS  a.test.js\nFAIL  b.test.js\n  ● sums › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 4\n\n      at Object.<anonymous> (b.test.js:3:17)\n      at node_modules/jest-circus/run.js:1:1\n\nTests:       1 failed, 8 passed, 9 total\n`,
    ['FAIL  b.test.js', '  ● sums › adds', '    Expected: 3', '    Received: 4', 'Tests:       1 failed, 8 passed, 9 total'],
  ],
  [
    'mocha',
    `  5 passing (12ms)\n  1 failing\n\n  1) sums\n       adds:\n\n      AssertionError [ERR_ASSERTION]: 3 == 4\n      + expected - actual\n\n      -3\n      +4\n      at Context.<anonymous> (test/sum.js:5:12)\n`,
    ['  1 failing', '      AssertionError [ERR_ASSERTION]: 3 == 4', '      -3', '      +4'],
  ],
  [
    'node --test (TAP)',
    `ok 1 - parses\nnot ok 2 - prints\n  ---\n  error: 'Expected values to be strictly equal'\n  code: 'ERR_ASSERTION'\n  ...\n1..2\n# tests 2\n# pass 1\n# fail 1\n`,
    ['not ok 2 - prints', "  error: 'Expected values to be strictly equal'", '# fail 1'],
  ],
  [
    'pytest',
    `tests/test_a.py ..F\n=================================== FAILURES ===================================\n____________________________ test_total ____________________________\n\n    def test_total():\n>       assert total([1]) == 2\nE       assert 1 == 2\nE        +  where 1 = total([1])\n\ntests/test_a.py:4: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_a.py::test_total - assert 1 == 2\n========================= 1 failed, 2 passed in 0.03s ==========================\n`,
    [
      '>       assert total([1]) == 2',
      'E       assert 1 == 2',
      'FAILED tests/test_a.py::test_total - assert 1 == 2',
      '========================= 1 failed, 2 passed in 0.03s ==========================',
    ],
  ],
  [
    'a Python traceback',
    `${noise(30)}\nTraceback (most recent call last):\n  File "app/main.py", line 3, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'\n`,
    ['  File "app/main.py", line 3, in <module>', '    import yaml', "ModuleNotFoundError: No module named 'yaml'"],
  ],
  [
    'go test',
    `=== RUN   TestAdd\n    add_test.go:9: got 3, want 4\n--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/add\t0.002s\nok  \texample.com/sub\t0.001s\nFAIL\n`,
    ['    add_test.go:9: got 3, want 4', '--- FAIL: TestAdd (0.00s)', 'FAIL\texample.com/add\t0.002s'],
  ],
  [
    'cargo test',
    `test tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\n\nthread 'tests::adds' panicked at src/lib.rs:11:9:\nassertion \`left == right\` failed\n  left: 3\n right: 4\nnote: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass \`--lib\`\n`,
    [
      'test tests::adds ... FAILED',
      "thread 'tests::adds' panicked at src/lib.rs:11:9:",
      'assertion `left == right` failed',
      '  left: 3',
      ' right: 4',
      'test result: FAILED. 0 passed; 1 failed; 0 ignored',
    ],
  ],
  [
    'rustc',
    `   Compiling add v0.1.0\nerror[E0308]: mismatched types\n --> src/lib.rs:2:5\n  |\n2 |     "three"\n  |     ^^^^^^^ expected \`i32\`, found \`&str\`\n\nerror: could not compile \`add\` (lib) due to 1 previous error\n`,
    ['error[E0308]: mismatched types', ' --> src/lib.rs:2:5', '2 |     "three"'],
  ],
  [
    'tsc',
    `src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n`,
    ["src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."],
  ],
  [
    'a missing tool',
    `> app@1.0.0 test\n> vitest run\n\nsh: 1: vitest: not found\nnpm error Lifecycle script \`test\` failed\n`,
    ['sh: 1: vitest: not found'],
  ],
  ['a missing command', 'bash: line 1: uv: command not found\n', ['bash: line 1: uv: command not found']],
  [
    'a missing module',
    `node:internal/modules/cjs/loader:1404\n  throw err;\n  ^\n\nError: Cannot find module 'express'\nRequire stack:\n- /slot/index.js\n    at node:internal/modules/cjs/loader:1401:15\n`,
    ["Error: Cannot find module 'express'", '- /slot/index.js'],
  ],
  [
    'make',
    `cc -o a a.c\na.c:3:5: error: expected ';' before 'return'\nmake: *** [Makefile:2: a] Error 1\n`,
    ["a.c:3:5: error: expected ';' before 'return'", 'make: *** [Makefile:2: a] Error 1'],
  ],
  [
    'ninja',
    `FAILED: a.o\nc++ -c a.cc\na.cc:1:10: fatal error: b.h: No such file or directory\nninja: build stopped: subcommand failed.\n`,
    ['FAILED: a.o', 'a.cc:1:10: fatal error: b.h: No such file or directory'],
  ],
  ['signs of a runner', `✓ one\n✗ two is odd\n  got 2\n✓ three\n`, ['✗ two is odd', '  got 2']],
];

describe('the telling lines of a check', () => {
  it.each(OUTPUTS)('of %s', (_runner, output, tells) => {
    // Teardown noise behind it: the last lines alone would tell nothing.
    const found = tellingLines(`${noise(40)}\n${output}\n\n${noise(40)}`);
    for (const line of tells) expect(found).toContain(line);
    expect(found.length).toBeLessThanOrEqual(12);
  });

  it('are the last ones when nothing says that it failed', () => {
    expect(tellingLines('one\n\ntwo\nthree\n', { lines: 2 })).toEqual(['two', 'three']);
    expect(tellingLines('')).toEqual([]);
  });

  it('leave out what says that all is well, and a mark stands where lines are missing', () => {
    const output = `Error: first\n${noise(20)}\n0 errors, 0 failed\n# fail 0\nTests: 1 failed, 2 passed\n`;
    expect(tellingLines(output, { lines: 3 })).toEqual(['Error: first', GAP, 'Tests: 1 failed, 2 passed']);
  });

  it('are plain text without secrets: no colours, no titles, no progress that was drawn over', () => {
    const output = '\x1b]0;owned\x07\x1b[31mError:\x1b[0m token ghp_abcdefghijklmnopqrstuvwx\n10 %\r50 %\rError: done\r\n';
    expect(tellingLines(output)).toEqual(['Error: token ghp_…', 'Error: done']);
  });

  it('are bounded in number and width, whatever was printed', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('Error: x', '  at y (node_modules/z)', 'not ok 1', '', 'E   a', `FAIL ${'w'.repeat(300)}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (lines, most) => {
        const found = tellingLines(lines.join('\n'), { lines: most, columns: 80 });
        expect(found.length).toBeLessThanOrEqual(most);
        for (const one of found) expect([...one].length).toBeLessThanOrEqual(80);
      }),
    );
  });
});
