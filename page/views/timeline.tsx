import { useEffect, useMemo, useRef, useState, type WheelEvent } from 'react';
import type { FarmEvent, Item } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { MOMENTS } from '../../src/tell/face/states.ts';
import { foldHistory, type History, NO_HISTORY, type SpanKind, spanState } from '../../src/tell/face/timeline.ts';
import { lanesIn, type ShownLane } from '../../src/tell/face/timeline-window.ts';
import { useEvents, useLink } from '../link/use-farm.ts';
import { toneClass } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { TimelinePicture } from '../parts/timeline-picture.tsx';
import { useKeys } from '../shell/keys.ts';
import { href } from '../shell/route.ts';
import { span } from '../shell/time.tsx';
import '../style/charts.css';

const MINUTE = 60_000;
const SHORTEST = 10_000;
const OLDER = 20_000;

/** The part that is looked at: a length of time that ends now, or at a moment that was chosen. */
interface Zoom {
  readonly length: number | null;
  readonly end: number | null;
}

/** Lanes of who worked, waited, was checked and landed. */
export function Timeline() {
  const history = useHistory();
  const now = useNow();
  const [zoom, setZoom] = useState<Zoom>({ length: null, end: null });
  const first = Math.min(history.since ?? now, now - MINUTE);
  const length = zoom.length ?? now - first;
  const end = zoom.end ?? now;
  const window = { from: end - length, to: end, now };
  const lanes = useMemo(() => lanesIn(history, { from: end - length, to: end, now }), [history, end, length, now]);
  const scale = (by: number) => setZoom((old) => ({ ...old, length: Math.max(SHORTEST, Math.min(length * by, now - first)) }));
  const pan = (by: number) => setZoom({ length, end: end + by * length >= now ? null : Math.max(first + length / 2, end + by * length) });
  const brush = (from: number, to: number) => setZoom({ length: Math.max(SHORTEST, to - from), end: to >= now ? null : to });
  const steps = [
    { key: '+', says: 'closer', run: () => scale(0.5) },
    { key: '-', says: 'further away', run: () => scale(2) },
    { key: 'ArrowLeft', says: 'earlier', run: () => pan(-0.25) },
    { key: 'ArrowRight', says: 'later', run: () => pan(0.25) },
    { key: 'a', says: 'all of the time', run: () => setZoom({ length: null, end: null }) },
  ];
  useKeys('Timeline', steps);
  return (
    <div className="stack">
      <header className="row">
        <h1>Timeline</h1>
        <span className="muted">
          {span(length)} {zoom.end === null ? 'until now' : `until ${new Date(end).toLocaleTimeString()}`}
        </span>
        <span className="grow" />
        <span className="row">
          {steps.map(({ key, says, run }) => (
            <button key={key} type="button" onClick={run} aria-label={says} title={says}>
              {{ ArrowLeft: '←', ArrowRight: '→', '-': '−', a: 'All' }[key] ?? key}
            </button>
          ))}
        </span>
      </header>
      {lanes.length === 0 ? (
        <p className="empty">Nothing happened in this time.</p>
      ) : (
        <section className="panel" aria-label="Lanes" onWheel={(event: WheelEvent) => event.altKey && scale(event.deltaY > 0 ? 1.25 : 0.8)}>
          <TimelinePicture lanes={lanes} window={window} choose={brush} />
          <Legend />
        </section>
      )}
      {lanes.length > 0 && <Sums lanes={lanes} />}
    </div>
  );
}

/** The events that the page has, and once the older ones that the daemon still keeps. */
function useHistory(): History {
  const link = useLink();
  const events = useEvents();
  const [older, setOlder] = useState<readonly FarmEvent[]>();
  const folded = useRef<{ older: readonly FarmEvent[] | undefined; history: History }>({ older: undefined, history: NO_HISTORY });
  useEffect(() => {
    const found: FarmEvent[] = [];
    return link.stream<Item<'log'>>(
      'log',
      () => ({ last: OLDER }),
      (event) => found.push(event),
      () => setOlder(found),
    );
  }, [link]);
  return useMemo(() => {
    // From the beginning once, when the older ones have come; after that only what is new.
    if (folded.current.older !== older) folded.current = { older, history: foldHistory(NO_HISTORY, older ?? []) };
    folded.current.history = foldHistory(folded.current.history, events);
    return folded.current.history;
  }, [older, events]);
}

/** The time now, so often that the picture moves and no oftener. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 2_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const KINDS: readonly SpanKind[] = [
  'working',
  'waiting',
  'limited',
  'idle',
  'queued',
  'checking',
  'held',
  'approval',
  'review',
  'quarantined',
];

function Legend() {
  return (
    <p className="legend timeline">
      {KINDS.map((kind) => (
        <span key={kind}>
          <svg width="12" height="12" aria-hidden="true">
            <rect width="12" height="12" rx="2" className={kind} />
          </svg>{' '}
          {spanState(kind).word}
        </span>
      ))}
      {Object.entries(MOMENTS).map(([kind, { glyph, word, tone }]) => (
        <span key={kind} className={toneClass(tone)}>{`${glyph} ${word}`}</span>
      ))}
    </p>
  );
}

/** A column for each state that somebody was in: all ten of them have no room on a phone. */
function Sums({ lanes }: { readonly lanes: readonly ShownLane[] }) {
  const kinds = KINDS.filter((kind) => lanes.some(({ spent }) => spent[kind] !== undefined));
  const times = [...kinds.map((kind) => spanState(kind).word), 'landed'];
  return (
    <section className="panel" aria-label="Times">
      <Table label="times" heads={['Agent', ...times]} figures={times}>
        {lanes.map(({ agent, spent, moments }) => (
          <tr key={agent ?? ''}>
            <td>{agent ? <a href={href('agents', agent)}>{visible(agent)}</a> : 'people'}</td>
            {kinds.map((kind) => (
              <td key={kind} className="num">
                {spent[kind] === undefined ? '' : span(spent[kind])}
              </td>
            ))}
            <td className="num">{moments.filter(({ kind }) => kind === 'landed').length || ''}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
