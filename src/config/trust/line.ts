import { markAllTwins } from '../../platform/look-alike.ts';

/** The parts of the trust screen, in its order, with their headings. */
export const GROUPS = {
  agents: 'agents that start here',
  checks: 'checks',
  setup: 'set-up and generated files',
  passes: 'handed over to agents, or sent away',
  files: 'files that can run commands',
  git: 'what git runs or opens here, by its own configuration',
  rules: 'rules and limits',
} as const;

export type Group = keyof typeof GROUPS;

/** One thing that the repository defines and that runs, passes something on, or limits what runs. */
export interface Line {
  readonly group: Group;
  /** Stable: the same thing has the same name after it was changed. */
  readonly name: string;
  /** Printable, and never the same for two different things: text of the repository is quoted in it. */
  readonly text: string;
  /** Nobody can agree to it, because its subject could not be read. */
  readonly refuses?: true;
}

/** A file, known by the hash of its content. */
export interface HashedFile {
  readonly path: string;
  readonly hash: string;
}

/** Characters that are no visible letter, digit, sign or plain space: controls, marks that turn or hide text, other spaces. */
const UNSEEN = /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu;

/** JSON in which everything that a terminal would not show as it is, or that looks like something else, has become an escape. */
export function quoted(value: unknown): string {
  return markAllTwins((JSON.stringify(value) ?? 'null').replace(UNSEEN, escaped), escaped);
}

const escaped = (char: string) =>
  char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** A path or name as it is where it is plain, else quoted. */
export const nameText = (name: string): string => (PLAIN.test(name) && !name.startsWith('"') ? name : quoted(name));

/** `key: value` for what is set. The values are quoted, so that two different maps never have one text. */
export function mapText(of: Readonly<Record<string, unknown>>): string {
  return Object.entries(of)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${quoted(value)}`)
    .join(', ');
}
