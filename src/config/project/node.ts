import { has, type ProjectFacts } from './facts.ts';
import { nodeCheck, parseJson } from './node-check.ts';
import { managerOf, nodeRegenerate, nodeSetup } from './node-manager.ts';
import type { Candidate } from './proposal.ts';

/** Caches that build tools of this world keep inside the checkout; each is keyed by content by the tool itself. */
const CACHES: readonly (readonly [file: string, path: string])[] = [
  ['turbo.json', '.turbo'],
  ['nx.json', '.nx/cache'],
];

/** npm, pnpm, yarn and bun: the project has a package.json. */
export function node(facts: ProjectFacts): Candidate | undefined {
  const json = parseJson(facts.read('package.json'));
  if (!json) return undefined;
  const manager = managerOf(facts, json);
  const { check, remarks } = nodeCheck(facts, json, manager);
  return {
    name: manager.name === 'berry' ? 'yarn' : manager.name,
    because: manager.because.includes('package.json') ? manager.because : `package.json and ${manager.because}`,
    sources: /\.([cm]?[jt]sx?|vue|svelte|astro)$/,
    setup: nodeSetup(json, manager),
    check,
    caches: CACHES.filter(([file]) => has(facts, file)).map(([file, path]) => ({ path, because: `${file} is there` })),
    regenerate: nodeRegenerate(manager),
    remarks: [...manager.remarks, ...remarks],
  };
}
