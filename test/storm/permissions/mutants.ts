import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './jail.ts';
import type { World } from './world.ts';

/** The rules with one of them taken out; some line of the storm must then do harm. */
export interface Mutant {
  readonly name: string;
  readonly world: World;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

const rule = (name: string, file: string, find: string, replace: string, world: World = 'plain'): Mutant => ({
  name,
  world,
  edits: [{ file, find, replace }],
});

export const mutants: readonly Mutant[] = [
  rule(
    'a pattern may become an option',
    'agents/agent/permission/shell.ts',
    'if (pattern === undefined) return false;',
    'if (text !== undefined) return false;',
  ),
  rule(
    'an option that is not listed is let through',
    'agents/agent/permission/options.ts',
    'const takes = table.get(name);\n  const value',
    "const takes = table.get(name) ?? 'perhaps';\n  const value",
  ),
  rule(
    '-- is always the separator',
    'agents/agent/permission/options.ts',
    'if (value === undefined || (value.startsWith',
    'if (value === undefined) continue;\n    if ((value.startsWith',
  ),
  rule('zsh reads >! as bash does', 'agents/agent/permission/tokens.ts', '/[$`(){}!]/.test(char)', '/[$`(){}]/.test(char)'),
  rule(
    'links are not followed',
    'daemon/host/agents/permission-policy.ts',
    'real: (path) => orUndefined(() => realPath(path, LINKS)),',
    'real: (path) => join(path),',
  ),
  rule(
    'a link to nothing is a file',
    'daemon/host/agents/permission-policy.ts',
    'if (!isLink) return here;',
    'if (!isLink || links > 0) return here;',
  ),
  rule('patterns find no links', 'agents/agent/permission/path.ts', '?.every((name) =>', '?.every((name) => true ||'),
  rule(
    'a redirect is no edit',
    'agents/agent/permission/line.ts',
    "if (forFiles(rule, 'edit') && some",
    "if (forFiles(rule, 'edit') && asked === undefined && some",
  ),
  rule(
    'a redirect may go anywhere',
    'agents/agent/permission/line.ts',
    "if (against !== undefined) return { do: 'ask'",
    "if (against === '') return { do: 'ask'",
  ),
  rule('a merge brings no links', 'agents/agent/permission/line.ts', 'if (bringsFiles(commands)) return', 'if (bringsFiles([])) return'),
  rule('hooks are what they were', 'agents/agent/permission/line.ts', 'if (hooks.changed ||', 'if (', 'rewritten'),
  rule('hooks may be written to', 'agents/agent/permission/denied.ts', '?.some(isHook)', '?.some(() => false)', 'husky'),
  rule(
    'an editor may be opened',
    'agents/agent/permission/git.ts',
    "if (sub === 'commit') return options",
    "if (sub === 'commitx') return options",
  ),
  rule('a signature may be asked about', 'agents/agent/permission/git.ts', "value?.includes('%G')", "value?.includes('%GG')"),
];

/** The files of the rules, and of what they import. */
const PARTS = ['agents/agent/permission', 'daemon/host/agents/permission-policy.ts', 'repo/change-rules', 'repo/worktree', 'platform'];

/** A copy of the rules with the mutant's edits in it; `gone` takes it away. */
export async function productOf(mutant: Mutant): Promise<{ root: string; gone(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'furrow-mutant-'));
  for (const part of PARTS) await cp(join(ROOT, 'src', part), join(root, 'src', part), { recursive: true });
  // The modules in it are of the kind that the package says.
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  for (const { file, source } of await edited(mutant)) await writeFile(join(root, 'src', file), source);
  return { root, gone: () => rm(root, { recursive: true, force: true }) };
}

/** The sources that a mutant changes. A rule that is not there any more, or twice, is an error. */
export async function edited({ name, edits }: Mutant): Promise<{ file: string; source: string }[]> {
  return Promise.all(
    edits.map(async ({ file, find, replace }) => {
      const source = await readFile(join(ROOT, 'src', file), 'utf8');
      if (source.split(find).length !== 2) throw new Error(`the mutant "${name}" does not fit ${file} any more: ${find}`);
      return { file, source: source.replace(find, () => replace) };
    }),
  );
}
