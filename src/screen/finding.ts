import { twinMatcher } from './twin.ts';

/** Something in the content of submitted work that a person should see before it lands. */
export type Finding =
  /** `shown`: the start of it. The key itself is never stored or told. */
  | { readonly is: 'key'; readonly path: string; readonly line: number; readonly name: string; readonly shown: string }
  | { readonly is: 'large'; readonly path: string; readonly bytes: number }
  | { readonly is: 'binary'; readonly path: string; readonly bytes: number }
  /** More than can be looked through in reasonable time; `path` is the first that was not. */
  | { readonly is: 'unread'; readonly path: string; readonly files: number }
  /** Scripts of a package.json that differ. */
  | { readonly is: 'scripts'; readonly path: string; readonly names: readonly string[] };

const MEGA = 1024 * 1024;
const KILO = 1024;

const sizeOf = (bytes: number) => (bytes >= MEGA ? `${(bytes / MEGA).toFixed(1)} MB` : `${Math.ceil(bytes / KILO)} KB`);

/** A finding as part of a sentence. */
export function findingText(one: Finding): string {
  switch (one.is) {
    case 'key':
      return `${one.path}:${one.line} looks like a secret (${one.name} ${one.shown})`;
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

/** The findings that are a question before anything lands, whoever submitted it, without those in paths that the farm allows. */
export function screenRule(found: readonly Finding[], allow: readonly string[]): string[] {
  const isAllowed = twinMatcher(allow);
  const left = found.filter((one) => one.is !== 'scripts' && !isAllowed(one.path));
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
  return left.length === 0 ? [] : [`screen: ${left.slice(0, SHOWN).map(findingText).join('; ')}${more}`];
}
