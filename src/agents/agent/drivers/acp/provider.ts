import { basename } from 'node:path';

/** The companies behind programs, as other drivers name them: a limit of one agent holds for all of a company. */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'google',
  opencode: 'opencode',
  claude: 'anthropic',
  'claude-agent-acp': 'anthropic',
  codex: 'openai',
  'codex-acp': 'openai',
};

/** The program that a command line starts, after its variables. */
export function programIn(run: string): string {
  const words = run.trim().split(/\s+/);
  return basename(words.find((word) => !/^\w+=/.test(word) && word !== 'env' && word !== 'exec') ?? '');
}

/** The company that limits an agent; one that nobody knows is its own. */
export function providerOf(run: string): string {
  const program = programIn(run);
  return PROVIDERS[program] ?? program;
}
