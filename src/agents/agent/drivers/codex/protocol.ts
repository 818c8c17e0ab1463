/**
 * The part of the app-server's protocol (JSON-RPC without the version field, over WebSocket) that furrow speaks. Every
 * field is read as if it might be missing: the protocol is called experimental by its makers.
 */
export interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Params {
  readonly threadId?: string;
  readonly turnId?: string;
  readonly itemId?: string;
  readonly approvalId?: string | null;
  readonly requestId?: number | string;
  readonly thread?: Thread;
  readonly turn?: Turn;
  readonly item?: Item;
  readonly status?: { readonly type: string };
  readonly error?: TurnError;
  readonly willRetry?: boolean;
  readonly tokenUsage?: TokenUsage;
  readonly rateLimits?: RateLimits;
  readonly command?: string | null;
  readonly cwd?: string;
  readonly reason?: string | null;
  readonly grantRoot?: string | null;
  readonly serverName?: string;
  readonly message?: string;
  readonly permissions?: unknown;
  readonly questions?: readonly Question[];
}

export interface Thread {
  readonly id: string;
  readonly ephemeral?: boolean;
  readonly parentThreadId?: string | null;
  readonly model?: string | null;
  readonly path?: string | null;
  readonly status?: { readonly type: string };
}

export interface Turn {
  readonly id: string;
  readonly status: 'inProgress' | 'completed' | 'interrupted' | 'failed';
  readonly items?: readonly Item[];
  readonly error?: TurnError | null;
  /** Unix seconds. */
  readonly startedAt?: number | null;
  readonly completedAt?: number | null;
}

export interface Item {
  readonly type: string;
  readonly id: string;
  readonly clientId?: string | null;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly text?: string;
  readonly command?: string;
  readonly cwd?: string;
  readonly status?: string;
  readonly exitCode?: number | null;
  readonly changes?: readonly { readonly path: string; readonly kind?: { readonly move_path?: string | null } }[];
  readonly server?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly query?: string;
  readonly path?: string;
}

export interface TurnError {
  readonly message: string;
  readonly codexErrorInfo?: unknown;
  readonly additionalDetails?: string | null;
}

interface TokenCount {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens?: number;
  readonly outputTokens: number;
}

export interface TokenUsage {
  readonly total: TokenCount;
  readonly last?: TokenCount;
  readonly modelContextWindow?: number | null;
}

export interface RateLimits {
  readonly primary?: RateWindow | null;
  readonly secondary?: RateWindow | null;
}

interface RateWindow {
  readonly usedPercent: number;
  /** Unix seconds. */
  readonly resetsAt?: number | null;
}

interface Question {
  readonly id: string;
  readonly question: string;
  readonly options?: readonly { readonly label: string }[] | null;
}
