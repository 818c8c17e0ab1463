import { useMemo, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { type Stack, type StackRow, stackOf } from '../../src/tell/face/stack.ts';
import { reasonWithoutCommands } from '../../src/tell/face/subject-names.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { Flakes } from '../parts/flakes.tsx';
import { StackPicture } from '../parts/stack-picture.tsx';
import { EntryState } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { TaskLink, useTaskName } from '../parts/task-name.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { useAct } from '../shell/act.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useKeys } from '../shell/keys.ts';
import { go, href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/queue.css';

/** The merge queue: the stack drawn, the checks that run, their output, and what landed. */
export function Queue({ rest }: ViewProps) {
  const queue = useView((view) => view.queue);
  const entries = useView((view) => view.entries);
  const stack = useMemo(() => stackOf({ queue, entries }), [queue, entries]);
  return (
    <div className="stack">
      <Head stack={stack} waiting={queue.waiting} />
      {rest === 'flakes' && <Flakes />}
      {rest !== '' && rest !== 'flakes' && <Output subject={rest} stack={stack} />}
      <div className="queue-parts">
        <section className="panel" aria-label="The stack">
          <h2>The stack</h2>
          <StackPicture stack={stack} />
          {stack.rows.length === 0 && <p className="muted">The queue is empty.</p>}
        </section>
        <div className="stack">
          <Checks stack={stack} />
          <Landings />
        </div>
      </div>
      <Entries title={OPEN} rows={stack.rows} />
      <Entries title="Sent back" rows={stack.back} />
    </div>
  );
}

function Head({ stack, waiting }: { readonly stack: Stack; readonly waiting: string | null }) {
  const { target, head, published, paused, halted } = stack;
  const control = useControl();
  const act = useAct();
  const toggle = () => void act('pauseQueue', { paused: !paused }, paused ? 'The queue runs again.' : 'Nothing lands and no check starts.');
  const resume = () => void act('pauseQueue', { paused: false }, 'The queue runs again.');
  useKeys('Queue', [
    ...(control ? [{ key: 'p', says: paused ? 'run the queue again' : 'pause the queue', run: toggle }] : []),
    { key: 'c', says: 'the record of the checks', run: () => go('queue', 'flakes') },
  ]);
  return (
    <header className="stack queue-head">
      <div className="row">
        <h1>Queue</h1>
        <span className="muted mono">
          {visible(target)} at {head?.slice(0, 8) ?? '–'}
          {published !== head && `, published ${published?.slice(0, 8) ?? 'nothing'}`}
        </span>
        {paused && <span className="tag warn">paused</span>}
        {halted && <span className="tag bad">halted</span>}
        <span className="grow" />
        <a className="button" href={href('queue', 'flakes')}>
          Record of the checks
        </a>
        {control && (
          <button type="button" onClick={toggle} aria-keyshortcuts="p">
            <kbd>p</kbd> {paused ? 'Go on' : 'Pause'}
          </button>
        )}
        {control && halted && !paused && (
          <button type="button" className="main" onClick={resume}>
            It is fixed: run again
          </button>
        )}
      </div>
      {halted && <p className="bad">{visible(halted)}</p>}
      {waiting && <p className="warn">Publishing waits: {visible(waiting)}</p>}
    </header>
  );
}

/** The output of what was chosen stays while the checks behind it go on; it is asked for again when one of them ends. */
function Output({ subject, stack }: { readonly subject: string; readonly stack: Stack }) {
  const running = stack.checks.map(({ log }) => log).join(' ');
  return (
    <section className="panel" aria-label="Output">
      <div className="row">
        <h2 className="grow">Output of {useTaskName()(subject)}</h2>
        <a className="button" href={href('queue')}>
          Close
        </a>
      </div>
      <Verdict key={subject} subject={subject} when={running} />
    </section>
  );
}

function Checks({ stack: { checks, free, target } }: { readonly stack: Stack }) {
  const name = useTaskName();
  return (
    <section className="panel" aria-label="Running checks">
      <h2>
        Running checks <span className="muted">{free > 0 && `${free} ${free === 1 ? 'slot' : 'slots'} free`}</span>
      </h2>
      {checks.length === 0 && <p className="muted">No check runs.</p>}
      <ul className="rows">
        {checks.map(({ slot, check, tasks, since, setup, hanging, log }) => (
          <li key={log} className="row">
            <span className={`tag ${hanging ? 'warn' : 'live'}`}>{visible(slot)}</span>
            {setup && <span className="muted">set-up for</span>}
            <a href={href('queue', check)}>{visible(check)}</a>
            <span className="grow">{[visible(target), ...tasks.map((task) => name(task))].join(' + ')}</span>
            <span className="muted">
              <Age at={new Date(since).toISOString()} />
            </span>
            {hanging && (
              <p className="warn whole">{visible(reasonWithoutCommands({ kind: 'hanging', reason: hanging, output: { path: log } }))}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const OPEN = 'In queue';

/** Why an entry is where it is, without commands to type and without the file of an output that a link beside it opens. */
const plainReason = ({ code, reason }: StackRow['entry']) =>
  reasonWithoutCommands({ kind: code ?? '', reason: reason ?? '', output: null }).replace(/\. Output: .*\.log$/, '');

function Entries({ title, rows }: { readonly title: string; readonly rows: readonly StackRow[] }) {
  const [ejecting, setEjecting] = useState<string>();
  const control = useControl();
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <h2>
        {title} <span className="muted">{rows.length}</span>
      </h2>
      <Table label={title} heads={['Task', 'State', 'Why', 'Since', 'Look']}>
        {rows.map(({ entry, place, slots }) => (
          <tr key={`${entry.phase}/${entry.task} ${entry.attempt} ${entry.sha}`}>
            <td>
              <TaskLink task={entry.task} title={entry.title} />
            </td>
            <td>
              <EntryState place={place} />
              {slots.length > 0 && <span className="muted"> {slots.map(visible).join(', ')}</span>}
            </td>
            <td className="why">{visible(plainReason(entry))}</td>
            <td className="muted">
              <Age at={entry.at} />
            </td>
            <td className="queue-acts">
              <a href={href('changes', `entry:${entry.task}`)} aria-label={`change of ${visible(entry.task)}`}>
                change
              </a>{' '}
              <a href={href('queue', entry.task)} aria-label={`output of ${visible(entry.task)}`}>
                output
              </a>{' '}
              {control && title === OPEN && (
                <button
                  type="button"
                  className="quiet"
                  onClick={() => setEjecting(entry.task)}
                  aria-label={`take out ${visible(entry.task)}`}
                >
                  take out
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {ejecting !== undefined && <Eject task={ejecting} close={() => setEjecting(undefined)} />}
    </section>
  );
}

function Eject({ task, close }: { readonly task: string; readonly close: () => void }) {
  const name = useTaskName()(task);
  const act = useAct();
  const eject = () => {
    close();
    void act('eject', { task }, `${name} is out of the queue; its commits are kept.`);
  };
  return (
    <Dialog title={`Take ${visible(task)} out of the queue?`} close={close}>
      <p>Its commits are kept, and the task waits for you.</p>
      <div className="row">
        <button type="button" className="main" onClick={eject}>
          Take it out
        </button>
        <button type="button" onClick={close}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}

const LANDINGS = 12;

function Landings() {
  const landings = useView((view) => view.landings);
  const name = useTaskName();
  return (
    <section className="panel" aria-label="Landings">
      <h2>
        Landings <span className="muted">{landings.length}</span>
      </h2>
      {landings.length === 0 && <p className="muted">Nothing has landed yet.</p>}
      <ul className="rows">
        {landings
          .slice(-LANDINGS)
          .toReversed()
          .map(({ commit, tasks: landed, titles, at, published, unchanged }) => (
            <li key={commit} className="row">
              <a className="mono" href={href('changes', `landing:${commit}`)}>
                {commit.slice(0, 8)}
              </a>
              <span className="grow">{landed.map((task, n) => name(task, titles?.[n])).join(', ')}</span>
              {!published && <span className="tag warn">not yet published</span>}
              {unchanged.length > 0 && <span className="muted">not run: {unchanged.map(visible).join(', ')}</span>}
              <span className="muted">
                <Age at={at} />
              </span>
            </li>
          ))}
      </ul>
    </section>
  );
}
