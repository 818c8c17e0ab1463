/** A word of a shell that is a whole path, or the value after an `=`; not a path that the line writes to. */
const PATH = /(?<!>[>|]?\s*["']?)(?:^|[\s"'=;|&(<])(~?\/[^\s"';|&()<>]+)/g;
/** A part that the shell fills in, so the path is not known here. */
const FILLED_IN = /[$`*?[{]/;

/** The paths that command lines name in full: a person who trusts `sh /opt/agent.sh` expects that file to be there. `~` is the home. */
export function namedPaths(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((line) => [...line.matchAll(PATH)].map((match) => match[1]!)))].filter((path) => !FILLED_IN.test(path));
}
