import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { firstOf, type ProjectFacts } from './facts.ts';
import { parseJson } from './node-check.ts';

/** The Node that a project asks for, and the file that says so. */
export interface NodeWish {
  /** `package.json (engines.node)`, `.nvmrc`. */
  readonly where: string;
  /** As npm reads ranges. */
  readonly range: string;
}

/** Names of long-term lines, as nvm knows them. */
const LINES: Readonly<Record<string, number>> = {
  fermium: 14,
  gallium: 16,
  hydrogen: 18,
  iron: 20,
  jod: 22,
  krypton: 24,
};

/** The Node versions that a project asks for. A project that installs its own, the package `node`, uses no other. */
export function nodeWishes(facts: ProjectFacts): NodeWish[] {
  const json = parseJson(facts.read('package.json'));
  if (json?.dependencies?.['node'] !== undefined || json?.devDependencies?.['node'] !== undefined) return [];
  const engines = json?.engines?.node;
  const file = firstOf(facts, '.nvmrc', '.node-version');
  const named = file === undefined ? undefined : rangeIn(facts.read(file) ?? '');
  return [
    ...(typeof engines === 'string' ? [{ where: 'package.json (engines.node)', range: engines }] : []),
    ...(file !== undefined && named !== undefined ? [{ where: file, range: named }] : []),
  ];
}

/** `v20.11.0`, `20`, `lts/iron`; `undefined` for words that mean whatever is newest. */
function rangeIn(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((one) => one.replace(/#.*/, '').trim())
    .find(Boolean);
  const name = /^lts\/(\w+)$/.exec(line ?? '')?.[1]?.toLowerCase();
  if (name !== undefined) return LINES[name] === undefined ? undefined : String(LINES[name]);
  return line !== undefined && /^v?\d+(\.\d+){0,2}$/.test(line) ? line : undefined;
}

/** The wishes that a version does not meet. A range that cannot be read is ignored. */
export const unmet = (wishes: readonly NodeWish[], version: string): NodeWish[] =>
  wishes.filter(({ range }) => inRange(version, range) === false);

/** True when a version is in a range as npm reads it; `undefined` when the range cannot be read. A pre-release counts as its release. */
export function inRange(version: string, range: string): boolean | undefined {
  return validRange(range) === null ? undefined : satisfies(version.replace(/-.*/, ''), range);
}
