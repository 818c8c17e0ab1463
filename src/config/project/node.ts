import { has, type ProjectFacts, textOf } from './facts.ts';
import { nodeCheck, parseJson } from './node-check.ts';
import type { PackageJson } from './node-manager.ts';
import { managerOf, nodeRegenerate, nodeSetup } from './node-manager.ts';
import { buildApart } from './node-prepare.ts';
import type { Candidate, Remark } from './proposal.ts';

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
  const built = buildApart(json, manager, { setup: nodeSetup(json, manager), check });
  return {
    name: manager.name === 'berry' ? 'yarn' : manager.name,
    because: manager.because.includes('package.json') ? manager.because : `package.json and ${manager.because}`,
    sources: /\.([cm]?[jt]sx?|vue|svelte|astro)$/,
    setup: built.setup,
    check: built.check,
    caches: CACHES.filter(([file]) => has(facts, file)).map(([file, path]) => ({ path, because: `${file} is there` })),
    regenerate: nodeRegenerate(manager),
    remarks: [...manager.remarks, ...built.remarks, ...remarks, ...formatter(facts, json)],
  };
}

/** Prettier reads no `.gitignore` below the root, so it would look at furrow's own folder, and at tasks that anybody wrote. */
function formatter(facts: ProjectFacts, json: PackageJson): Remark[] {
  const uses = 'prettier' in { ...json.dependencies, ...json.devDependencies };
  if (!uses || /^\/?\.furrow\b/m.test(textOf(facts, '.prettierignore', '.gitignore'))) return [];
  return [{ text: '`prettier .` also reads .furrow and the tasks on the board', next: "printf '.furrow/\\nboard/\\n' >> .prettierignore" }];
}
