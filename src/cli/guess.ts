import { isOnPath } from '../platform/on-path.ts';

type ReadFile = (name: string) => string | undefined;

/** npm writes this into every new package.json: a test script that is none. */
const NO_TEST = /no test specified/;

/** The command that probably checks the project, by the files at its root; the first that fits. */
export function guessCheck(read: ReadFile): string | undefined {
  const script = testScript(read('package.json'));
  if (script !== undefined && !NO_TEST.test(script)) return `${packageManager(read)} test`;
  if (read('Cargo.toml') !== undefined) return 'cargo test';
  if (read('go.mod') !== undefined) return 'go test ./...';
  if (read('pytest.ini') !== undefined || /pytest/.test(read('pyproject.toml') ?? '') || /pytest/.test(read('setup.cfg') ?? ''))
    return 'pytest -q';
  if (/^test:/m.test(read('Makefile') ?? '')) return 'make test';
  return undefined;
}

function testScript(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { scripts?: { test?: string } }).scripts?.test;
  } catch {
    return undefined;
  }
}

function packageManager(read: ReadFile): string {
  if (read('pnpm-lock.yaml') !== undefined) return 'pnpm';
  return read('yarn.lock') !== undefined ? 'yarn' : 'npm';
}

/** The coding agents that furrow has drivers for, in the order in which one becomes the default. */
const AGENTS = ['claude', 'codex', 'opencode', 'gemini'] as const;

export function agentsOnPath(path: string): string[] {
  return AGENTS.filter((name) => isOnPath(name, path));
}

/** The first `furrow.yaml`: what was found is set, what is usual is there as a comment. */
export function firstConfig(found: { board: string; check: string | undefined; agents: readonly string[] }): string {
  const [first] = found.agents;
  return [
    '# How furrow works on this repository. Every key is optional; docs/reference.md of furrow explains all of them.',
    '# target: main               # default: the default branch',
    `board: ${JSON.stringify(found.board).slice(1, -1)}`,
    'parallel: 4',
    first === undefined ? '# agent: claude              # no coding agent was found on the PATH' : `agent: ${first}`,
    found.agents.length === 0 ? '# agents:' : 'agents:',
    ...found.agents.map((name) => `  ${name}: { driver: ${name} }`),
    '#  script: { driver: command, run: "sh tools/agent.sh" }   # any command that reads $FURROW_PROMPT_FILE',
    found.check === undefined
      ? '# check: npm test            # no check was found; without one, what agents hand in lands unchecked'
      : `check: ${found.check}`,
    '',
  ].join('\n');
}
