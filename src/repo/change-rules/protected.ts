import { AGENT_FILES, AGENT_PROSE, RUNS_ELSEWHERE } from './defaults.ts';
import { twinMatcher, twinOf } from './twin.ts';

/** The submitter of a change, as far as the rules tell submitters apart. */
type By = 'agent' | 'person' | 'furrow';

/** Everything that decides which paths may not land, and which land only after a yes. */
export interface ProtectRules {
  /** `protect:` of furrow.yaml. */
  readonly protect: readonly string[];
  /** The board's folder, if it is inside the repository. */
  readonly board?: string | undefined;
  /** Files that judge work, and the template of the agents' prompt. */
  readonly checks: readonly string[];
  /** The folder inside the repository that git runs hooks from, by `core.hooksPath`. */
  readonly hooks?: string | undefined;
}

/** Patterns that no agent's work may change: a person's branch may have task files, but no configuration of the board. */
function protectedFor(by: By, { protect, board }: Pick<ProtectRules, 'protect' | 'board'>): string[] {
  const ofBoard = board === undefined ? [] : by === 'agent' ? [`${board}/**`] : [`${board}/config.yml`, `${board}/*/config.yml`];
  return ['furrow.yaml', '.furrow/**', ...AGENT_FILES, ...ofBoard, ...protect];
}

/** The changed paths that may not land through the queue. A revert by furrow is exempt: its content was on the target before. */
export function protectedIn(by: By, rules: Pick<ProtectRules, 'protect' | 'board'>, paths: readonly string[]): string[] {
  if (by === 'furrow') return [];
  const isProtected = twinMatcher(protectedFor(by, rules));
  const isNamed = twinMatcher(rules.protect);
  // `.claude/CLAUDE.md` is prose, unless furrow.yaml protects it.
  return paths.filter((path) => isProtected(path) && (!isProse(path) || isNamed(path)));
}

const isProse = twinMatcher(AGENT_PROSE);
const runsElsewhere = twinMatcher(RUNS_ELSEWHERE);

/** Makes a function that tells whether git runs the file at a path; used before an edit and before a landing. */
export function hookMatcher(hooks: string | undefined): (path: string) => boolean {
  const folder = hooks ? `${twinOf(hooks)}/` : undefined;
  return (path) => folder !== undefined && `${twinOf(path)}/`.startsWith(folder);
}

/** The changed paths that a person should see before they land, whatever furrow.yaml says. */
export function delicateIn({ checks, hooks }: Pick<ProtectRules, 'checks' | 'hooks'>, paths: readonly string[]): string[] {
  const files = new Set(checks.map(twinOf));
  const isHook = hookMatcher(hooks);
  return paths.filter((path) => files.has(twinOf(path)) || isHook(path) || runsElsewhere(path));
}

/** Changed instructions for agents: these are only reported. */
export const proseIn = (paths: readonly string[]): string[] => paths.filter(isProse);

const SHOWN = 5;

/** Some paths as part of a sentence. */
export function named(paths: readonly string[], most = SHOWN): string {
  const more = paths.length > most ? ` and ${paths.length - most} more` : '';
  return `${paths.slice(0, most).join(', ')}${more}`;
}

/** A symbolic link in the target at a guarded path, and the path inside the repository that it leads to. */
export interface ProtectedLink {
  readonly link: string;
  readonly to: string;
}

/** The longest chain of links. */
export const DEEPEST = 4;

/** The paths, and the names that they also have through links. */
export function withLinks(paths: readonly string[], links: readonly ProtectedLink[]): string[] {
  const found = [...paths];
  // The list grows during the loop: a name through one link may have another name through the next.
  for (const path of links.length === 0 ? [] : found)
    for (const { link, to } of links) {
      const name = path === to ? link : path.startsWith(`${to}/`) ? `${link}${path.slice(to.length)}` : undefined;
      if (name !== undefined && !found.includes(name) && found.length < paths.length * (DEEPEST + 1)) found.push(name);
    }
  return found;
}
