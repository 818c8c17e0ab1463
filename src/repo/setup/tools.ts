import { realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { exec } from '../../platform/exec.ts';

/** Programs whose version decides what a command makes, by the word in the command. */
const USES: Readonly<Record<string, readonly string[]>> = {
  npm: ['node', 'npm'],
  npx: ['node', 'npm'],
  node: ['node'],
  pnpm: ['node', 'pnpm'],
  yarn: ['node', 'yarn'],
  corepack: ['node'],
  bun: ['bun'],
  uv: ['uv', 'python3'],
  pip: ['python3', 'pip'],
  pip3: ['python3', 'pip3'],
  python: ['python'],
  python3: ['python3'],
  poetry: ['poetry', 'python3'],
  pipenv: ['pipenv', 'python3'],
  cargo: ['cargo', 'rustc'],
  go: ['go'],
  bundle: ['ruby', 'bundle'],
  mvn: ['java', 'mvn'],
  gradle: ['java', 'gradle'],
  composer: ['php', 'composer'],
};

/** Programs that have another word than `--version`. */
const ASKED: Readonly<Record<string, string>> = { go: 'version', java: '-version' };

/** The known programs that the commands use, sorted. */
export function toolsOf(commands: readonly string[]): string[] {
  const words = commands.flatMap((command) => command.split(/[\s;&|()]+/)).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const wrappers = commands.some((command) => /\b(mvnw|gradlew)\b/.test(command)) ? ['java'] : [];
  return [...new Set([...words.flatMap((word) => (Object.hasOwn(USES, word) ? USES[word]! : [])), ...wrappers])].sort();
}

/** A version is asked for again after this time: a shim of asdf or rustup stays the same file when its program changes. */
const KNOWN_MS = 10 * 60_000;
const ASK_MS = 20_000;

const known = new Map<string, { readonly at: number; readonly said: Promise<string> }>();

/** Each tool with its version text; empty for a program that is not on the PATH. `cwd` is a neutral folder. */
export async function versionsOf(tools: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Promise<string[]> {
  return Promise.all(
    tools.map(async (tool) => {
      const file = await fileOf(tool, env['PATH'] ?? '');
      return `${tool} ${file ? await versionOf(tool, file, env, cwd) : 'none'}`;
    }),
  );
}

async function fileOf(tool: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const found = await realpath(join(folder, tool)).catch(() => undefined);
    const stats = await stat(join(folder, tool)).catch(() => undefined);
    if (stats?.isFile() && (stats.mode & 0o111) !== 0) return `${found} ${stats.ino} ${stats.size} ${stats.ctimeMs}`;
  }
  return undefined;
}

function versionOf(tool: string, file: string, env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  const id = `${tool} ${file}`;
  const before = known.get(id);
  if (before && performance.now() - before.at < KNOWN_MS) return before.said;
  const said = exec([tool, ASKED[tool] ?? '--version'], { cwd, env, timeoutMs: ASK_MS, maxBytes: 4096 }).then(
    (done) => `${done.stdout}${done.stderr}`.split('\n').find(Boolean) ?? '',
    () => '',
  );
  known.set(id, { at: performance.now(), said });
  return said;
}
