import { twinMatcher } from './twin.ts';

/** Something in the content of submitted work that a person should see before it lands. */
export type ContentIssue =
  /** `shown`: the start of the key. The key itself is never stored or shown. */
  | { readonly is: 'key'; readonly path: string; readonly line: number; readonly name: string; readonly shown: string }
  /** In the name of a file, or in the path that a link leads to. */
  | { readonly is: 'named'; readonly path: string; readonly by: 'name' | 'link'; readonly name: string; readonly shown: string }
  /** In the text that lands beside the files: a message, a person's name, a title, the name of a branch. */
  | { readonly is: 'words'; readonly of: string; readonly name: string; readonly shown: string }
  /** There are too many commits to look at one by one; something that one adds and the next removes was not looked for. */
  | { readonly is: 'commits'; readonly count: number }
  | { readonly is: 'large'; readonly path: string; readonly bytes: number }
  | { readonly is: 'binary'; readonly path: string; readonly bytes: number }
  /** There is too much to read in reasonable time; `path` is the first file that was not read. */
  | { readonly is: 'unread'; readonly path: string; readonly files: number }
  /** Scripts of a package.json that differ. */
  | { readonly is: 'scripts'; readonly path: string; readonly names: readonly string[] };

const MEGA = 1024 * 1024;
const KILO = 1024;

const sizeOf = (bytes: number) => (bytes >= MEGA ? `${(bytes / MEGA).toFixed(1)} MB` : `${Math.ceil(bytes / KILO)} KB`);

/** A finding as part of a sentence. */
export function issueText(one: ContentIssue): string {
  switch (one.is) {
    case 'key':
      return `${one.path}:${one.line} looks like a secret (${one.name} ${one.shown})`;
    case 'named':
      return `${one.by === 'name' ? 'the name' : 'the link'} ${one.path} holds what looks like a secret (${one.name} ${one.shown})`;
    case 'words':
      return `${one.of} holds what looks like a secret (${one.name} ${one.shown})`;
    case 'commits':
      return `${one.count} of its commits were too many to look through one by one`;
    case 'large':
      return `${one.path} has ${sizeOf(one.bytes)}`;
    case 'binary':
      return `${one.path} is a new binary file of ${sizeOf(one.bytes)}`;
    case 'unread':
      return `${one.files} files from ${one.path} on were too much to look through`;
    case 'scripts':
      return `${one.path} changes the scripts ${one.names.join(', ')}`;
    default:
      return one satisfies never;
  }
}

const SHOWN = 3;

/** The findings that a person must answer before anything lands, whoever submitted it, without those in paths that the farm allows. */
export function contentRule(found: readonly ContentIssue[], allow: readonly string[]): string[] {
  const isAllowed = twinMatcher(allow);
  const left = found.filter((one) => one.is !== 'scripts' && !('path' in one && isAllowed(one.path)));
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
  return left.length === 0 ? [] : [`screen: ${left.slice(0, SHOWN).map(issueText).join('; ')}${more}`];
}
