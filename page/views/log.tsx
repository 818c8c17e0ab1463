import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { FarmEvent, Item } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { findsEvent, marked, parseSearch, type Search } from '../../src/tell/face/search.ts';
import { useEvents, useLink, useView } from '../link/use-farm.ts';
import { Scroll } from '../parts/scroll.tsx';
import { TaskLink } from '../parts/task-name.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { useKeys } from '../shell/keys.ts';
import { href, type ViewProps } from '../shell/route.ts';
import '../style/log.css';
import '../style/queue.css';

const SHOWN = 400;
const OLDER = 20_000;
/** Groups of kinds that people look for, as they would be typed. */
const CHIPS = ['kind:landing', 'kind:task', 'kind:attempt', 'kind:agent', 'kind:entry', 'kind:check', 'kind:question', 'kind:message'];

/** Everything that happened, to search and to follow; and the output of checks and agents. */
export function Log({ rest }: ViewProps) {
  const [typed, setTyped] = useState(rest);
  const search = useMemo(() => parseSearch(typed), [typed]);
  const { events, all, loading } = useAllEvents();
  const found = useDeferredValue(useMemo(() => events.filter((event) => findsEvent(search, event)), [events, search]));
  const [most, setMost] = useState(SHOWN);
  const [follow, setFollow] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  const newest = found.at(-1)?.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer event is the reason to move.
  useEffect(() => {
    if (follow) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [newest, follow]);
  const toggle = (chip: string) =>
    setTyped((old) =>
      old.split(/\s+/).includes(chip)
        ? old
            .split(/\s+/)
            .filter((part) => part !== chip)
            .join(' ')
        : `${withoutKinds(old)} ${chip}`.trim(),
    );
  useKeys('Log', [
    { key: 's', says: 'search', run: () => field.current?.focus() },
    { key: 'f', says: 'follow what is new, or stay', run: () => setFollow(!follow) },
    { key: 'o', says: 'load older events', run: all },
  ]);
  const shown = found.slice(-most);
  return (
    <div className="stack">
      <header className="row">
        <h1>Log</h1>
        <input
          ref={field}
          type="search"
          className="grow"
          aria-label="Search the events"
          placeholder='words, "a phrase", agent:NAME, task:ID, kind:landing, -kind:check'
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="button" aria-pressed={follow} onClick={() => setFollow(!follow)} aria-keyshortcuts="f">
          Follow
        </button>
      </header>
      <fieldset className="row filters">
        <legend className="hidden">Filters</legend>
        {CHIPS.map((chip) => (
          <button key={chip} type="button" className="chip" aria-pressed={typed.split(/\s+/).includes(chip)} onClick={() => toggle(chip)}>
            {chip.slice('kind:'.length)}
          </button>
        ))}
        <span className="muted" role="status">
          {found.length.toLocaleString('en-US')} of {events.length.toLocaleString('en-US')} events
        </span>
        <button type="button" className="quiet" onClick={all} disabled={loading}>
          Load older ones
        </button>
      </fieldset>
      {shown.length < found.length && (
        <button type="button" onClick={() => setMost(most + 5 * SHOWN)}>
          {(found.length - shown.length).toLocaleString('en-US')} earlier ones
        </button>
      )}
      <Scroll place={list} className="panel log-events" label="Events, the newest last">
        <ol>
          {shown.map((event) => (
            <Line key={event.seq} event={event} search={search} />
          ))}
          {found.length === 0 && <li className="muted">Nothing found.</li>}
        </ol>
      </Scroll>
      <OutputSearch />
    </div>
  );
}

const withoutKinds = (typed: string) =>
  typed
    .split(/\s+/)
    .filter((part) => !CHIPS.includes(part))
    .join(' ');

/** The events of the page, and the older ones once they were asked for. */
function useAllEvents() {
  const link = useLink();
  const fresh = useEvents();
  const [older, setOlder] = useState<readonly FarmEvent[]>([]);
  const [loading, setLoading] = useState(false);
  const all = () => {
    const found: FarmEvent[] = [];
    setLoading(true);
    link.stream<Item<'log'>>(
      'log',
      () => ({ last: OLDER }),
      (event) => found.push(event),
      () => {
        setOlder(found);
        setLoading(false);
      },
    );
  };
  const events = useMemo(() => {
    const first = fresh[0]?.seq ?? Number.POSITIVE_INFINITY;
    return [...older.filter(({ seq }) => seq < first), ...fresh];
  }, [older, fresh]);
  return { events, all, loading };
}

const time = new Intl.DateTimeFormat(undefined, {
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

function Line({ event, search }: { readonly event: FarmEvent; readonly search: Search }) {
  const { seq, at, kind, agent, task, title, text } = event;
  return (
    <li>
      <span className="n">{seq}</span>
      <time dateTime={at} className="muted">
        {time.format(new Date(at))}
      </time>
      <span className="kind">{visible(kind)}</span>
      <span className="who">
        {agent && <a href={href('agents', agent)}>{visible(agent)}</a>} {task && <TaskLink task={task} title={title} />}
      </span>
      <span className="grow">
        {marked(search, visible(text)).map((piece, n) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
          piece.found ? <mark key={n}>{piece.text}</mark> : piece.text,
        )}
      </span>
    </li>
  );
}

/** The lines that checks and agents printed, of whatever a person names. */
function OutputSearch() {
  const tasks = useView((view) => view.tasks);
  const agents = useView((view) => view.agents);
  const [typed, setTyped] = useState('');
  const [subject, setSubject] = useState('');
  return (
    <section className="panel stack" aria-label="Output">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          setSubject(typed.trim());
        }}
      >
        <h2>Output of</h2>
        <input
          className="subject"
          list="subjects"
          aria-label="A task, an agent or a check"
          placeholder="a task, an agent or a check"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id="subjects">
          {[...agents.map(({ name }) => name), ...tasks.map(({ id }) => id)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">Show</button>
      </form>
      {subject !== '' && <Verdict key={subject} subject={subject} when="" />}
    </section>
  );
}
