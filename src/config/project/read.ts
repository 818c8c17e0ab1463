import { exec } from '../../platform/exec.ts';
import { readBlobs } from '../../platform/git/blobs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { isOnPath } from '../../platform/on-path.ts';
import { type ProjectFacts, worthReading } from './facts.ts';
import { testPackages } from './python-packages.ts';

/** Enough for every manifest of a large workspace. */
const MOST_FILES = 400;
const MOST_BYTES = 512 * 1024;

interface Tracked {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** Reads what recognition needs from git: of a commit, or of the index, which has what the user is about to commit. */
export async function readProject(repo: Repo, path: string, commit?: string): Promise<ProjectFacts> {
  const list = commit === undefined ? ['ls-files', '--stage', '-z'] : ['ls-tree', '-r', '-z', '--full-tree', commit];
  const files = (await git(repo, list)).split('\0').flatMap(trackedOf);
  const plain = files.filter((file) => file.mode.startsWith('100'));
  const wanted = plain.filter((file) => worthReading(file.path)).slice(0, MOST_FILES);
  const blobs = await readBlobs(
    repo,
    { git: {} },
    wanted.map((file) => file.oid),
  );
  const texts = new Map(wanted.map((file, at) => [file.path, blobs[at]]));
  const facts: Omit<ProjectFacts, 'python'> = {
    paths: plain.map((file) => file.path),
    executables: new Set(plain.filter((file) => file.mode === '100755').map((file) => file.path)),
    modules: files.filter((file) => file.mode === '160000').map((file) => file.path),
    read: (name) => {
      const bytes = texts.get(name);
      return bytes === undefined || bytes.length > MOST_BYTES ? undefined : bytes.toString('utf8');
    },
    onPath: (program) => isOnPath(program, path),
  };
  const here = await importable(path, testPackages(facts));
  return { ...facts, python: (packages) => packages.every((name) => here.has(name)) };
}

/** Of `ls-files --stage` (`mode oid stage\tpath`) and `ls-tree` (`mode type oid\tpath`) alike. */
function trackedOf(line: string): Tracked[] {
  const [, mode, oid, path] = /^(\d{6}) (?:\w+ )?([0-9a-f]{40,64})(?: \d)?\t(.+)$/s.exec(line) ?? [];
  return mode && oid && path ? [{ mode, oid, path }] : [];
}

/** Asked from outside the repository, in isolated mode: nothing of the repository may be run by looking at it. */
async function importable(path: string, packages: readonly string[]): Promise<ReadonlySet<string>> {
  if (packages.length === 0 || !isOnPath('python3', path)) return new Set();
  const code = 'import importlib.util as u, sys\nfor n in sys.argv[1:]:\n  if u.find_spec(n): print(n)';
  const modules = packages.map((name) => name.replaceAll('-', '_'));
  const done = await exec(['python3', '-I', '-c', code, ...modules], {
    cwd: '/',
    env: { PATH: path, HOME: process.env['HOME'] ?? '/' },
    timeoutMs: 10_000,
  }).catch(() => undefined);
  const found = new Set(done?.stdout.split('\n') ?? []);
  return new Set(packages.filter((_, at) => found.has(modules[at]!)));
}
