import { firstOf, has, type ProjectFacts, textOf } from './facts.ts';
import { section } from './toml.ts';

export interface PythonTests {
  /** After `python`: `-m pytest`. */
  readonly words: string;
  readonly because: string;
  /** The package that brings the module, if Python itself does not. */
  readonly needs: string | undefined;
}

/** The test command of a Python project: pytest wherever anything names it, then Django, unittest, tox and nox. */
export function pythonTests(facts: ProjectFacts): PythonTests | undefined {
  const named = pytestBy(facts);
  if (named) return { words: '-m pytest', because: named, needs: 'pytest' };
  if (has(facts, 'manage.py')) return { words: 'manage.py test', because: 'manage.py', needs: undefined };
  const test = facts.paths.find((path) => /^([\w-]+\/)*(test_\w*|\w*_test|tests)\.py$/.test(path));
  if (test === undefined) return hasRunner(facts);
  const folder = /^(.*)\/[^/]+$/.exec(test)?.[1];
  const start = folder === undefined || has(facts, `${folder}/__init__.py`) ? '' : ` -s ${folder}`;
  return { words: `-m unittest discover${start}`, because: `tests such as ${test}, and nothing names pytest`, needs: undefined };
}

/** Last: they make an environment for every Python that the project supports, and fail where one is not installed. */
function hasRunner(facts: ProjectFacts): PythonTests | undefined {
  if (has(facts, 'tox.ini')) return { words: '-m tox run', because: 'tox.ini', needs: 'tox' };
  return has(facts, 'noxfile.py') ? { words: '-m nox', because: 'noxfile.py', needs: 'nox' } : undefined;
}

function pytestBy(facts: ProjectFacts): string | undefined {
  const config = firstOf(facts, 'pytest.ini', '.pytest.ini', 'pytest.toml');
  if (config) return config;
  const toml = textOf(facts, 'pyproject.toml');
  if (section(toml, 'tool.pytest.ini_options') !== '' || section(toml, 'tool.pytest') !== '') return 'pyproject.toml configures pytest';
  if (section(textOf(facts, 'setup.cfg'), 'tool:pytest') !== '') return 'setup.cfg configures pytest';
  if (section(textOf(facts, 'tox.ini'), 'pytest') !== '') return 'tox.ini configures pytest';
  const conftest = facts.paths.find((path) => /^(|tests?\/|src\/.*)conftest\.py$/.test(path));
  if (conftest) return conftest;
  const files = [
    'pyproject.toml',
    'setup.cfg',
    'setup.py',
    'tox.ini',
    'noxfile.py',
    'Pipfile',
    ...facts.paths.filter((path) => /requirements/.test(path)),
  ];
  const naming = files.find((path) => /\bpytest\b/.test(facts.read(path) ?? ''));
  return naming && `${naming} names pytest`;
}
