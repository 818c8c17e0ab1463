import { join } from 'node:path';

const FILES = /^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to): *(.*?)[ \t\r]*$/gm;

/**
 * The files that a patch in codex's own form names. A line of a file's content that looks like one counts too: codex
 * reads some lines of a damaged patch more kindly than others, and a file too many is the smaller mistake.
 */
export function patchedBy(patch: string): string[] {
  return [...patch.matchAll(FILES)].map(([, path]) => path!);
}

/** `apply_patch <<'EOF'`, alone or after one `cd`: codex makes an edit of these command lines instead of running them. */
const LINE = /^\s*(?:cd\s+(?:'([^']+)'|"([^"]+)"|([^\s'"]+))\s*&&\s*)?apply_?patch\s+<<-?\s*(['"]?)(\w+)\4[ \t]*\n([\s\S]*)\n\5\s*$/;

/** The files of a patch that is the whole of a command line; undefined: it is a command like any other. */
export function patchedIn(command: string): string[] | undefined {
  const found = LINE.exec(command);
  const folder = found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
  return found?.[6] === undefined ? undefined : patchedBy(found[6]).map((path) => (path.startsWith('/') ? path : join(folder, path)));
}
