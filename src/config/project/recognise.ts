import { cargo, cmake, go, make, meson } from './compiled.ts';
import { below, has, type ProjectFacts, textOf } from './facts.ts';
import { largeFiles, submodules } from './git-parts.ts';
import { nodeCheck, parseJson } from './node-check.ts';
import { managerOf, nodeRegenerate, nodeSetup, type PackageJson } from './node-manager.ts';
import { buildApart } from './node-prepare.ts';
import { bundler, gradle, maven } from './others.ts';
import { type Candidate, type Proposal, packageOf, programsOf, type Remark } from './proposal.ts';
import { python } from './python.ts';
import { testsWith } from './workflows.ts';

/** In the order in which they are preferred where nothing else decides. */
const KINDS = [node, cargo, go, python, bundler, gradle, maven, cmake, meson, make];

/** Proposes a furrow.yaml for a project, from its tracked files and the programs on this machine. */
export function recognise(facts: ProjectFacts): Proposal {
  const here = candidates(facts);
  const proposal = here.some(({ check }) => check !== undefined) ? whole(facts, here) : (parts(facts) ?? whole(facts, here));
  const remarks = [...proposal.remarks, ...missingPrograms(facts, proposal), ...submodules(facts), ...largeFiles(facts)];
  return { ...proposal, remarks };
}

const candidates = (facts: ProjectFacts): Candidate[] => KINDS.map((kind) => kind(facts)).filter((one) => one !== undefined);

/** One kind for the whole repository: one with a check, of those one that the project's CI tests with, and of those the one with the most source files. */
function whole(facts: ProjectFacts, found: readonly Candidate[]): Proposal {
  const counts = new Map(found.map((one) => [one, facts.paths.filter((path) => one.sources.test(path)).length]));
  // A Makefile often only calls the others.
  const witnessed = new Set(found.filter(({ name, tools }) => name !== 'make' && testsWith(facts, tools)));
  const ranked = found.toSorted(
    (a, b) =>
      Number(b.check !== undefined) - Number(a.check !== undefined) ||
      Number(witnessed.has(b)) - Number(witnessed.has(a)) ||
      weight(counts, b) - weight(counts, a),
  );
  const [chosen, ...rest] = ranked;
  if (!chosen) return { kinds: [], setup: [], checks: [], caches: [], regenerate: [], remarks: [] };
  const why = (one: Candidate) =>
    `${one.because}, ${counts.get(one)} source files${witnessed.has(one) ? ', and its CI tests with it' : ''}`;
  const also = rest.filter(({ name, check }) => check !== undefined && name !== 'make');
  const remarks = also.map(
    ({ name, check }): Remark => ({
      text: `${name} was found too: its check is \`${check!.run}\``,
      next: 'add it to `checks:` in furrow.yaml if it should hold as well',
    }),
  );
  return {
    kinds: ranked.map((one) => ({ name: one.name, because: rest.length === 0 ? one.because : why(one), chosen: one === chosen })),
    setup: chosen.setup,
    checks: chosen.check ? [{ name: 'check', ...chosen.check }] : [],
    caches: chosen.caches,
    regenerate: chosen.regenerate,
    remarks: [...chosen.remarks, ...remarks],
  };
}

/** A build tool that only calls the others does not compete with them. */
const weight = (counts: ReadonlyMap<Candidate, number>, one: Candidate) => (one.name === 'make' ? -1 : counts.get(one)!);

/** Nothing at the root: each folder directly below it that is a project by itself has a check of its own. */
function parts(facts: ProjectFacts): Proposal | undefined {
  const folders = [...new Set(facts.paths.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))))].filter(
    (name) =>
      /^[A-Za-z][\w-]*$/.test(name) &&
      !/^(docs?|examples?|test|tests|scripts|tools|website|fixtures?|vendor|third_party|bench(marks)?)$/.test(name),
  );
  const found = folders
    .map((folder) => ({ folder, own: whole(below(facts, folder), candidates(below(facts, folder))) }))
    .filter(({ own }) => own.checks.length > 0);
  if (found.length === 0) return undefined;
  const inside = (folder: string, run: string) => `cd ${folder} && ${run}`;
  return {
    kinds: found.flatMap(({ folder, own }) =>
      own.kinds.filter((kind) => kind.chosen).map((kind) => ({ ...kind, name: `${kind.name} in ${folder}/` })),
    ),
    setup: found.flatMap(({ folder, own }) => own.setup.map((step) => ({ ...step, run: inside(folder, step.run) }))),
    checks: found.flatMap(({ folder, own }) => own.checks.map((check) => ({ ...check, name: folder, run: inside(folder, check.run) }))),
    caches: found.flatMap(({ folder, own }) => own.caches.map((one) => ({ ...one, path: `${folder}/${one.path}` }))),
    regenerate: found.flatMap(({ folder, own }) =>
      own.regenerate.map((rule) => ({ ...rule, paths: rule.paths.map((path) => `${folder}/${path}`), run: inside(folder, rule.run) })),
    ),
    remarks: found.flatMap(({ own }) => own.remarks),
  };
}

/** Programs that the proposal starts and that this machine has not. Paths are inside the worktree, made by the set-up. */
function missingPrograms(facts: ProjectFacts, { setup, checks }: Pick<Proposal, 'setup' | 'checks'>): Remark[] {
  const programs = [...setup, ...checks].flatMap(({ run }) => programsOf(run)).filter((name) => !name.includes('/'));
  const missing = [...new Set(programs)].filter((name) => !facts.onPath(name));
  return missing.map((name) => ({
    text: `${name} is not on the PATH`,
    next: `install ${packageOf(name)}, or change the line in furrow.yaml`,
  }));
}

/** Caches that build tools of this world keep inside the checkout; each is keyed by content by the tool itself. */
const CACHES: readonly (readonly [file: string, path: string])[] = [
  ['turbo.json', '.turbo'],
  ['nx.json', '.nx/cache'],
];

/** npm, pnpm, yarn and bun: the project has a package.json. */
function node(facts: ProjectFacts): Candidate | undefined {
  const json = parseJson(facts.read('package.json'));
  if (!json) return undefined;
  const manager = managerOf(facts, json);
  const { check, remarks } = nodeCheck(facts, json, manager);
  const built = buildApart(json, manager, { setup: nodeSetup(json, manager), check });
  return {
    name: manager.name === 'berry' ? 'yarn' : manager.name,
    because: manager.because.includes('package.json') ? manager.because : `package.json and ${manager.because}`,
    sources: /\.([cm]?[jt]sx?|vue|svelte|astro)$/,
    tools: /^(npm|npx|pnpm|pnpx|yarn|bun|bunx|node|nr)$/,
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
