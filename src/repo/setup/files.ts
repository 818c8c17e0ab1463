import { basename } from 'node:path';
import { matchesAny } from '../../platform/glob.ts';

/** Names of files that decide what a package manager installs, in any folder. */
const NAMES = new Set(
  [
    'package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs yarn.lock .yarnrc .yarnrc.yml',
    'bun.lock bun.lockb .npmrc lerna.json schema.prisma',
    'uv.lock poetry.lock pdm.lock Pipfile Pipfile.lock pyproject.toml setup.py setup.cfg environment.yml',
    'Cargo.lock Cargo.toml go.mod go.sum go.work go.work.sum Gemfile Gemfile.lock composer.json composer.lock mix.exs mix.lock',
    'pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.lockfile gradle-wrapper.properties libs.versions.toml',
    '.nvmrc .node-version .python-version .ruby-version .tool-versions mise.toml rust-toolchain rust-toolchain.toml .gitmodules .gitattributes .lfsconfig',
  ].flatMap((line) => line.split(' ')),
);

const REQUIREMENTS = /(^|\/)(requirements|constraints)[^/]*\.(txt|in)$|(^|\/)requirements\/[^/]+\.(txt|in)$/;

/**
 * True when a file of the tree decides what set-up makes: by its name, by a pattern of `worktree.setup_files`, or because a command names
 * it.
 */
export function determines(path: string, more: readonly string[], named: ReadonlySet<string>): boolean {
  return NAMES.has(basename(path)) || REQUIREMENTS.test(path) || named.has(path) || matchesAny(path, more);
}

/** Words of command lines that may be paths in the tree: `sh tools/setup.sh` depends on the script. */
export function namedPaths(commands: readonly string[]): Set<string> {
  const words = commands.flatMap((command) => command.split(/[\s;&|()<>"'`=]+/));
  const named = new Set(words.map((word) => word.replace(/^\.\//, '')).filter((word) => word !== '' && !word.startsWith('/')));
  if (/(^|[\s;&|(])g?make(\s|$)/.test(commands.join('\n'))) for (const name of ['Makefile', 'makefile', 'GNUmakefile']) named.add(name);
  return named;
}

/** Scripts of package.json that an install runs. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** Fields of package.json that an install reads. */
const FIELDS = [
  'name dependencies devDependencies optionalDependencies peerDependencies peerDependenciesMeta bundleDependencies bundledDependencies',
  'overrides resolutions workspaces engines packageManager pnpm bin os cpu allowScripts trustedDependencies catalogs catalog',
].flatMap((line) => line.split(' '));

/** The parts of a package.json that an install reads, as text; the whole text if it is not JSON. Other scripts are left out. */
export function installParts(text: string): string {
  try {
    const whole = JSON.parse(text) as Record<string, unknown>;
    const scripts = (whole['scripts'] ?? {}) as Record<string, unknown>;
    const parts = [...FIELDS.map((name) => [name, whole[name]]), ...INSTALL_SCRIPTS.map((name) => [`scripts.${name}`, scripts[name]])];
    return JSON.stringify(parts.filter(([, value]) => value !== undefined));
  } catch {
    return text;
  }
}

/** The install scripts of a package.json, as command lines. */
export function installScripts(text: string): string[] {
  try {
    const scripts = (JSON.parse(text) as { scripts?: Record<string, unknown> }).scripts ?? {};
    return INSTALL_SCRIPTS.flatMap((name) => (typeof scripts[name] === 'string' ? [scripts[name]] : []));
  } catch {
    return [];
  }
}
