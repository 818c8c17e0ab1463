import type { Decision } from '../../event.ts';
import type { Params } from './protocol.ts';

interface Open {
  id: number | string;
  /** The connection on which the server last sent it. */
  on: number;
  readonly method: string;
  readonly params: Params;
  decision: Decision | undefined;
  answered: boolean;
}

/**
 * The open requests of the agent. An answer may take as long as a person needs, and the connection may be another one by then:
 * the server gives an open request again to whoever comes back, so it is known by its own name and asked about once.
 */
export class Requests {
  readonly #open = new Map<string, Open>();
  readonly #reply: (id: number | string, result: unknown) => void;

  constructor(reply: (id: number | string, result: unknown) => void) {
    this.#reply = reply;
  }

  /** `ask` is called for a request that is new; the answer is worded and sent when it is known. */
  given(name: string, request: Pick<Open, 'id' | 'on' | 'method' | 'params'>, ask: () => Promise<Decision>): void {
    const known = this.#open.get(name);
    if (known) {
      Object.assign(known, { id: request.id, on: request.on, answered: false });
      this.#send(known);
      return;
    }
    const open: Open = { ...request, decision: undefined, answered: false };
    this.#open.set(name, open);
    void ask().then((decision) => {
      open.decision = decision;
      if (this.#open.get(name) === open) this.#send(open);
    });
  }

  /** The names of those that ended without an answer from here: somebody else gave one, or the turn is over. */
  resolved(which: (open: { id: number | string; on: number }) => boolean): string[] {
    const ended = [...this.#open].filter(([, open]) => which(open));
    for (const [name] of ended) this.#open.delete(name);
    return ended.filter(([, open]) => !open.answered).map(([name]) => name);
  }

  #send(open: Open): void {
    const result = open.decision && worded(open.method, open.params, open.decision);
    if (result === undefined) return;
    try {
      this.#reply(open.id, result);
      open.answered = true;
    } catch {
      // The connection is lost: the server sends the request again on the next one.
    }
  }
}

/** A decision in the protocol's words; undefined leaves the request to the person at the window. */
export function worded(method: string, params: Params, decision: Decision): unknown {
  if (decision.do !== 'allow' && decision.do !== 'deny' && decision.do !== 'answer') return undefined;
  const allowed = decision.do === 'allow';
  switch (method) {
    case 'item/tool/requestUserInput':
      return allowed ? undefined : { answers: answers(params, decision.do === 'answer' ? decision.answers : []) };
    case 'item/permissions/requestApproval':
      return { permissions: allowed ? params.permissions : {}, scope: 'turn' };
    case 'mcpServer/elicitation/request':
      return { action: allowed ? 'accept' : 'decline', content: allowed ? {} : null, _meta: null };
    default:
      // `decline` lets the turn go on; `cancel` would stop it.
      return { decision: allowed ? 'accept' : 'decline' };
  }
}

function answers(params: Params, chosen: readonly (readonly string[])[]): Record<string, { answers: readonly string[] }> {
  const given = (params.questions ?? []).map((question, at) => [question.id, { answers: chosen[at] ?? [] }] as const);
  return Object.fromEntries(given.filter(([, { answers }]) => answers.length > 0));
}
