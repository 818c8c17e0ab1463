import type { WorkCommit } from './commit-facts.ts';

/** The parts of a subject by Conventional Commits. */
interface Conventional {
  readonly type: string;
  /** Empty when none is obvious. */
  readonly scope: string;
  /** `feat(api)!`: everything before the colon. */
  readonly prefix: string;
  readonly title: string;
}

interface Change {
  readonly title: string;
  readonly tags?: readonly string[];
  readonly commits: readonly WorkCommit[];
  readonly paths?: readonly string[];
}

const PREFIX = /^([a-z]+)(?:\(([^()\n]+)\))?(!?): +(\S.*)/i;
/** The types, the most telling first, for a change that has several. */
const TYPES = ['feat', 'fix', 'perf', 'refactor', 'revert', 'docs', 'test', 'build', 'ci', 'style', 'chore'];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  fix: ['fix', 'fixes', 'bug', 'bugfix', 'correct', 'repair', 'mend', 'hotfix', 'regression'],
  feat: ['feat', 'feature', 'add', 'implement', 'support', 'introduce', 'enhancement', 'allow'],
  docs: ['docs', 'doc', 'document', 'documentation', 'readme'],
  perf: ['perf', 'performance', 'speed', 'optimise', 'optimize'],
  refactor: ['refactor', 'refactoring', 'rename', 'simplify', 'extract', 'restructure'],
  test: ['test', 'tests', 'testing'],
  ci: ['ci', 'pipeline'],
  build: ['build', 'deps', 'dependencies', 'bump', 'upgrade'],
  revert: ['revert'],
};

/** Type and scope of a change: from its title or its commits, else from its tags, the title's first word and its paths. */
export function conventional({ title, tags = [], commits, paths = [] }: Change): Conventional {
  const own = prefixOf(title);
  const written = commits.flatMap(({ message }) => prefixOf(message) ?? []);
  const breaking = [own, ...written].some((one) => one?.breaking) || commits.some(({ message }) => /^BREAKING[ -]CHANGE: /m.test(message));
  const scopes = [...new Set(written.map((one) => one.scope))];
  const type =
    own?.type ??
    TYPES.find((one) => written.some((commit) => commit.type === one)) ??
    tags.map(typeOfWord).find(Boolean) ??
    typeOfWord(title.split(/[\s:]/)[0] ?? '') ??
    typeOfPaths(paths) ??
    'chore';
  const scope = own?.scope || (scopes.length === 1 && scopes[0]) || scopeOf(paths);
  const prefix = `${type}${scope && `(${scope})`}${breaking ? '!' : ''}`;
  return { type, scope, prefix, title: lowered(own?.title ?? title) };
}

function prefixOf(message: string) {
  const [, type = '', scope = '', bang, title = ''] = PREFIX.exec(message.trimStart()) ?? [];
  return TYPES.includes(type.toLowerCase()) ? { type: type.toLowerCase(), scope, breaking: bang === '!', title } : undefined;
}

const typeOfWord = (word: string) => Object.keys(WORDS).find((type) => WORDS[type]!.includes(word.toLowerCase()));

function typeOfPaths(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  if (paths.every((path) => /^docs\/|\.(md|rst|adoc)$/i.test(path))) return 'docs';
  if (paths.every((path) => /(^|\/)(tests?|spec|__tests__)\/|\.(test|spec)\.[a-z]+$/.test(path))) return 'test';
  return undefined;
}

const PLAIN = ['src', 'lib', 'test', 'tests', 'docs', 'doc', 'include', 'bin', 'scripts', 'tools'];
const GROUPS = ['packages', 'apps', 'crates', 'services', 'modules', 'libs', 'plugins'];

/** The one package or folder that holds all paths, if it tells more than `src` does. */
function scopeOf(paths: readonly string[]): string {
  const parts = paths.map((path) => path.split('/'));
  const folders = parts.map(([first = '', second = '', third]) =>
    GROUPS.includes(first) ? (third === undefined ? '' : second) : second && first,
  );
  const [only = ''] = new Set(folders).size === 1 ? folders : [];
  return PLAIN.includes(only) || only.startsWith('.') ? '' : only;
}

/** `Add dates.` as `add dates`; a word with capitals inside, `README` say, stays. */
export function lowered(title: string): string {
  const bare = title.replace(/\.$/, '');
  const [word = ''] = bare.split(' ');
  return /^[A-Z][a-z]*$/.test(word) ? bare[0]!.toLowerCase() + bare.slice(1) : bare;
}
