import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Promised } from './violation.ts';

/** A product with one broken part, and the opening in which that must show. */
export interface Mutant {
  readonly name: string;
  readonly opening: string;
  /** The promise that it breaks. A product that breaks another one proves nothing. */
  readonly breaks: Promised;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

export const mutants: readonly Mutant[] = [
  {
    name: 'target-from-head',
    opening: 'target',
    breaks: 'only the target moves',
    edits: [
      {
        file: 'src/daemon/farm/inputs/inputs.ts',
        find: "import type { Repo } from '../../../platform/git/run.ts';",
        replace: "import { type Repo, tryGit } from '../../../platform/git/run.ts';",
      },
      {
        file: 'src/daemon/farm/inputs/inputs.ts',
        find: 'const target = (await readTarget(db)) ?? {',
        replace:
          "const branch = (await tryGit(repo, ['symbolic-ref', '--short', 'HEAD'])).stdout.trim();\n    const target = branch ? { branch, reason: 'it is checked out', since: 1 } : (await readTarget(db)) ?? {",
      },
    ],
  },
  {
    name: 'rules-from-checkout',
    opening: 'rules',
    breaks: 'no red landing',
    edits: [
      {
        file: 'src/config/in-force.ts',
        find: 'if (branch === target) return undefined;',
        replace: "if (branch === target || target !== '') return undefined;",
      },
    ],
  },
  {
    name: 'no-second-look',
    opening: 'switch',
    breaks: 'git status is true',
    edits: [
      {
        file: 'src/repo/merge/publish.ts',
        find: 'const changed = guarded ? undefined : await lookAgain(repo, ref, checkouts, keeperOf);',
        replace: 'const changed: Refusal | undefined = lookAgain.length < 0 && guarded ? refusal(ref) : undefined;',
      },
      {
        file: 'src/repo/merge/publish.ts',
        find: 'if (moved) await bringAlong(',
        replace: 'if (!moved) await bringAlong(',
      },
    ],
  },
  {
    name: 'landing-not-remembered',
    opening: 'taken-out',
    breaks: 'taken out stays out',
    edits: [
      {
        file: 'src/repo/merge/adopt.ts',
        find: 'const had = (commit: string) => landings.get(commit)?.published !== false || !unseen.has(commit);',
        replace: 'const had = (commit: string) => unseen.has(commit) && !landings.has(commit);',
      },
    ],
  },
  {
    name: 'board-reopens',
    opening: 'board',
    breaks: 'no task runs again',
    edits: [
      {
        file: 'src/work/task/file-change.ts',
        find: "on: row.standing === 'parked' && !blocked && (unblocked || moved) ? 'retried' : null",
        replace: "on: (row.standing === 'parked' || row.standing === 'landed') && file.status === 'todo' && moved ? 'retried' : null",
      },
      {
        file: 'src/work/task/state.ts',
        find: "return standing === 'parked' || standing === 'open' ? to('open') : undefined;",
        replace: "return standing === 'parked' || standing === 'landed' || standing === 'open' ? to('open') : undefined;",
      },
    ],
  },
  {
    name: 'looks-set-going',
    opening: 'stopped',
    breaks: 'stopped means stopped',
    edits: [
      {
        file: 'src/daemon/perform.ts',
        find: "return WHILE_STOPPED[kind] === 'waits' && !('asked' in args) && this.#farm.stopped() !== undefined;",
        replace: "return WHILE_STOPPED[kind] === 'waits' && 'never' in args && this.#farm.stopped() !== undefined;",
      },
      {
        file: 'src/daemon/leader/tick.ts',
        find: 'if (farm.stopped() === undefined) await decide(',
        replace: 'if (farm.clock.awake() > 0) await decide(',
      },
      {
        file: 'src/daemon/leader/queue/snapshot.ts',
        find: 'const stopped = farm.stopped() !== undefined;',
        replace: 'const stopped = farm.clock.awake() < 0;',
      },
      {
        file: 'src/api/client.ts',
        find: 'return start && daemon === undefined && this.#path === socketPath(this.#root);',
        replace: 'return !start && daemon === undefined && this.#path === socketPath(this.#root);',
      },
    ],
  },
  {
    name: 'symbolic-target-untold',
    opening: 'symbolic',
    breaks: 'what is stuck is told',
    edits: [
      {
        file: 'src/repo/merge/target-branch.ts',
        find: 'if (!found) return undefined;',
        replace: "if (!found || target !== '') return undefined;",
      },
    ],
  },
  {
    name: 'other-name-left-behind',
    opening: 'symbolic',
    breaks: 'git status is true',
    edits: [
      {
        file: 'src/platform/git/worktrees.ts',
        find: 'if (to === undefined) break;',
        replace: 'if (to === undefined || n === 0) break;',
      },
    ],
  },
  {
    name: 'one-checkout',
    opening: 'worktree',
    breaks: 'git status is true',
    edits: [
      {
        file: 'src/repo/merge/checkouts.ts',
        find: 'else if (branch === ref) found.on.push(',
        replace: 'else if (branch === ref && path === repo.root) found.on.push(',
      },
    ],
  },
  {
    name: 'git-folder-inside',
    opening: 'worktree',
    breaks: 'everything comes to its end',
    edits: [
      {
        file: 'src/repo/merge/checkouts.ts',
        find: 'path === repo.root ? repo.gitDir :',
        replace: "path === repo.root ? join(path, '.git') :",
      },
    ],
  },
  {
    name: 'reverted-is-there',
    opening: 'resubmit',
    breaks: 'reverted work lands again',
    edits: [
      {
        file: 'src/repo/merge/put-back.ts',
        find: 'if (missing.length === 0 && !asBefore.some((path) => open.has(path))) return undefined;',
        replace: 'if (missing.length >= 0) return undefined;',
      },
    ],
  },
  {
    name: 'broken-refs-stay',
    opening: 'clean-ups',
    breaks: 'everything comes to its end',
    edits: [
      {
        file: 'src/platform/git/broken-refs.ts',
        find: "return refs.filter((_, at) => lines[at]?.endsWith(' missing'));",
        replace: "return refs.filter((_, at) => lines[at] === 'never');",
      },
    ],
  },
];

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['bin', 'src', 'page', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** A copy of the product with the mutant's edits, built; gone when the storm ends. */
export interface MutantProduct extends AsyncDisposable {
  readonly bin: string;
}

/** Throws if the source is not as the mutant knows it: a mutant that changes nothing would prove nothing. */
export async function buildMutant({ name, edits }: Pick<Mutant, 'name' | 'edits'>): Promise<MutantProduct> {
  const root = await mkdtemp(join(tmpdir(), 'furrow-mutant-'));
  for (const part of PARTS) await cp(join(ROOT, part), join(root, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const { file, find, replace } of edits) {
    const text = await readFile(join(root, file), 'utf8');
    if (text.split(find).length !== 2) throw new Error(`mutant ${name}: ${file} does not have this exactly once:\n${find}`);
    await writeFile(
      join(root, file),
      text.replace(find, () => replace),
    );
  }
  const built = spawnSync(process.execPath, [join(root, 'tools/build.mjs')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`mutant ${name} does not build:\n${built.stdout}${built.stderr}`);
  return { bin: join(root, 'bin/furrow.cjs'), [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}
