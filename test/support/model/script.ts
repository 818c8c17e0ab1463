/** One line of a script, as it is written in a task. */
export type Entry =
  | { readonly sh: string; readonly say?: string; readonly usage?: Tokens }
  | { readonly write: { readonly path: string; readonly text: string }; readonly say?: string; readonly usage?: Tokens }
  | { readonly ask: Asking; readonly say?: string; readonly usage?: Tokens }
  /** A command that the agent's own sandbox would stop: with leave, outside of it. */
  | { readonly escalate: string; readonly say?: string; readonly usage?: Tokens }
  | { readonly mcp: McpCall; readonly say?: string; readonly usage?: Tokens }
  | { readonly say: string; readonly usage?: Tokens }
  /** Before the next answer. */
  | { readonly delay: number }
  /** Nothing is answered until the test releases it. */
  | { readonly hold: string }
  /** Instead of the next answer: the first `times` requests, or all of them. */
  | { readonly error: number; readonly message?: string; readonly retryAfter?: number; readonly times?: number }
  /** Too long for the model: the conversation that is here first, for good; `times` counts requests instead. */
  | { readonly overflow: true; readonly times?: number };

export interface Asking {
  readonly question: string;
  readonly options: readonly string[];
}

export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What one answer used. */
export interface Tokens {
  readonly in: number;
  readonly out: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What a request has to get past before it is answered. */
export type Hurdle =
  | { readonly is: 'delay'; readonly ms: number }
  | { readonly is: 'hold'; readonly name: string }
  | { readonly is: 'error'; readonly failure: Failure; readonly times: number }
  | { readonly is: 'overflow'; readonly times: number | undefined };

export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number | undefined;
}

export type Wish =
  | { readonly tool: 'shell'; readonly command: string; readonly escalated: boolean }
  | { readonly tool: 'write'; readonly path: string; readonly text: string }
  | ({ readonly tool: 'ask' } & Asking)
  | { readonly tool: 'mcp'; readonly call: McpCall };

/** One answer of the model: words, and perhaps a tool. */
export interface Step {
  readonly hurdles: readonly Hurdle[];
  readonly say: string;
  readonly wish?: Wish | undefined;
  readonly usage?: Tokens | undefined;
}

export type Plans = Readonly<Record<string, readonly Entry[]>>;

export const PLANS: Plans = {
  text: [{ say: 'Hello, this is a plain answer.' }],
  commit: [{ sh: 'echo stub > stub.txt && git add stub.txt && git commit -q -m "stub commit"' }, { say: 'stub.txt is committed.' }],
  ask: [{ ask: { question: 'Which database?', options: ['Postgres', 'SQLite'] } }, { say: 'Thank you.' }],
  unauthorized: [{ error: 401 }],
  limited: [{ error: 429, retryAfter: 3600 }],
  overloaded: [{ error: 529 }],
  broken: [{ error: 500 }],
};

/** The directive that a task carries. */
export const steps = (...entries: Entry[]): string => `[[steps: ${JSON.stringify(entries)}]]`;

/** The steps of a directive. Past the last one the model has nothing more to do, and says so. */
export function scriptOf(directive: string | undefined, plans: Plans): Step[] {
  const entries = directive === undefined ? [] : entriesOf(directive, plans);
  const found: Step[] = [];
  let hurdles: Hurdle[] = [];
  for (const entry of entries) {
    const hurdle = hurdleOf(entry);
    if (hurdle) hurdles.push(hurdle);
    else {
      found.push({
        hurdles,
        say: 'say' in entry ? (entry.say ?? '') : '',
        wish: wishOf(entry),
        usage: 'usage' in entry ? entry.usage : undefined,
      });
      hurdles = [];
    }
  }
  return [...found, { hurdles, say: 'There is nothing more to do.' }];
}

function entriesOf(directive: string, plans: Plans): readonly Entry[] {
  const [, kind, text] = /^(plan|steps) ([\s\S]*)$/.exec(directive)!;
  if (kind === 'steps') return JSON.parse(text!) as Entry[];
  return plans[text!] ?? [{ say: `There is no plan ${text}.` }];
}

function hurdleOf(entry: Entry): Hurdle | undefined {
  if ('delay' in entry) return { is: 'delay', ms: entry.delay };
  if ('hold' in entry) return { is: 'hold', name: entry.hold };
  if ('overflow' in entry) return { is: 'overflow', times: entry.times };
  if (!('error' in entry)) return undefined;
  const failure = { status: entry.error, message: entry.message ?? `The stub answers ${entry.error}.`, retryAfter: entry.retryAfter };
  return { is: 'error', failure, times: entry.times ?? Number.POSITIVE_INFINITY };
}

function wishOf(entry: Entry): Wish | undefined {
  if ('sh' in entry) return { tool: 'shell', command: entry.sh, escalated: false };
  if ('escalate' in entry) return { tool: 'shell', command: entry.escalate, escalated: true };
  if ('write' in entry) return { tool: 'write', ...entry.write };
  if ('ask' in entry) return { tool: 'ask', ...entry.ask };
  return 'mcp' in entry ? { tool: 'mcp', call: entry.mcp } : undefined;
}
