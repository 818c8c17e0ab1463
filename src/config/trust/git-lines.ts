import { type HashedFile, type Line, nameText, quoted } from './line.ts';

/** A setting of the repository's own configuration of git, wherever in the git folder it was found. */
export interface GitSetting {
  readonly key: string;
  /** Undefined: a mere switch. */
  readonly value: string | undefined;
  /** The file that has it, as people know it. */
  readonly file: string;
  /** The git folder that it counts for: empty for the main one, `worktrees/x`, `modules/x`. */
  readonly of: string;
  /** The condition of the include that leads to it. It may hold at any time: a branch is switched without a change of any file. */
  readonly when: string | undefined;
}

/** Everything in a git folder that could make a program run or open a folder. */
export interface GitFolder {
  /** Those that run a program, open a folder or lead elsewhere. */
  readonly settings: readonly GitSetting[];
  /** Hooks on disk that a commit in the main worktree runs. */
  readonly hooks: readonly HashedFile[];
  /** Hooks that other configuration would run, and old files that name remotes. */
  readonly files: readonly (HashedFile & { readonly what: string })[];
  /** Parts of the git folder that are links out of it. */
  readonly links: readonly { readonly path: string; readonly to: string }[];
  /** Commands that an unfinished rebase runs next. */
  readonly steps: readonly string[];
  /** Files that could not be read to their end: nobody can agree to them. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

export const EMPTY_FOLDER: GitFolder = { settings: [], hooks: [], files: [], links: [], steps: [], unread: [] };

/** The lines about what git itself runs and opens in this repository, for the person's git and for that of agents. */
export function gitLines({ settings, files, links, steps, unread }: GitFolder): Line[] {
  const byName = Map.groupBy(settings, nameOf);
  return [
    ...[...byName].map(([name, values]) => line(name, values.map(valueText).join('; then '))),
    ...files.map(({ path, what, hash }) => line(nameText(path), `${what}, content ${hash}`)),
    ...links.map(({ path, to }) => line(nameText(path), `a link to ${quoted(to)}`)),
    ...[...new Set(steps)].map((step) => line(`rebase: ${nameText(step)}`, 'runs when the unfinished rebase goes on')),
    ...unread.map(({ path, why }) => ({ ...line(nameText(path), `cannot be trusted: ${why}`), refuses: true as const })),
  ];
}

const line = (name: string, text: string): Line => ({ group: 'git', name, text });

/** A key that has a password in it, such as `url.https://name:password@host.insteadof`, is shown without. */
const nameOf = ({ key, of }: GitSetting) => `git ${nameText(withoutPassword(key))}${of === '' ? '' : ` of ${nameText(of)}`}`;

function valueText({ value, file, when, of }: GitSetting): string {
  const said = value === undefined ? 'set' : quoted(withoutPassword(value));
  const usual = of === '' ? '.git/config' : undefined;
  return `${said}${file === usual ? '' : ` in ${nameText(file)}`}${when === undefined ? '' : ` when ${nameText(when)}`}`;
}

const withoutPassword = (text: string) => text.replace(/(:\/\/)[^/@\s]+@/g, '$1…@');
