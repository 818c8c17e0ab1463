import type { FarmEvent } from '../../api/contract.ts';

/** An agent's time: at work, waiting for a person, held up by its provider, or running without doing anything. */
type WorkKind = 'working' | 'waiting' | 'limited' | 'idle';
/** The time of what it handed in: in the queue, under check, held, in quarantine. */
type QueueKind = 'queued' | 'checking' | 'held' | 'quarantined';
export type SpanKind = WorkKind | QueueKind;

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
export interface Mark {
  readonly kind: 'landed' | 'back' | 'parked' | 'failed';
  readonly at: number;
  readonly task: string | null;
  readonly text: string;
}

export interface Lane {
  /** Null: what people submitted. */
  readonly agent: string | null;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

/** All that the events so far tell of who did what and when. */
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
  const draft = { lanes: new Map(known.lanes), owners: new Map(known.owners) };
  for (const event of fresh) {
    const at = Date.parse(event.at);
    if (Number.isNaN(at)) continue;
    FOLDS[event.kind]?.(draft, event, at);
  }
  for (const [agent, lane] of draft.lanes) if (lane !== known.lanes.get(agent)) draft.lanes.set(agent, bounded(lane));
  const first = fresh.map(({ at }) => Date.parse(at)).find((at) => !Number.isNaN(at));
  return { seq: fresh.at(-1)!.seq, ...draft, since: known.since ?? first ?? null };
}

interface Draft {
  readonly lanes: Map<string | null, Lane>;
  readonly owners: Map<string, string | null>;
}

type Fold = (draft: Draft, event: FarmEvent, at: number) => void;

const refOf = ({ data, task }: FarmEvent) => (typeof data['ref'] === 'string' ? data['ref'] : task);

const workSpan = (kind: WorkKind): Fold => {
  return (draft, event, at) => {
    if (event.agent === null) return;
    const { task, attempt, text } = event;
    change(draft, event.agent, (lane) => {
      const open = lane.spans.find((span) => span.track === 'work' && span.to === null);
      if (open?.kind === kind && (task === null || open.task === task)) return lane;
      const about = { ref: refOf(event) ?? open?.ref ?? null, task: task ?? open?.task ?? null, attempt, text };
      const before = closed(lane, 'work', at);
      return { ...before, spans: [...before.spans, { kind, track: 'work', from: at, to: null, ...about }] };
    });
  };
};

const endWork =
  (fails: boolean): Fold =>
  (draft, event, at) => {
    if (event.agent === null) return;
    change(draft, event.agent, (lane) => closed(lane, 'work', at));
    const failed = fails && event.data['outcome'] === 'failed';
    if (failed) mark(draft, event.agent, { kind: 'failed', at, task: event.task, text: event.text });
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
    change(draft, draft.owners.get(ref) ?? null, (lane) => {
      const before = closed(lane, 'queue', at, ref);
      return { ...before, spans: [...before.spans, { kind, track: 'queue', from: at, to: null, ref, task, attempt, text }] };
    });
  };

const endQueue =
  (kind: Mark['kind'] | null): Fold =>
  (draft, event, at) => {
    const named = event.data['refs'];
    const refs = Array.isArray(named) ? named.filter((one): one is string => typeof one === 'string') : [refOf(event)];
    for (const ref of refs) {
      if (ref === null) continue;
      const owner = draft.owners.get(ref) ?? event.agent;
      change(draft, owner, (lane) => closed(lane, 'queue', at, ref));
      const task = ref.slice(ref.indexOf('/') + 1);
      if (kind) mark(draft, owner, { kind, at, task, text: event.text });
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
  'entry.held': queueSpan('held'),
  'entry.quarantined': queueSpan('quarantined'),
  'entry.cancelled': endQueue(null),
  'landing.landed': endQueue('landed'),
  'task.handed-back': endQueue('back'),
  'task.parked': endQueue('parked'),
};

function change({ lanes }: Draft, agent: string | null, how: (lane: Lane) => Lane): void {
  lanes.set(agent, how(lanes.get(agent) ?? { agent, spans: [], marks: [] }));
}

const mark = (draft: Draft, agent: string | null, one: Mark) => change(draft, agent, (lane) => ({ ...lane, marks: [...lane.marks, one] }));

/** Without its open spans of a track; with `ref` only those of that task. */
function closed(lane: Lane, track: Span['track'], at: number, ref?: string): Lane {
  const ends = (span: Span) => span.to === null && span.track === track && (ref === undefined || span.ref === ref);
  return lane.spans.some(ends) ? { ...lane, spans: lane.spans.map((span) => (ends(span) ? { ...span, to: at } : span)) } : lane;
}

function bounded(lane: Lane): Lane {
  const { spans, marks } = lane;
  if (spans.length <= MOST_SPANS && marks.length <= MOST_SPANS) return lane;
  const open = spans.slice(0, -MOST_SPANS).filter(({ to }) => to === null);
  return { ...lane, spans: [...open, ...spans.slice(-MOST_SPANS)], marks: marks.slice(-MOST_SPANS) };
}
