/** The files that a command touches, as far as its words name them. */
export interface Effects {
  /** The built-in rule, by name. */
  readonly what: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** It reads whatever is below the folders it was given, or below its own. */
  readonly deep?: boolean;
  /** It goes to the folder it reads, which must be the one it is in: the words after it start from there. */
  readonly stays?: boolean;
  /** Of git, which runs the hooks of its repository: it looks and commits, or brings files of another branch. */
  readonly git?: 'looks' | 'brings';
}
