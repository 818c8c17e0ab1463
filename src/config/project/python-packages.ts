import { has, type ProjectFacts, textOf } from './facts.ts';
import { section } from './toml.ts';

const DEV = /^(requirements[-_./](dev|tests?|testing|ci)\.(txt)|(dev|tests?)-requirements\.txt)$/;

/** The project's own, and those for its tests. */
export function requirementsOf(facts: Pick<ProjectFacts, 'paths'>): string[] {
  const dev = facts.paths.filter((path) => DEV.test(path));
  const best = dev.find((path) => /test|ci/.test(path)) ?? dev[0];
  return [...(facts.paths.includes('requirements.txt') ? ['requirements.txt'] : []), ...(best === undefined ? [] : [best])];
}

/** Packages that the tests of a Python project need, pytest among them, as far as its files list them plainly. */
export function testPackages(facts: Omit<ProjectFacts, 'python'>): string[] {
  const known = facts as ProjectFacts;
  if (!['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini'].some((path) => has(known, path)) && requirementsOf(facts).length === 0)
    return [];
  const toml = textOf(known, 'pyproject.toml');
  const lists = [
    listOf(section(toml, 'project'), /^dependencies$/),
    listOf(section(toml, 'project.optional-dependencies'), /^tests?(ing)?$/),
    listOf(section(toml, 'dependency-groups'), /^tests?(ing)?$/),
  ].flat();
  const lines = requirementsOf(facts).flatMap((path) => (facts.read(path) ?? '').split('\n'));
  const setup = /install_requires\s*=\s*\[([^\]]*)\]/.exec(textOf(known, 'setup.py'))?.[1] ?? '';
  const quoted = [...setup.matchAll(/["']([^"']+)["']/g)].map((match) => match[1]!);
  const names = [...lists, ...lines, ...quoted]
    .map((one) => /^\s*([A-Za-z][\w.-]*)(?!.*;)/.exec(one)?.[1]?.toLowerCase())
    .filter((one) => one !== undefined);
  return [...new Set([...names, 'pytest'])];
}

/** The strings of the arrays whose keys match. Those with a condition behind a semicolon may not be needed here. */
function listOf(text: string, key: RegExp): string[] {
  const arrays = [...text.matchAll(/^["']?([\w.-]+)["']?\s*=\s*\[([^\]]*(?:\[[^\]]*\][^\]]*)*)\]/gm)];
  return arrays
    .filter((match) => key.test(match[1]!))
    .flatMap((match) => [...match[2]!.matchAll(/["']([^"']+)["']/g)].map((one) => one[1]!));
}
