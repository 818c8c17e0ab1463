import { useCallback, useEffect, useMemo } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { asksYes } from '../../src/tell/face/approval.ts';
import { parsePatch } from '../../src/tell/face/patch.ts';
import { placeIn } from '../../src/tell/face/review-place.ts';
import { inQueue, TASK_STATES } from '../../src/tell/face/states.ts';
import { taskName } from '../../src/tell/face/subject-names.ts';
import type { QueueEntry } from '../../src/tell/face/view.ts';
import { useCall, useControl, useView } from '../link/use-farm.ts';
import { fromBase64 } from '../parts/code.ts';
import type { Placed } from '../parts/comment.tsx';
import { Decide } from '../parts/decide.tsx';
import { Patch } from '../parts/patch.tsx';
import { useDrafts } from '../parts/review-drafts.ts';
import type { Receiver } from '../parts/send-review.tsx';
import { ShownChangeContext } from '../parts/shown-change.ts';
import { titlesOf } from '../parts/task-name.tsx';
import { useKeys } from '../shell/keys.ts';
import { amend, go, href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/changes.css';

interface Listed {
  /** The tasks that it is about. */
  readonly tasks: readonly string[];
  /** The rest of its address: `entry:12`, `work:a-1`, `landing:COMMIT`. */
  readonly rest: string;
  readonly name: string;
  readonly title: string;
  readonly at: string;
}

interface Group {
  readonly title: string;
  readonly listed: readonly Listed[];
}

const LANDINGS = 30;
const WHICH = /^(work|entry|landing):(.+)$/;

/** The changes of agents: work in hand, what would land, and what landed; the place to say yes or no. */
export function Changes({ rest }: ViewProps) {
  const groups = useGroups();
  const all = groups.flatMap(({ listed }) => listed);
  const { change, file } = addressOf(rest);
  const first = all[0]?.rest;
  // Named in the address, it stays when a more urgent one comes.
  useEffect(() => {
    if (change === '' && first) amend('changes', first);
  }, [change, first]);
  const chosen = chosenOf(all, change);
  const step = (by: number) => {
    const at = chosen ? all.indexOf(chosen) : -1;
    const to = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (to) go('changes', to.rest);
  };
  useKeys('Changes', [
    { key: ']', says: 'the next change', run: () => step(1) },
    { key: '[', says: 'the change before', run: () => step(-1) },
  ]);
  return (
    <div className="changes">
      <h1 className="hidden">Changes</h1>
      <nav aria-label="Changes" className="panel changes-list">
        {groups.map(({ title, listed }) => (
          <section key={title} aria-label={title}>
            <h2>
              {title} <span className="muted">{listed.length}</span>
            </h2>
            <ul>
              {listed.map((one) => (
                <li key={one.rest}>
                  <a href={href('changes', one.rest)} aria-current={one === chosen ? 'true' : undefined}>
                    <span className="mono">{visible(one.name)}</span> <span className="cut grow">{visible(one.title)}</span>{' '}
                    <span className="muted">
                      <Age at={one.at} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {all.length === 0 && <p className="muted">Nobody has changed anything yet.</p>}
      </nav>
      <div className="changes-shown">
        {change === '' ? <p className="empty">Nothing to see yet.</p> : <Change key={change} address={change} file={file} />}
      </div>
    </div>
  );
}

const FILE = '?file=';

/** `entry:7?file=src/a.ts`: the change, and the file of it that is looked at. */
function addressOf(rest: string): { readonly change: string; readonly file: string | undefined } {
  const at = rest.indexOf(FILE);
  return at < 0 ? { change: rest, file: undefined } : { change: rest.slice(0, at), file: rest.slice(at + FILE.length) };
}

/** The row of the change that is shown: by its whole name, by its task, or the landing that brought it. */
function chosenOf(all: readonly Listed[], change: string): Listed | undefined {
  const [, , subject = change] = WHICH.exec(change) ?? [];
  return (
    all.find((one) => one.rest === change) ?? all.find(({ name }) => name === subject) ?? all.find(({ tasks }) => tasks.includes(subject))
  );
}

function useGroups(): readonly Group[] {
  const entries = useView((view) => view.entries);
  const agents = useView((view) => view.agents);
  const landings = useView((view) => view.landings);
  const attention = useView((view) => view.attention);
  const titles = titlesOf(useView((view) => view.tasks));
  return useMemo(() => {
    const open = entries.filter(inQueue);
    const entry = ({ task, title, at }: QueueEntry): Listed => ({ rest: `entry:${task}`, name: task, title, at, tasks: [task] });
    const waits = (one: QueueEntry) => asksYes(one, attention);
    const work = agents.flatMap(({ name, task, title, since, attempt }): Listed[] =>
      task === null || attempt === null
        ? []
        : [{ rest: `work:${task}`, name: task, title: `${title ?? ''} (${name})`, at: since, tasks: [task] }],
    );
    const landed = landings
      .slice(-LANDINGS)
      .toReversed()
      .map(({ commit, tasks, at }) => {
        const title = tasks.map((task) => taskName(task, titles.get(task))).join(', ');
        return { rest: `landing:${commit}`, name: commit.slice(0, 8), title, at, tasks };
      });
    return [
      { title: 'Needs approval', listed: open.filter(waits).map(entry) },
      { title: 'In queue', listed: open.filter((one) => !waits(one)).map(entry) },
      { title: 'Working', listed: work },
      { title: 'Landed', listed: landed },
    ].filter(({ listed }) => listed.length > 0);
  }, [entries, agents, landings, attention, titles]);
}

function Change({ address, file }: { readonly address: string; readonly file: string | undefined }) {
  const choose = useCallback((path: string) => amend('changes', `${address}${FILE}${path}`), [address]);
  const [, shows, subject = address] = WHICH.exec(address) ?? [];
  const entries = useView((view) => view.entries);
  const tasks = useView((view) => view.tasks);
  const entry = entries.findLast((one) => one.task === subject && inQueue(one));
  const args = { subject, format: 'patch' as const, paths: [], width: 80, ...(shows && { shows: shows as 'work' }) };
  const { data, error, busy, again } = useCall('diff', args, `${entry?.sha} ${entry?.state}`);
  useKeys('The change as it is now', [{ key: 'r', says: 'look again', run: again }]);
  const title = entry?.title ?? tasks.find(({ id }) => id === subject)?.title;
  return (
    <article className="stack" aria-label={`Change of ${visible(subject)}`} aria-busy={busy}>
      <header>
        <div className="row">
          <h2 className="grow">
            <span className="mono">{visible(shows === 'landing' ? subject.slice(0, 12) : subject)}</span> {visible(title ?? '')}
          </h2>
          <button type="button" onClick={again} disabled={busy} aria-keyshortcuts="r">
            <kbd>r</kbd> Look again
          </button>
        </div>
        {data && <p className="muted">{visible(data.text)}</p>}
        {data && data.left_out.length > 0 && <p className="warn">Not shown: {data.left_out.map(visible).join(', ')}</p>}
        {data?.cut && <p className="warn">The change is longer than what is sent here; furrow diff {visible(subject)} prints all of it.</p>}
      </header>
      {error && !data && <p className="bad">{visible(error.message)}</p>}
      {!error && !data && <p className="muted">Asking…</p>}
      {data && <Reviewed subject={subject} data={data} entry={entry} file={file} choose={choose} />}
    </article>
  );
}

interface ReviewedProps {
  readonly subject: string;
  readonly data: Out<'diff'>;
  /** The entry with which it is in the queue. */
  readonly entry: QueueEntry | undefined;
  readonly file: string | undefined;
  readonly choose: (path: string) => void;
}

/** The lines of a change, and a person's word on them. */
function Reviewed({ subject, data, entry, file, choose }: ReviewedProps) {
  const control = useControl();
  const receiver = useReceiver(subject, data, entry);
  const files = useMemo(() => parsePatch(fromBase64(data.diff)), [data.diff]);
  const shown = useMemo(() => ({ subject, ...(data.shows !== 'branch' && { shows: data.shows }) }), [subject, data.shows]);
  const drafts = useDrafts(subject);
  const { drafts: written, add, put, remove } = drafts;
  const placed = useMemo(() => written.map((draft): Placed => ({ draft, place: placeIn(files, draft) })), [files, written]);
  const write = useMemo(() => ({ add, put, remove }), [add, put, remove]);
  const writes = control && (receiver !== undefined || written.length > 0);
  const review = useMemo(() => (writes ? { placed, write } : undefined), [writes, placed, write]);
  const sent = placed.filter(({ draft }) => draft.text.trim() !== '');
  const decided = receiver?.how === 'reject' ? entry : undefined;
  return (
    <>
      {(receiver || sent.length > 0) && (
        <Decide
          key={decided?.sha}
          entry={decided}
          receiver={receiver ?? { how: 'nobody', why: 'No agent works on this, so there is nobody to tell: your comments stay here.' }}
          drafts={drafts}
          placed={sent}
        />
      )}
      <ShownChangeContext value={shown}>
        <Patch subject={subject} files={files} review={review} chosen={file} choose={choose} />
      </ShownChangeContext>
    </>
  );
}

/** The one that can be told about the change that is shown; `undefined`: it is not the change of a task, or a newer one is on its way. */
function useReceiver(subject: string, data: Out<'diff'>, entry: QueueEntry | undefined): Receiver | undefined {
  const agents = useView((view) => view.agents);
  const tasks = useView((view) => view.tasks);
  const { shows, commit, attempt } = data;
  return useMemo(() => {
    if (shows === 'entry' && entry) return commit === entry.sha ? { how: 'reject', task: subject, commit } : undefined;
    const task = tasks.find(({ id, phase }) => id === subject || `${phase}/${id}` === subject);
    const agent = agents.find((one) => one.task !== null && one.task === task?.id && one.attempt === attempt && one.phase === task.phase);
    if (shows === 'work' && agent) return { how: 'tell', agent: agent.name };
    if (!task) return undefined;
    if (task.state === 'parked' || task.state === 'landed') return { how: 'retry', task: subject };
    return { how: 'nobody', why: `${visible(subject)} is ${TASK_STATES[task.state].word}: your comments wait here until an agent has it.` };
  }, [shows, commit, attempt, entry, agents, tasks, subject]);
}
