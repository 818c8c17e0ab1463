import { useMemo } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { asksYes } from '../../src/tell/face/approval.ts';
import { inQueue } from '../../src/tell/face/states.ts';
import type { QueueEntry } from '../../src/tell/face/view.ts';
import { useCall, useView } from '../link/use-farm.ts';
import { Decide } from '../parts/decide.tsx';
import { Patch } from '../parts/patch.tsx';
import { useKeys } from '../shell/keys.ts';
import { go, href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/changes.css';

interface Listed {
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
  const chosen = rest || all[0]?.rest;
  const step = (by: number) => {
    const at = all.findIndex((one) => one.rest === chosen);
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
                  <a href={href('changes', one.rest)} aria-current={one.rest === chosen ? 'true' : undefined}>
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
        {chosen ? <Change key={chosen} address={chosen} /> : <p className="empty">Nothing to see yet.</p>}
      </div>
    </div>
  );
}

function useGroups(): readonly Group[] {
  const entries = useView((view) => view.entries);
  const agents = useView((view) => view.agents);
  const landings = useView((view) => view.landings);
  const attention = useView((view) => view.attention);
  return useMemo(() => {
    const open = entries.filter(inQueue);
    const entry = ({ task, title, at }: QueueEntry): Listed => ({ rest: `entry:${task}`, name: task, title, at });
    const waits = (one: QueueEntry) => asksYes(one, attention);
    const work = agents.flatMap(({ name, task, title, since, attempt }): Listed[] =>
      task === null || attempt === null ? [] : [{ rest: `work:${task}`, name: task, title: `${title ?? ''} (${name})`, at: since }],
    );
    const landed = landings
      .slice(-LANDINGS)
      .toReversed()
      .map(({ commit, tasks, at }) => ({ rest: `landing:${commit}`, name: commit.slice(0, 8), title: tasks.join(', '), at }));
    return [
      { title: 'Needs approval', listed: open.filter(waits).map(entry) },
      { title: 'In queue', listed: open.filter((one) => !waits(one)).map(entry) },
      { title: 'Working', listed: work },
      { title: 'Landed', listed: landed },
    ].filter(({ listed }) => listed.length > 0);
  }, [entries, agents, landings, attention]);
}

function Change({ address }: { readonly address: string }) {
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
      {data?.shows === 'entry' && entry && data.commit === entry.sha && <Decide key={entry.sha} entry={entry} commit={entry.sha} />}
      {data && <Patch patch={data.diff} />}
    </article>
  );
}
