import { useMemo, useState } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { findsLine, marked, parseSearch } from '../../src/tell/face/search.ts';
import { useCall } from '../link/use-farm.ts';
import { span } from '../shell/time.tsx';
import { shownCode } from './code.ts';

type Log = Out<'logs'>['logs'][number];

const TONES: Readonly<Record<Log['state'], string>> = { running: 'live', passed: 'good', failed: 'bad', error: 'bad', ended: '' };
/** So many lines around each one that tells are shown before a person asks for all. */
const AROUND = 2;
const MOST_LINES = 5_000;

interface VerdictProps {
  readonly subject: string;
  readonly when: unknown;
  /** Everything of one attempt of a task: its agent, too. */
  readonly attempt?: number;
}

/** The output of checks or agents: first the lines that tell why, then all of it, to search in. */
export function Verdict({ subject, when, attempt }: VerdictProps) {
  const { data, error, again, busy } = useCall('logs', { subject, text: true, ...(attempt !== undefined && { attempt }) }, when);
  if (!data) return <p className={error ? 'bad' : 'muted'}>{error ? visible(error.message) : 'Asking…'}</p>;
  return (
    <div className="stack" aria-busy={busy}>
      {data.logs.length === 0 && <p className="muted">No output is kept.</p>}
      {data.logs.toReversed().map((log, at, all) => (
        <OneLog key={log.path} log={log} again={again} runs={all.slice(at + 1).filter(({ name }) => name === log.name).length + 1} />
      ))}
    </div>
  );
}

/** `runs`: which one of those with its name it is. */
function OneLog({ log, again, runs }: { readonly log: Log; readonly again: () => void; readonly runs: number }) {
  const { name, state, detail, ms, tasks, path, telling, text = '' } = log;
  const [typed, setTyped] = useState('');
  const [all, setAll] = useState(false);
  const search = useMemo(() => parseSearch(typed), [typed]);
  const lines = useMemo(() => text.split('\n').map(shownCode), [text]);
  // Of one that passed no line tells of a failure, whatever words are in it.
  const isRed = state === 'failed' || state === 'error';
  const tells = useMemo(() => new Set((isRed ? telling : []).map((line) => shownCode(line).trim()).filter(Boolean)), [telling, isRed]);
  const shown = useMemo(() => chosen(lines, tells, typed === '' ? undefined : search, all), [lines, tells, search, typed, all]);
  return (
    <section className="verdict" aria-label={`Output of ${visible(name)}${runs > 1 ? `, run ${runs}` : ''}`}>
      <div className="row">
        <strong>{visible(name)}</strong>
        <span className={`tag ${TONES[state]}`}>{state}</span>
        <span className="muted">
          {[detail, ms === null ? null : span(ms), tasks.length > 0 ? `with ${tasks.join(', ')}` : null]
            .filter(Boolean)
            .map(String)
            .map(visible)
            .join(', ')}
        </span>
        <span className="grow" />
        <input
          type="search"
          placeholder="Search in it"
          aria-label={`Search in the output of ${visible(name)}`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {state === 'running' && (
          <button type="button" onClick={again}>
            Look again
          </button>
        )}
        <button type="button" aria-pressed={all} onClick={() => setAll(!all)}>
          All {lines.length.toLocaleString('en-US')} lines
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard. */}
      <ol className="log-lines" aria-label="Lines" tabIndex={0}>
        {shown.map(({ n, line, tells: is }) => (
          <li key={n} className={is ? 'tells' : undefined}>
            <span className="n">{n + 1}</span>
            <span>
              {marked(search, line).map((piece, at) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
                piece.found ? <mark key={at}>{piece.text}</mark> : piece.text,
              )}
            </span>
          </li>
        ))}
      </ol>
      {shown.length === 0 && <p className="muted">{typed === '' ? 'No output.' : 'No line has that.'}</p>}
      <code className="muted">{visible(path)}</code>
    </section>
  );
}

interface ShownLine {
  readonly n: number;
  readonly line: string;
  readonly tells: boolean;
}

/** The lines to show: those found; else all; else those around the ones that tell; without any, the end. */
function chosen(
  lines: readonly string[],
  tells: ReadonlySet<string>,
  search: ReturnType<typeof parseSearch> | undefined,
  all: boolean,
): ShownLine[] {
  const known = lines.map((line, n) => ({ n, line, tells: tells.has(line.trim()) }));
  if (search) return known.filter(({ line }) => findsLine(search, line)).slice(0, MOST_LINES);
  if (all) return known.slice(-MOST_LINES);
  const near = known.filter(({ n }) => known.slice(Math.max(0, n - AROUND), n + AROUND + 1).some((one) => one.tells));
  return near.length > 0 ? near.slice(0, 200) : known.filter(({ line }) => line !== '').slice(-20);
}
