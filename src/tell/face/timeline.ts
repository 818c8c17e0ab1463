import type { FarmEvent } from '../../api/contract.ts';
import { AGENT_STATES, ENTRY_STATES, type MOMENTS, type StateWord } from './states.ts';

/** An agent's time: at work, waiting for a person, held up by its provider, or running without doing anything. */
type WorkKind = 'working' | 'waiting' | 'limited' | 'idle';
/** The time of what it handed in: in the queue, being checked, on hold, waiting for approval or a review, in quarantine. */
type QueueKind = 'queued' | 'checking' | 'held' | 'approval' | 'review' | 'quarantined';
export type SpanKind = WorkKind | QueueKind;

/** The word and tone of a time: those of the state that it was spent in. */
export const spanState = (kind: SpanKind): StateWord => ({ ...AGENT_STATES, ...ENTRY_STATES })[kind];

export interface Span {
  readonly kind: SpanKind;
  readonly track: 'work' | 'queue';
  readonly from: number;
  /** Null while it goes on: nobody has told of its end. */
  readonly to: number | null;
  /** Phase and id. */
  readonly ref: string | null;
  readonly task: string | null;
  readonly attempt: number | null;
  readonly text: string;
}

/** A moment that ends something. */
export interface Moment {
  readonly kind: keyof typeof MOMENTS;
  readonly at: number;
  readonly task: string | null;
  readonly text: string;
}

interface Lane {
  /** Null: what people submitted. */
  readonly agent: string | null;
  readonly spans: readonly Span[];
  readonly moments: readonly Moment[];
}

/** The history that the events so far tell: the time of each agent, and the moments that ended something. */
export interface History {
  readonly seq: number;
  readonly lanes: ReadonlyMap<string | null, Lane>;
  /** The agent that handed in the work of a task, by its ref: the events of an entry do not say. */
  readonly owners: ReadonlyMap<string, string | null>;
  /** The time of the first event: before it nothing is known. */
  readonly since: number | null;
}

export const NO_HISTORY: History = { seq: 0, lanes: new Map(), owners: new Map(), since: null };

/** A lane keeps so many ended spans; older ones are left out of the picture. */
const MOST_SPANS = 2_000;

/** The history with these events. Events that it knows already change nothing; one without its beginning or end is shown as far as it goes. */
export function foldHistory(known: History, events: readonly FarmEvent[]): History {
  const fresh = events.filter(({ seq }) => seq > known.seq);
  if (fresh.length === 0) return known;
  const draft: Draft = { known: known.lanes, lanes: new Map(), owners: new Map(known.owners) };
  for (const event of fresh) {
    const at = Date.parse(event.at);
    if (Number.isNaN(at)) continue;
    FOLDS[event.kind]?.(draft, event, at);
  }
  const lanes = new Map(known.lanes);
  for (const [agent, { spans, moments }] of draft.lanes) lanes.set(agent, bounded({ agent, spans, moments }));
  const first = fresh.map(({ at }) => Date.parse(at)).find((at) => !Number.isNaN(at));
  return { seq: fresh.at(-1)!.seq, lanes, owners: draft.owners, since: known.since ?? first ?? null };
}

/** The lanes that these events change are copied once and written to: a report folds 50,000 events at a time. */
interface Draft {
  readonly known: ReadonlyMap<string | null, Lane>;
  readonly lanes: Map<string | null, DraftLane>;
  readonly owners: Map<string, string | null>;
}

interface DraftLane {
  readonly spans: Span[];
  readonly moments: Moment[];
  /** The places of open spans: the agent's own is `work`, those in the queue are known by their task. */
  readonly open: Map<string, number>;
}

type Fold = (draft: Draft, event: FarmEvent, at: number) => void;

const WORK = 'work';
const keyOf = ({ track, ref }: Pick<Span, 'track' | 'ref'>) => (track === 'work' ? WORK : `queue ${ref}`);

function laneOf({ known, lanes }: Draft, agent: string | null): DraftLane {
  const found = lanes.get(agent);
  if (found) return found;
  const { spans = [], moments = [] } = known.get(agent) ?? {};
  const open = new Map(spans.flatMap((span, at) => (span.to === null ? [[keyOf(span), at] as const] : [])));
  const lane = { spans: [...spans], moments: [...moments], open };
  lanes.set(agent, lane);
  return lane;
}

function begin(lane: DraftLane, span: Omit<Span, 'to'>): void {
  end(lane, keyOf(span), span.from);
  lane.open.set(keyOf(span), lane.spans.length);
  lane.spans.push({ ...span, to: null });
}

function end({ spans, open }: DraftLane, key: string, at: number): void {
  const place = open.get(key);
  if (place === undefined) return;
  spans[place] = { ...spans[place]!, to: at };
  open.delete(key);
}

const refOf = ({ data, task }: FarmEvent) => (typeof data['ref'] === 'string' ? data['ref'] : task);

const workSpan =
  (kind: WorkKind): Fold =>
  (draft, event, at) => {
    if (event.agent === null) return;
    const { task, attempt, text } = event;
    const lane = laneOf(draft, event.agent);
    const open = lane.spans[lane.open.get(WORK) ?? -1];
    if (open?.kind === kind && (task === null || open.task === task)) return;
    const about = { ref: refOf(event) ?? open?.ref ?? null, task: task ?? open?.task ?? null, attempt, text };
    begin(lane, { kind, track: 'work', from: at, ...about });
  };

const endWork =
  (fails: boolean): Fold =>
  (draft, event, at) => {
    if (event.agent === null) return;
    const lane = laneOf(draft, event.agent);
    end(lane, WORK, at);
    const failed = fails && event.data['outcome'] === 'failed';
    if (failed) lane.moments.push({ kind: 'failed', at, task: event.task, text: event.text });
  };

const STATES: Readonly<Record<string, WorkKind>> = {
  starting: 'working',
  working: 'working',
  waiting: 'waiting',
  limited: 'limited',
  idle: 'idle',
};

/** A state of an agent without an attempt says nothing of its work. */
const agentState: Fold = (draft, event, at) => {
  const kind = STATES[String(event.data['state'])];
  if (kind && event.attempt !== null) workSpan(kind)(draft, event, at);
  else if (!kind) endWork(false)(draft, event, at);
};

const queueSpan =
  (kind: QueueKind): Fold =>
  (draft, event, at) => {
    const ref = refOf(event);
    if (ref === null) return;
    if (event.kind === 'entry.submitted' || (event.agent !== null && !draft.owners.has(ref))) draft.owners.set(ref, event.agent);
    const { task, attempt, text } = event;
    begin(laneOf(draft, draft.owners.get(ref) ?? null), { kind, track: 'queue', from: at, ref, task, attempt, text });
  };

/** An entry that only lacks a yes is stored as held, too. Events of earlier versions do not say which. */
const heldSpan: Fold = (draft, event, at) => {
  const { code } = event.data;
  queueSpan(code === 'approval' || code === 'review' ? code : 'held')(draft, event, at);
};

const endQueue =
  (kind: Moment['kind'] | null): Fold =>
  (draft, event, at) => {
    const named = event.data['refs'];
    const refs = Array.isArray(named) ? named.filter((one): one is string => typeof one === 'string') : [refOf(event)];
    for (const ref of refs) {
      if (ref === null) continue;
      const lane = laneOf(draft, draft.owners.get(ref) ?? event.agent);
      end(lane, keyOf({ track: 'queue', ref }), at);
      const task = ref.slice(ref.indexOf('/') + 1);
      if (kind) lane.moments.push({ kind, at, task, text: event.text });
    }
  };

const FOLDS: Readonly<Record<string, Fold>> = {
  'attempt.started': workSpan('working'),
  'attempt.relaunched': workSpan('working'),
  'agent.state': agentState,
  'attempt.ended': endWork(true),
  'attempt.lost': endWork(false),
  'entry.submitted': queueSpan('queued'),
  'entry.found': queueSpan('queued'),
  'entry.requeued': queueSpan('queued'),
  'entry.queued': queueSpan('queued'),
  'entry.checking': queueSpan('checking'),
  'entry.held': heldSpan,
  'entry.quarantined': queueSpan('quarantined'),
  'entry.cancelled': endQueue(null),
  'landing.landed': endQueue('landed'),
  'task.handed-back': endQueue('back'),
  'task.parked': endQueue('parked'),
};

/** The kinds of events that a history is made of; all others change nothing. */
export const HISTORY_KINDS: readonly string[] = Object.keys(FOLDS);

function bounded(lane: Lane): Lane {
  const { spans, moments } = lane;
  if (spans.length <= MOST_SPANS && moments.length <= MOST_SPANS) return lane;
  const open = spans.slice(0, -MOST_SPANS).filter(({ to }) => to === null);
  return { ...lane, spans: [...open, ...spans.slice(-MOST_SPANS)], moments: moments.slice(-MOST_SPANS) };
}
