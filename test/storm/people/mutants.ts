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
        file: 'src/farm/inputs/inputs.ts',
        find: "import type { Repo } from '../../platform/git/run.ts';",
        replace: "import { type Repo, tryGit } from '../../platform/git/run.ts';",
      },
      {
        file: 'src/farm/inputs/inputs.ts',
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
        file: 'src/merge/publish.ts',
        find: 'const changed = guarded ? undefined : await lookAgain(repo, ref, checkouts, keeperOf);',
        replace: 'const changed: Refusal | undefined = lookAgain.length < 0 && guarded ? refusal(ref) : undefined;',
      },
      {
        file: 'src/merge/publish.ts',
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
        file: 'src/merge/adopt.ts',
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
        file: 'src/task/follow.ts',
        find: "on: row.standing === 'parked' && !blocked && (unblocked || moved) ? 'retried' : null",
        replace: "on: (row.standing === 'parked' || row.standing === 'landed') && file.status === 'todo' && moved ? 'retried' : null",
      },
      {
        file: 'src/task/state.ts',
        find: "return standing === 'parked' || standing === 'open' ? to('open') : undefined;",
        replace: "return standing === 'parked' || standing === 'landed' || standing === 'open' ? to('open') : undefined;",
      },
    ],
  },
];

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['bin', 'src', 'tools/build.mjs', 'tools/bundles.mjs', 'package.json', 'tsconfig.json'];

/** A copy of the product with the mutant's edits, built; gone when the storm ends. */
export interface MutantProduct extends AsyncDisposable {
  readonly bin: string;
}

/** Throws if the source is not as the mutant knows it: a mutant that changes nothing would prove nothing. */
export async function buildMutant({ name, edits }: Mutant): Promise<MutantProduct> {
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
