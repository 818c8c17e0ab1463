import { describe, expect, it } from 'vitest';
import { diagnose, type RedCheck } from '../../../src/config/project/diagnose.ts';
import type { Proposal } from '../../../src/config/project/proposal.ts';

const NONE: Proposal = { kinds: [], setup: [], checks: [], caches: [], regenerate: [], remarks: [] };
const NPM: Proposal = { ...NONE, setup: [{ run: 'npm ci', because: 'package-lock.json' }] };

const advises =
  (red: Partial<RedCheck>, next: (string | null)[], proposal = NONE) =>
  () => {
    const advice = diagnose({ run: 'npm test', detail: 'exit 1', output: '', setup: [], ...red }, proposal);
    expect(advice.map((one) => one.next)).toEqual(next.map((one) => (one === null ? null : expect.stringContaining(one))));
  };

describe('what is missing in a clean worktree', () => {
  it('the set-up that nobody configured', advises({ output: 'boom' }, ['add to furrow.yaml: worktree: { setup: ["npm ci"] }'], NPM));
  it('a set-up that is there is not advised again', advises({ output: 'boom', setup: ['HUSKY=0 npm ci'] }, [], NPM));
  it('one step beside those that are there', advises({ setup: ['make deps'] }, ['setup: ["make deps","npm ci"]'], NPM));
  it('a command of dash', advises({ output: 'sh: 1: pytest: not found\n', detail: 'exit 127' }, ['install pytest']));
  it('a command of a package with another name', advises({ output: 'sh: 1: autoreconf: not found\n' }, ['install autoconf, automake']));
  it('a command of bash', advises({ output: 'bash: line 1: tox: command not found\n' }, ['install tox']));
  it('a command that said nothing', advises({ run: 'CI=1 just test', detail: 'exit 127' }, ['install just']));
  it('a package of Node', advises({ output: "Error: Cannot find module 'chai'\n" }, ['add the command that installs it']));
  it(
    'a package of Python',
    advises({ output: "ModuleNotFoundError: No module named 'flask'\n", setup: ['x'] }, ['whether the set-up installs it']),
  );
  it(
    'a package of Python, and the line that would install it',
    advises({ output: 'python: No module named pytest\n', setup: ['python3 -m venv .venv', '.venv/bin/python -m pip install -q -e .'] }, [
      'furrow.yaml: .venv/bin/python -m pip install -q -e . pytest',
    ]),
  );
  it('a file that a build makes', advises({ output: "Error: Cannot find module './dist/index.js'\n" }, ['add the build to `check:`']));
  it('time', advises({ detail: 'timed out after 10m' }, ['timeout']));
  it('a check that writes', advises({ detail: 'the check check changed a.snap; a check must leave tracked files as they are' }, ['CI=1']));
  it('large files', advises({ output: '[furrow: only pointers, their content is not in .git/lfs: a.png; …]' }, ['git lfs fetch']));
  it(
    'a submodule that is not in the clone',
    advises({ output: '[furrow: the submodule deps/a is not filled: it is not in repo: …]\n' }, ['git submodule update --init']),
  );
  it(
    'large files, before what came of it',
    advises({ output: '[furrow: only pointers, their content is not in .git/lfs: a.png; …]', detail: 'must leave tracked files' }, [
      'git lfs fetch',
      'CI=1',
    ]),
  );
  it('the network', advises({ output: 'npm error code EAI_AGAIN' }, [null]));
  it('nothing that is known', advises({ output: '1 test failed' }, []));
});

describe('a Node that the project cannot use is named with the one that it needs', () => {
  const says = (output: string, text: string) => () =>
    expect(diagnose({ run: 'npm test', detail: 'exit 1', output, setup: [] }, NONE)).toEqual([
      { text, next: 'put that Node first on the PATH, then: furrow stop --all && furrow doctor --check' },
    ]);
  const pnpm = 'warn: This version of pnpm requires at least Node.js v22.13\nwarn: The current version of Node.js is v20.20.2\n';
  it('pnpm', says(pnpm, 'it needs Node 22.13, and 20.20.2 is on the PATH'));
  it(
    'npm',
    says(
      'npm error notsup Required: {"node":">=22"}\nnpm error notsup Actual:   {"npm":"10.0.0","node":"v20.1.0"}\n',
      'it needs Node >=22, and 20.1.0 is on the PATH',
    ),
  );
  it(
    'yarn',
    says(
      'error a@1: The engine "node" is incompatible with this module. Expected version ">=22". Got "20.1.0"',
      'it needs Node >=22, and 20.1.0 is on the PATH',
    ),
  );
  it(
    'Node itself',
    says(
      'Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite\n\nNode.js v20.20.2\n',
      'it needs a newer Node, and 20.20.2 is on the PATH',
    ),
  );
});
