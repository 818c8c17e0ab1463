import type { ProcessLook } from './process.ts';
import type { Signals, Statement } from './signals.ts';

/** The state of an agent, as every face shows it. */
export interface AgentState {
  readonly state: 'starting' | 'idle' | 'working' | 'waiting' | 'limited' | 'stopped' | 'dead' | 'unknown';
  readonly detail: string | null;
  readonly text: string | null;
  /** 0: from the beginning of the attempt. */
  readonly since: number;
  readonly until: number | null;
  /** The agent itself said so, and its process is known to be alive or gone. */
  readonly sure: boolean;
}

type From = 'own' | 'transcript' | 'title' | 'screen';
interface Sourced extends Statement {
  readonly from: From;
}

/** A spinner between two frames, a redraw: shorter than this, a title or a screen says nothing. */
const DWELL_MS = 2_000;
/** A stronger source that says nothing new for this long may have been missed: the daemon was down, or the hook has a gap. */
export const SILENT_MS = 30_000;
/** A transcript gives the reason of an end that the hook only reports; the two are written within this of each other. */
const REASON_MS = 1_000;

/** Ends and pauses for which at least one agent has no hook: Esc in claude, a failed request in codex, retries in all. */
const UNTOLD = new Set(['interrupted', 'retrying', 'login', 'trust', 'auth', 'limit', 'overloaded', 'context', 'error']);
/** Dialogs that appear before the agent can report anything. */
const DIALOGS = new Set(['login', 'trust']);

/**
 * The state of an agent, by everything heard of it: process, then its own word, transcript, title, screen. The only
 * place where this is decided, so that every face shows the same.
 */
export function derive(signals: Signals | undefined, process: ProcessLook, now: number): AgentState {
  if (process === 'dead') return gone(signals);
  const alive = process === 'alive';
  const plain = { detail: null, text: null, until: null };
  // A command that never reports anything counts as working for as long as it runs.
  if (signals === undefined) return { ...plain, state: alive ? 'working' : 'unknown', since: 0, sure: alive };
  const word = strongest(signals, now);
  if (word === undefined) return { ...plain, state: 'starting', since: signals.startedAt, sure: alive };
  const { state, detail, text, since, until, from } = word;
  // The agent said that it exits, but it counts as stopped only once its process is gone.
  return { state, detail, text, since, until, sure: alive && (from === 'own' || from === 'transcript') && state !== 'stopped' };
}

/** The agent's last report says that a request to the model failed. */
export function hasFailed(signals: Signals, now: number): boolean {
  const { state, detail } = derive(signals, 'alive', now);
  return !signals.turnOpen && (state === 'limited' || detail === 'auth' || detail === 'context' || detail === 'error');
}

/** When `derive` can give another answer without anything new being heard. */
export function nextChange(signals: Signals | undefined, now: number): number | undefined {
  if (signals?.title === undefined) return undefined;
  const stronger = [ownWord(signals), signals.transcript].flatMap((heard) => (heard ? [heard.at + SILENT_MS] : []));
  const later = [signals.title.since + DWELL_MS, ...stronger].filter((at) => at > now);
  return later.length > 0 ? Math.min(...later) : undefined;
}

function gone(signals: Signals | undefined): AgentState {
  const closed = signals?.own?.state === 'stopped' ? signals.own : undefined;
  const since = closed?.since ?? signals?.lastAt ?? 0;
  return { state: closed ? 'stopped' : 'dead', detail: closed?.detail ?? null, text: closed?.text ?? null, since, until: null, sure: true };
}

function strongest(signals: Signals, now: number): Sourced | undefined {
  return words(signals, now).reduce<Sourced | undefined>(
    (best, word) => (best === undefined || prevails(word, best, now) ? word : best),
    undefined,
  );
}

/** In order of trust, without those that are too weak to count yet. */
function words(signals: Signals, now: number): Sourced[] {
  const { transcript, title, screen } = signals;
  const own = ownWord(signals);
  const held = title !== undefined && title.state !== 'unknown' && now - title.since >= DWELL_MS;
  // Two looks that far apart, with nothing else in between.
  const confirmed = screen !== undefined && screen.at - screen.since >= DWELL_MS;
  return [
    ...(own ? [{ ...own, from: 'own' as const }] : []),
    ...(transcript ? [{ ...transcript, from: 'transcript' as const }] : []),
    ...(held ? [{ ...title, from: 'title' as const }] : []),
    ...(confirmed ? [{ ...screen, from: 'screen' as const }] : []),
  ];
}

/** An agent with an open request is waiting, even while its tools run. */
function ownWord(signals: Signals): Statement | undefined {
  const [first] = signals.open;
  if (first === undefined) return signals.own;
  const at = Math.max(...signals.open.map((open) => open.at), signals.own?.at ?? 0);
  return { state: 'waiting', detail: first.detail, text: first.text, since: first.at, at, until: null };
}

/** True when a weaker source wins against a stronger one. */
function prevails(weaker: Sourced, stronger: Sourced, now: number): boolean {
  if (weaker.state === 'unknown' || (weaker.state === stronger.state && weaker.detail === stronger.detail)) return false;
  if (tellsMore(weaker, stronger)) return true;
  // A title stays until it changes; a screen is only what it was at the look.
  const seen = weaker.from === 'title' ? now : weaker.at;
  return weaker.at > stronger.at && seen - stronger.at >= SILENT_MS;
}

function tellsMore(weaker: Sourced, stronger: Sourced): boolean {
  const { detail } = stronger;
  if (weaker.detail === null || !UNTOLD.has(weaker.detail)) return false;
  if (DIALOGS.has(weaker.detail)) return weaker.at > stronger.at;
  const explained = detail !== null && UNTOLD.has(detail) && detail !== 'retrying';
  if (explained || stronger.state === 'stopped') return false;
  if (weaker.from === 'transcript') return weaker.at >= stronger.at - (detail === 'turn-ended' ? REASON_MS : 0);
  // The last error stays on the screen of an agent that has long ended its turn.
  return weaker.at > stronger.at && detail !== 'turn-ended';
}
