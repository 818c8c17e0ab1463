import { redact } from '../../platform/redact.ts';
import { beginning, visible } from '../../platform/visible.ts';
import type { ScreenReading } from '../agent/driver.ts';
import type { AgentEvent, AgentQuestion, Source, ToolUse, Trouble } from '../agent/event.ts';

/** The last report of one source. `since`: the first time it said so; `at`: the last. */
export interface Statement {
  readonly state: 'idle' | 'working' | 'waiting' | 'limited' | 'stopped' | 'unknown';
  readonly detail: string | null;
  readonly text: string | null;
  readonly since: number;
  readonly at: number;
  readonly until: number | null;
}

interface ScreenStatement extends Statement {
  /** The text in the input line: a person's half-written text is not ours to send. */
  readonly draft: string | null;
}

/** A prompt of the agent that nobody has answered yet. */
interface OpenRequest {
  readonly request: string;
  readonly detail: 'permission' | 'question';
  /** The use of a tool that it is about: its end closes the request when a person answered in the window. */
  readonly use: string;
  readonly text: string;
  readonly at: number;
}

/** Everything heard and seen of the agent of one attempt; `derive` interprets it. */
export interface Signals {
  readonly startedAt: number;
  /** The newest sign of life: by hook, channel or transcript. Not usage (a status line tells it every second), not a look. */
  readonly lastAt: number;
  /** Hooks and control channel: the agent's own word. */
  readonly own?: Statement;
  readonly transcript?: Statement;
  readonly title?: Statement;
  readonly screen?: ScreenStatement;
  readonly open: readonly OpenRequest[];
  readonly turnOpen: boolean;
  /** Turns that ended, in whatever way. */
  readonly turns: number;
  /** The conversation, as the agent knows it; absent until it has said its name. */
  readonly session?: string;
  readonly transcriptPath?: string;
  readonly usageContext?: number;
  /** When a person last did something in its window. */
  readonly humanAt?: number;
}

type Slot = 'own' | 'transcript' | 'title' | 'screen';
type Said = Pick<Statement, 'state'> & Partial<Pick<Statement, 'detail' | 'text' | 'until'>>;

const SLOT: Record<Source, Slot> = { hook: 'own', channel: 'own', transcript: 'transcript', title: 'title', screen: 'screen' };
/** Enough to recognise it; the whole request is in the event. */
const TEXT_LENGTH = 300;

export function emptySignals(at: number): Signals {
  return { startedAt: at, lastAt: at, open: [], turnOpen: false, turns: 0 };
}

/**
 * The process was started again for the same attempt: what the old one was doing is over. A new conversation is not to be
 * mistaken for the one before, until it has said its own name.
 */
export function relaunched(signals: Signals, at: number, sameConversation: boolean): Signals {
  const { session, transcriptPath, turns, humanAt } = signals;
  return {
    ...emptySignals(at),
    turns,
    ...(session && sameConversation && { session }),
    ...(transcriptPath && { transcriptPath }),
    ...(humanAt && { humanAt }),
  };
}

/** Forgets the conversation: the new process has started another one, and has not named it yet. */
export function withoutConversation({ session: _, ...rest }: Signals): Signals {
  return rest;
}

/** A person typed, clicked or attached there. */
export function foldHuman(signals: Signals, at: number): Signals {
  return { ...signals, humanAt: Math.max(signals.humanAt ?? 0, at) };
}

/** Sets the end of a limit for which the provider named no time. */
export function heldUntil(signals: Signals, until: number | undefined): Signals {
  const { own } = signals;
  if (own?.state !== 'limited' || own.until !== null || signals.turnOpen || until === undefined) return signals;
  return { ...signals, own: { ...own, until } };
}

/** Closes a request that furrow itself answered; the agent's own `answered` then finds none open, and counts as no person's answer. */
export function closeRequest(signals: Signals, request: string): Signals {
  return { ...signals, open: signals.open.filter((open) => open.request !== request) };
}

export function foldTitle(signals: Signals, reading: Pick<ScreenReading, 'state' | 'detail'> | undefined, at: number): Signals {
  return hear(signals, 'title', placed(reading ?? { state: 'unknown' }), at);
}

export function foldScreen(signals: Signals, reading: ScreenReading, at: number): Signals {
  return look(signals, placed(reading), reading.draft ?? null, at);
}

/** Takes in one event. The same event again, at the same time or later, changes nothing but the times. */
export function fold(signals: Signals, event: AgentEvent, source: Source, at: number): Signals {
  const slot = SLOT[source];
  const alive = event.on !== 'usage' && (slot === 'own' || slot === 'transcript');
  const seen = alive ? { ...signals, lastAt: Math.max(signals.lastAt, at) } : signals;
  // A transcript is read late: once there are hooks or a channel, they alone open turns and end them in the usual way.
  const leads = slot === 'own' || signals.own === undefined;
  const work = (from: Signals) => hear(leads ? { ...from, turnOpen: true } : from, slot, { state: 'working' }, at);
  switch (event.on) {
    case 'ready':
      return begin(seen, event, slot, at);
    case 'prompt':
    case 'tool':
      return work(seen);
    case 'tool-done': {
      const rest = { ...seen, open: seen.open.filter((open) => open.use !== useOf(event.tool)) };
      // After Esc the tool that ran still reports its end; that is no new work.
      return seen.turnOpen || seen[slot] === undefined ? work(rest) : rest;
    }
    case 'permission':
    case 'question':
      return work(request(seen, openRequest(event, at)));
    case 'answered':
      if (!seen.open.some((open) => open.request === event.request)) return seen;
      return work(foldHuman(closeRequest(seen, event.request), at));
    case 'turn-ended':
      return hear(leads ? endTurn(seen) : seen, slot, { state: 'idle', detail: 'turn-ended', text: clip(event.last) }, at);
    case 'turn-failed':
      return hear(endTurn(seen), slot, trouble(event), at);
    case 'retrying':
      return hear(seen, slot, trouble(event), at);
    case 'interrupted':
      return hear(foldHuman(endTurn(seen), at), slot, { state: 'idle', detail: 'interrupted' }, at);
    case 'usage':
      return event.usage.context === undefined ? seen : { ...seen, usageContext: event.usage.context };
    case 'closed':
      return hear({ ...seen, open: [], turnOpen: false }, slot, { state: 'stopped', detail: 'closed', text: clip(event.reason) }, at);
    default:
      return event satisfies never;
  }
}

const TROUBLE: Record<Trouble, Said> = {
  auth: { state: 'waiting', detail: 'auth' },
  limit: { state: 'limited', detail: 'limit' },
  overloaded: { state: 'limited', detail: 'overloaded' },
  context: { state: 'idle', detail: 'context' },
  error: { state: 'idle', detail: 'error' },
};

/** An agent is `ready` again in the middle of a turn when it compacts; only another conversation is a new beginning. */
function begin(signals: Signals, event: AgentEvent & { on: 'ready' }, slot: Slot, at: number): Signals {
  const other = signals.session !== undefined && signals.session !== event.session;
  const { transcriptPath, ...rest } = signals;
  const path = event.transcript ?? (other ? undefined : transcriptPath);
  const known: Signals = { ...rest, session: event.session, ...(path !== undefined && { transcriptPath: path }) };
  if (other) return hear({ ...known, open: [], turnOpen: false }, slot, { state: 'idle' }, at);
  return known[slot] === undefined ? hear(known, slot, { state: 'idle' }, at) : known;
}

function trouble({ on, why, text, until }: AgentEvent & { on: 'turn-failed' | 'retrying' }): Said {
  // A login that fails does not get better by trying: opencode goes on without end.
  const said: Said = on === 'turn-failed' || why === 'auth' ? TROUBLE[why] : { state: 'limited', detail: 'retrying' };
  return { ...said, text: clip(text), until: until ?? null };
}

function openRequest(event: AgentEvent & { on: 'permission' | 'question' }, at: number): OpenRequest {
  const { on: detail, request } = event;
  if (event.on === 'question') return { request, detail, use: '', text: asked(event.questions), at };
  return { request, detail, use: useOf(event.tool), text: about(event.tool), at };
}

function request(signals: Signals, open: OpenRequest): Signals {
  return signals.open.some((other) => other.request === open.request) ? signals : { ...signals, open: [...signals.open, open] };
}

/** Counted once, however many sources tell of it; the first one even when its beginning was missed. */
function endTurn(signals: Signals): Signals {
  const counts = signals.turnOpen || signals.turns === 0;
  return { ...signals, open: [], turnOpen: false, turns: signals.turns + (counts ? 1 : 0) };
}

function hear(signals: Signals, slot: Slot, said: Said, at: number): Signals {
  return slot === 'screen' ? look(signals, said, null, at) : { ...signals, [slot]: next(signals[slot], said, at) };
}

function look(signals: Signals, said: Said, draft: string | null, at: number): Signals {
  return { ...signals, screen: { ...next(signals.screen, said, at), draft } };
}

function next(before: Statement | undefined, said: Said, at: number): Statement {
  const { state, detail = null, text = null, until = null } = said;
  const same = before !== undefined && before.state === state && before.detail === detail;
  return { state, detail, text, until, at, since: same ? before.since : at };
}

/** The state that a screen shows; a dialog that only a person can answer always counts as waiting. */
function placed({ state, detail }: Pick<ScreenReading, 'state' | 'detail'>): Said {
  const stands = detail === 'auth' || detail === 'login' || detail === 'trust';
  return { state: stands ? 'waiting' : state, detail: detail ?? null };
}

const useOf = (tool: ToolUse): string => [tool.name, tool.command ?? tool.paths.join(' ')].join(' ');
const about = (tool: ToolUse): string => shown(tool.command ?? [tool.name, ...tool.paths].join(' '));
const asked = (questions: readonly AgentQuestion[]): string => shown(questions.map((question) => question.text).join(' / '));
const shown = (text: string): string => beginning(visible(redact(text)), TEXT_LENGTH, 'furrow next');

function clip(text: string): string {
  return text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH - 1)}…` : text;
}
