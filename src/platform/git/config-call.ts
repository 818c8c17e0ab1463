import { FurrowError } from '../error.ts';
import { verbOf } from './at-work.ts';

/** Options that name the file, each with its value in the same word or in the next. */
const FILE = /^(?:--file|--blob)(?:=|$)|^-f/;
/** The person's own files, which are read only: a git of ours has `/dev/null` in their place, and would write beside that. */
const PERSON = new Set(['--global', '--system']);
const READS = /^(?:--get.*|--list|-l)$/;

/**
 * Refuses a `git config` that does not name its file. A git of ours finds the git door (`git-door.ts`) in place of the repository's
 * configuration, and would read and write that.
 */
export function assertConfigNamesFile(args: readonly string[]): void {
  if (verbOf(['git', ...args]) !== 'config') return;
  const words = args.slice(args.indexOf('config') + 1);
  if (words.some((word) => FILE.test(word))) return;
  if (words.some((word) => PERSON.has(word)) && words.some((word) => READS.test(word))) return;
  throw new FurrowError('GIT_CONFIG_PLACE', `git ${args.join(' ')} names no file of its own`, {
    hint: 'git config --file, or the settings that furrow has read itself',
  });
}
