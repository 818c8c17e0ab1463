import { isOnPath } from '../../platform/on-path.ts';

/** A coding agent of this machine, with its settings in a new furrow.yaml. */
export interface FoundAgent {
  readonly name: string;
  readonly settings: string;
}

/** The agents that furrow has drivers for, in the order in which one becomes the default. */
const DRIVEN = ['claude', 'codex', 'opencode', 'gemini'] as const;

/** Agents that speak the Agent Client Protocol, tried with their real programs. `unless`: a program with a driver of its own, which does more. */
const SPEAKING = [
  {
    name: 'qwen',
    program: 'qwen',
    unless: undefined,
    settings: '{ driver: acp, run: qwen --acp --approval-mode default, pass_env: [OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL] }',
  },
  {
    name: 'claude-acp',
    program: 'claude-agent-acp',
    unless: 'claude',
    settings: '{ driver: acp, run: claude-agent-acp, pass_env: [ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN] }',
  },
] as const;

/** Programs by which an agent is found. */
export const AGENT_PROGRAMS = [...DRIVEN, ...SPEAKING.map(({ program }) => program)];

export function agentsOnPath(path: string): FoundAgent[] {
  const there = (program: string | undefined) => program !== undefined && isOnPath(program, path);
  return [
    ...DRIVEN.filter(there).map((name) => ({ name, settings: `{ driver: ${name} }` })),
    ...SPEAKING.filter(({ program, unless }) => there(program) && !there(unless)).map(({ name, settings }) => ({ name, settings })),
  ];
}
