import { basename } from 'node:path';

/** An agent whose way to speak the Agent Client Protocol is known. */
export interface KnownAgent {
  /** The name of its kind. */
  readonly kind: string;
  readonly run: string;
  /** The company that limits and bills it, as other drivers name it. */
  readonly provider: string;
  /** Variables with its login. */
  readonly pass: readonly string[];
}

/** Tried with their real programs; docs/agents.md has the versions and what each lacks. */
export const KNOWN: readonly KnownAgent[] = [
  { kind: 'qwen', run: 'qwen --acp', provider: 'qwen', pass: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'] },
  {
    kind: 'claude-acp',
    run: 'claude-agent-acp',
    provider: 'anthropic',
    pass: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  { kind: 'codex-acp', run: 'codex-acp', provider: 'openai', pass: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_HOME'] },
];

/** Programs that speak it beside their own way, for which there are drivers. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'google', opencode: 'opencode', claude: 'anthropic', codex: 'openai' };

/** The program that a command line starts, after its variables. */
export function programIn(run: string): string {
  const words = run.trim().split(/\s+/);
  return basename(words.find((word) => !/^\w+=/.test(word) && word !== 'env' && word !== 'exec') ?? '');
}

/** The company behind an agent; one that nobody knows is its own. */
export function providerOf(run: string): string {
  const program = programIn(run);
  return KNOWN.find((one) => programIn(one.run) === program)?.provider ?? PROVIDERS[program] ?? program;
}
