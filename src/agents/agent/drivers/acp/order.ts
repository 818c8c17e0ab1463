/** The order to the program that speaks the Agent Client Protocol for one start of an agent. It holds no secret. */
export interface Order {
  /** The command line that starts the agent. */
  readonly run: string;
  readonly cwd: string;
  /** The attempt's own folder, with the files named below. */
  readonly folder: string;
  readonly promptFile: string;
  /** The conversation to go on with. */
  readonly resume?: string;
  /** The address for what the agent does. */
  readonly hook: string;
  /** The address of furrow's own tools; empty: none. */
  readonly mcp: string;
  readonly agent: string;
  /** False: nobody can type in its window. */
  readonly typed: boolean;
  readonly model?: string;
  readonly effort?: string;
}

/** Below the attempt's folder. */
export const ORDER = 'acp.json';
export const TRANSCRIPT = 'acp-conversation.jsonl';
/** Texts for the agent, each in a file until it is taken. */
export const MAIL = 'acp-mail';
/** There for as long as the agent itself can resume the conversation. */
export const KEPT = 'acp-kept.json';
