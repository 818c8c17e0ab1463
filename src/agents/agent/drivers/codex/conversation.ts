import type { Link, Receipt } from '../../driver.ts';
import type { AgentEvent, Decision } from '../../event.ts';
import { Asking } from './asked-by-hook.ts';
import { Deliveries, userInput } from './delivery.ts';
import type { Item, Params, RateLimits, Thread, Turn } from './protocol.ts';
import { askedFor, endOf, failed, questionsOf, requestOf, toolOf, troubleOf, updated, usageOf, userText } from './read.ts';
import type { Reported } from './reported.ts';
import { Requests } from './requests.ts';
import { begin, holds, isRoot, join, loadedRoot, startOf, taskId, turnsOf } from './thread.ts';
import { ifLost, Unanswered, type Wire } from './wire.ts';

const isPrompt = ({ type }: Item) => type === 'userMessage';

/**
 * A turn may have begun a moment before furrow joined: its beginning was reported to others, and its message need not be in the list yet.
 * Without this an agent at work was called idle for its whole first turn on a busy machine.
 */
const isAtWork = ({ status }: Thread, running: Turn | undefined) =>
  running === undefined ? status?.type === 'active' : running.status === 'inProgress';

/** One agent's conversation, over however many connections: what is said there is told to the daemon, in order. */
export class Conversation {
  readonly #link: Link;
  readonly #reported: Reported;
  readonly #deliveries = new Deliveries();
  readonly #requests: Requests;
  readonly #asking: Asking;
  readonly #items = new Map<string, Item>();
  #wire: Wire | undefined;
  #connections = 0;
  #thread: Thread | undefined;
  /** The turn that runs. */
  #turn: string | undefined;
  #last: string | undefined;
  #limits: RateLimits = {};
  #tail: Promise<void> = Promise.resolve();
  #waiting: (() => void)[] = [];

  constructor(link: Link, reported: Reported) {
    this.#link = link;
    this.#reported = reported;
    this.#asking = new Asking(link);
    this.#requests = new Requests((id, result) => this.#connected().answer(id, result));
  }

  opened(wire: Wire): void {
    this.#wire = wire;
    this.#connections += 1;
    this.#then(() => this.#meet(wire));
  }

  lost(): void {
    this.#wire = undefined;
    this.#turn = undefined;
    this.#deliveries.lost();
  }

  /** Resolves when all that was heard so far is told. */
  settled(): Promise<void> {
    return this.#tail;
  }

  /** True when the server is connected, now or within `ms`. */
  async up(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#ready() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
    }
    return this.#ready();
  }

  async deliver(text: string): Promise<Receipt> {
    return this.#deliveries.send(this.#connected(), this.#thread!.id, text);
  }

  /** True when the conversation holds the stamp. A message that joined a running turn appears only when the agent takes it up: undefined until then. */
  async seen(stamp: string): Promise<boolean | undefined> {
    if (!this.#ready()) return undefined;
    try {
      const turns = await turnsOf(this.#connected(), this.#thread!.id, (page) => holds(page, stamp));
      return holds(turns, stamp) || (this.#turn === undefined ? false : undefined);
    } catch {
      return undefined;
    }
  }

  async interrupt(): Promise<void> {
    if (!this.#ready() || this.#turn === undefined) return;
    await this.#connected().call('turn/interrupt', { threadId: this.#thread!.id, turnId: this.#turn }).catch(ifLost);
  }

  /** Receipts are taken at once, even while other events still wait to be reported. */
  message(method: string, params: Params, id: number | string | undefined): void {
    const on = this.#connections;
    if (params.threadId !== undefined && params.threadId === this.#thread?.id) this.#note(method, params);
    this.#then(() => (id === undefined ? this.#told(method, params) : this.#asked(method, params, id, on)));
  }

  #note(method: string, params: Params): void {
    if (method === 'turn/started') this.#turn = params.turn?.id;
    if (method.startsWith('item/') && params.item?.type === 'userMessage') this.#deliveries.arrived(params.item.clientId);
    if (method === 'turn/completed' && params.turn) {
      this.#turn = undefined;
      this.#deliveries.turnEnded(params.turn);
    }
  }

  async #meet(wire: Wire): Promise<void> {
    if (this.#link.request.settings.mode === 'headless') return this.#joined(wire, await begin(wire, this.#link));
    const id = await loadedRoot(wire);
    if (id !== undefined) await this.#follow(id);
  }

  async #follow(id: string): Promise<void> {
    const wire = this.#connected();
    const thread = await join(wire, id);
    // It cannot be joined before its first turn, and the beginning of that is reported to everybody.
    if (thread) await this.#joined(wire, thread);
  }

  /** Reports what happened before furrow joined it, and sends the task where nobody else does. */
  async #joined(wire: Wire, thread: Thread): Promise<void> {
    const on = this.#connections;
    const isNew = this.#thread?.id !== thread.id;
    this.#thread = thread;
    await this.#asking.look(wire, thread);
    const { since } = this.#reported;
    const older = (turn: Turn) => (startOf(turn) ?? since) < since;
    const turns = (await turnsOf(wire, thread.id, (page) => page.some(older))).filter((turn) => !older(turn)).reverse();
    const running = turns.at(-1);
    this.#turn = running?.status === 'inProgress' ? running.id : undefined;
    // A conversation without its first message cannot be resumed: it is reported when it can.
    if (this.#link.request.settings.mode === 'headless') await this.#sendTask(wire, thread, turns);
    if (isNew) await this.#hear({ on: 'ready', session: thread.id, ...(thread.path && { transcript: thread.path }) });
    for (const waiting of this.#waiting.splice(0)) waiting();
    for (const item of turns.flatMap((turn) => turn.items ?? [])) if (isPrompt(item)) await this.#prompt(item);
    if (isAtWork(thread, running) && !running?.items?.some(isPrompt)) await this.#hear({ on: 'prompt', text: this.#link.request.prompt });
    if (running && running.status !== 'inProgress') await this.#ended(running);
    this.#then(() => this.#answeredElsewhere((open) => open.on < on));
  }

  async #sendTask(wire: Wire, thread: Thread, turns: readonly Turn[]): Promise<void> {
    const id = taskId(this.#link, this.#reported.since);
    const sent = turns.some((turn) => (turn.items ?? []).some((item) => item.clientId === id));
    if (!sent && this.#link.request.prompt !== '') await wire.call('turn/start', userInput(thread.id, this.#link.request.prompt, id));
  }

  async #told(method: string, params: Params): Promise<void> {
    if (method === 'account/rateLimits/updated') this.#limits = updated(this.#limits, params.rateLimits ?? {});
    if (method === 'thread/started' && params.thread && isRoot(params.thread) && params.thread.id !== this.#thread?.id) {
      return this.#link.request.settings.mode === 'window' ? this.#follow(params.thread.id) : undefined;
    }
    if (method === 'thread/status/changed' && !this.#thread && this.#wire) return this.#meet(this.#wire);
    if (params.threadId !== this.#thread?.id || this.#thread === undefined) return;
    switch (method) {
      case 'item/started':
        return params.item && this.#began(params.item, params.turnId);
      case 'item/completed':
        return params.item && this.#done(params.item, params.turnId);
      case 'turn/completed':
        return params.turn && this.#ended(params.turn);
      case 'error':
        if (params.willRetry && params.error) await this.#hear({ on: 'retrying', ...troubleOf(params.error, this.#limits) });
        return;
      case 'thread/tokenUsage/updated': {
        const usage = params.tokenUsage && usageOf(params.tokenUsage, this.#thread.model ?? undefined);
        if (usage) await this.#hear({ on: 'usage', session: this.#thread.id, usage });
        return;
      }
      case 'serverRequest/resolved':
        return this.#answeredElsewhere((open) => open.id === params.requestId);
      default:
        return;
    }
  }

  async #began(item: Item, turn: string | undefined): Promise<void> {
    this.#items.set(item.id, item);
    if (isPrompt(item)) return this.#prompt(item);
    const tool = toolOf(item);
    if (tool && !this.#asking.hasAskedFor(item)) await this.#advise(await this.#hear({ on: 'tool', tool }), turn);
  }

  async #done(item: Item, turn: string | undefined): Promise<void> {
    this.#items.delete(item.id);
    if (item.type === 'agentMessage') this.#last = item.text;
    const tool = toolOf(item);
    if (tool) await this.#advise(await this.#hear({ on: 'tool-done', tool, failed: failed(item) }), turn);
  }

  async #prompt(item: Item): Promise<void> {
    if (await this.#reported.prompt(item.id)) await this.#hear({ on: 'prompt', text: userText(item) });
  }

  async #ended(turn: Turn): Promise<void> {
    if (!this.#reported.isNew(turn.id)) return;
    this.#items.clear();
    await this.#answeredElsewhere(() => true);
    const event = endOf(turn, this.#last, this.#limits);
    this.#last = undefined;
    const decision = event && (await this.#hear(event));
    if (decision?.do === 'go-on') {
      await this.#connected().call('turn/start', userInput(this.#thread!.id, decision.text, `furrow-after-${turn.id}`));
    }
    await this.#reported.end(turn.id);
  }

  async #asked(method: string, params: Params, id: number | string, on: number): Promise<void> {
    const item = params.itemId === undefined ? undefined : this.#items.get(params.itemId);
    const request = requestOf(params);
    const tool = askedFor(method, params, item);
    const isQuestion = method === 'item/tool/requestUserInput';
    if (!tool && !isQuestion) return;
    const event: AgentEvent = tool ? { on: 'permission', request, tool } : { on: 'question', request, questions: questionsOf(params) };
    this.#requests.given(request, { id, on, method, params }, async () => {
      const decision = await this.#hear(event);
      // A refusal has no room for its reason, so that follows as a message.
      if (decision.do === 'deny') this.#then(() => this.#advise(decision, params.turnId));
      return decision;
    });
  }

  async #answeredElsewhere(which: Parameters<Requests['resolved']>[0]): Promise<void> {
    for (const request of this.#requests.resolved(which)) await this.#hear({ on: 'answered', request });
  }

  /** Tells the agent something in the turn that runs, and only there: it is about what it just did. */
  async #advise(decision: Decision, turn: string | undefined): Promise<void> {
    const text = decision.do === 'tell' ? decision.text : decision.do === 'deny' ? decision.reason : '';
    if (text === '' || turn === undefined || this.#turn !== turn) return;
    const input = [{ type: 'text', text, text_elements: [] }];
    await this.#connected().call('turn/steer', { threadId: this.#thread!.id, expectedTurnId: turn, input }).catch(ifLost);
  }

  #hear(event: AgentEvent): Promise<Decision> {
    return this.#link.heard(event, 'channel');
  }

  #ready(): boolean {
    return this.#wire !== undefined && this.#thread !== undefined;
  }

  #connected(): Wire {
    if (!this.#wire) throw new Unanswered('codex is not connected');
    return this.#wire;
  }

  /** One after the other: what the daemon hears is in the order in which it happened. */
  #then(step: () => Promise<void> | void | undefined): void {
    this.#tail = this.#tail.then(step).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) this.#link.warn(`codex: ${(error as Error).message}`);
    });
  }
}
