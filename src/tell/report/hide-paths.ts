import { redact } from '../../platform/redact.ts';
import { clean } from '../../platform/strip-controls.ts';

/** Folders at the root of a machine: they tell its paths from those of web pages, such as `/api/users`. */
const TOPS = 'home|Users|root|tmp|private|var|opt|usr|etc|mnt|media|srv|run|dev|proc|nix|snap|work|data|Volumes|workspaces?';
const ABSOLUTE = new RegExp(`(?<![\\w.:/\\\\-])(?:/(?:${TOPS})|~|[A-Za-z]:\\\\)[/\\\\][^\\s'"\`<>|;,)\\]]+`, 'g');

/** Messages name the file with all of the output; whoever is sent a report does not have it. */
const LOG_FILE = /\s*\bOutput: \S+\.log\b/g;

/**
 * Makes texts fit to leave this machine: no secrets, nothing that a terminal would obey, and no paths of it. What is below the
 * repository keeps its path there; of others the last name stays.
 */
export function scrubber(roots: readonly string[]): <T>(value: T) => T {
  const known = roots.filter((root) => root.length > 1).toSorted((a, b) => b.length - a.length);
  const text = (given: string) => {
    let plain = clean(redact(given));
    for (const root of known) plain = plain.replaceAll(`${root}/`, '').replaceAll(root, '…');
    return plain.replace(LOG_FILE, '').replace(ABSOLUTE, (path) => `…/${path.split(/[/\\]/).findLast((name) => name !== '') ?? ''}`);
  };
  const scrub = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(scrub);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scrub(one)]));
  };
  return scrub as <T>(value: T) => T;
}
