import { EventEmitter, once } from 'node:events';
import type { AgentQuestion, Decision, ToolUse } from '../../../agents/agent/event.ts';
import { TIMER_MS } from '../../../platform/clock.ts';
import type { Question } from '../../../work/question/store.ts';
import type { OpenRequest } from '../../farm/leader-answers.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt } from './running.ts';

/** A request that an agent waits for: permission to use a tool, or an answer of a person. */
export interface Request {
  readonly kind: 'permission' | 'question';
  /** The agent's own name for it. */
  readonly request: string;
  readonly reason: string;
  readonly tool?: ToolUse;
  readonly questions?: readonly AgentQuestion[];
  readonly suggest?: 'allow' | 'deny';
  /** The folder that the tool is used in. */
  readonly folder?: string;
  /** The verdict of the rules on it, in words. */
  readonly rules?: string;
}

type Asking = Pick<Question, 'id' | 'kind' | 'subject'>;

type Done = (text: string | undefined, how: string) => void;

/** An agent whose daemon was started anew asks it again within a second. */
const REACH_MS = 3000;
const LATE = 'deny: nobody answered in time';

/** The requests of agents to people, while the agents wait for their answers. */
export class Requests {
  readonly #farm: Host;
  readonly #waiting = new Map<number, Done>();
  readonly #arrivals = new EventEmitter();

  constructor(farm: Host) {
    this.#farm = farm;
  }

  /** Asks a person and waits: for their words, for the time to run out (a no), or for nobody to wait any more (undefined). */
  async ask(running: RunningAttempt, request: Request, signal: AbortSignal): Promise<string | undefined> {
    const farm = this.#farm;
    const { expires, ...question } = await open(farm, running, request);
    const { id } = question;
    farm.wake();
    // A reopened connection reports it again: whoever waited for it on the old one gets no answer.
    this.#waiting.get(id)?.(undefined, '');
    const { promise, resolve } = Promise.withResolvers<{ text: string | undefined; how: string }>();
    const done: Done = (given, why) => resolve({ text: given, how: why });
    this.#waiting.set(id, done);
    this.#arrivals.emit(String(id));
    const late = setTimeout(() => done(LATE, 'denied: nobody answered in time'), Math.min((expires ?? 0) - farm.clock.awake(), TIMER_MS));
    late.unref();
    signal.addEventListener('abort', () => done(undefined, ''), { once: true });
    if (signal.aborted) done(undefined, '');
    const { text, how } = await promise;
    clearTimeout(late);
    if (this.#waiting.get(id) === done) this.#waiting.delete(id);
    // The daemon is ending, or the agent is: the question stays for whoever comes next.
    if (how !== '') await close(farm, question, running, how);
    return text;
  }

  /** Hands a person's answer to the agent that waits, or is about to; false when no way leads to it. */
  async answer(question: number, text: string): Promise<boolean> {
    const arrives = () => once(this.#arrivals, String(question), { signal: AbortSignal.timeout(REACH_MS) });
    if (!this.#waiting.has(question)) await arrives().catch(() => {});
    const done = this.#waiting.get(question);
    done?.(text, `answered: ${text}`);
    return done !== undefined;
  }

  /** Somebody answered in the window; `request`: '' for all that were open there. */
  async answeredInWindow(running: RunningAttempt, request: string): Promise<void> {
    for (const row of await this.#farm.leader.requests.of(running.agent)) {
      const data = JSON.parse(row.data ?? '{}') as { request?: string; attempt?: number };
      if (data.attempt !== running.attempt || (request !== '' && data.request !== request)) continue;
      const done = this.#waiting.get(row.id);
      if (done) done(undefined, 'answered in its window');
      else await close(this.#farm, row, running, 'answered in its window');
    }
  }
}

/** `allow`, `yes`, `deny`, `deny: why not`; any other words are a no with a reason. */
export function readLeave(text: string): Decision {
  const [, word = '', rest = ''] = /^\s*(\w+)\s*[:,.]?\s*([\s\S]*)$/.exec(text) ?? [];
  if (/^(allow|yes|y|ok)$/i.test(word) && rest === '') return { do: 'allow' };
  if (/^(deny|no|n)$/i.test(word)) return { do: 'deny', reason: rest || 'a person said no' };
  return { do: 'deny', reason: text };
}

/** One answer for each question, `;` between them; labels of options may be several, with `,` between them. */
export function readAnswers(text: string, questions: readonly AgentQuestion[]): Decision {
  const parts = questions.length > 1 ? text.split(';') : [text];
  const answers = questions.map(({ options }, n) => {
    const given = (parts[n] ?? text).trim();
    const labelOf = (words: string) => options.find((option) => option.toLowerCase() === words.trim().toLowerCase());
    // A label may hold a comma itself.
    const whole = labelOf(given);
    const labels = whole === undefined ? given.split(',').map(labelOf) : [whole];
    return labels.every((label) => label !== undefined) ? labels : [given];
  });
  return { do: 'answer', answers };
}

/** One question with one end for each request, also when a reopened connection reports the request again. */
async function open(farm: Host, running: RunningAttempt, request: Request): Promise<OpenRequest> {
  const { kind, reason, ...rest } = request;
  const { agent, task, n: attempt } = running;
  const expires = farm.clock.awake() + farm.config.permissions.timeout;
  const data = JSON.stringify({ ...rest, attempt: running.attempt });
  const answers = kind === 'permission' ? 'allow|deny' : 'TEXT';
  const told = { suggest: request.suggest ?? null };
  return farm.leader.requests.open({ kind, reason, agent, task, attempt, data, expires, answers, told }, request.request);
}

async function close(farm: Host, { id, kind, subject }: Asking, { agent, n: attempt }: RunningAttempt, answer: string): Promise<void> {
  await farm.report({ answered: [{ question: { id, kind, subject }, agent, attempt, answer }] });
  farm.wake();
}
