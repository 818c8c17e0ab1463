/** The facts that recognition may use: what git tracks, and what this machine has. Ignored and untracked files are not among them. */
export interface ProjectFacts {
  /** Tracked files, relative to the root. */
  readonly paths: readonly string[];
  /** Tracked files with the executable bit. */
  readonly executables: ReadonlySet<string>;
  /** Paths of submodules. */
  readonly modules: readonly string[];
  /** Text of a tracked file, if it was worth reading. */
  read(path: string): string | undefined;
  /** True when a program is on the PATH. */
  onPath(program: string): boolean;
  /** True when `python3` of the PATH can import all of these packages. */
  python(packages: readonly string[]): boolean;
}

/** The part of a project below one folder, seen as if it were the whole. */
export function below(facts: ProjectFacts, folder: string): ProjectFacts {
  const prefix = `${folder}/`;
  const inside = (paths: Iterable<string>) => [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  return {
    ...facts,
    paths: inside(facts.paths),
    executables: new Set(inside(facts.executables)),
    modules: inside(facts.modules),
    read: (path) => facts.read(prefix + path),
  };
}

export const has = (facts: ProjectFacts, path: string): boolean => facts.paths.includes(path);

/** The first of some files that is tracked. */
export const firstOf = (facts: ProjectFacts, ...paths: readonly string[]): string | undefined => paths.find((path) => has(facts, path));

/** The text of the first of some files, or nothing. */
export const textOf = (facts: ProjectFacts, ...paths: readonly string[]): string =>
  paths.map((path) => facts.read(path)).find((text) => text !== undefined) ?? '';

const NAMED =
  /(^|\/)(package\.json|\.nvmrc|\.node-version|pyproject\.toml|setup\.(py|cfg)|tox\.ini|pytest\.ini|noxfile\.py|Cargo\.toml|go\.(mod|work)|Gemfile|Rakefile)$/;
const AT_ROOT =
  /^([Mm]akefile|GNUmakefile|CMakeLists\.txt|meson\.build|justfile|poetry\.lock|yarn\.lock|\.yarnrc\.yml|pnpm-workspace\.yaml|Pipfile|\.gitmodules|\.gitignore|\.prettierignore|\.lfsconfig)$/;
const OTHERS =
  /(^|\/)\.gitattributes$|(^|\/)requirements[^/]*\.(txt|in)$|^requirements\/[^/]+\.(txt|in)$|^[^/]*-requirements\.txt$|^\.github\/workflows\/[^/]+\.ya?ml$|^[^/]+\/([Mm]akefile|CMakeLists\.txt|yarn\.lock|\.yarnrc\.yml)$/;

/** A project has thousands of files; a few tell how it is built. Deep ones are fixtures and examples. */
export function worthReading(path: string): boolean {
  const depth = path.split('/').length;
  return (depth <= 3 && NAMED.test(path)) || AT_ROOT.test(path) || (depth <= 3 && OTHERS.test(path));
}
