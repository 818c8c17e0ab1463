import { Suspense, useEffect, useState } from 'react';
import { useHello, useSeen } from '../link/use-farm.ts';
import { loadViews, VIEWS } from '../views.ts';
import { Bar } from './bar.tsx';
import { Fault } from './fault.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { Notes } from './notes.tsx';
import { go, useRoute } from './route.ts';
import { Search } from './search.tsx';
import { Tab } from './tab.tsx';
import { TrustQuestion } from './trust.tsx';

/** The frame of the page: the bar, the view of the address, and what lies over both. */
export function App() {
  const standing = useSeen((seen) => seen.standing);
  const outdated = useSeen((seen) => seen.outdated);
  const hasView = useSeen(({ view }) => view !== undefined);
  const { view: name, rest } = useRoute();
  const [over, setOver] = useState<'help' | 'search' | undefined>();
  const close = () => setOver(undefined);
  useEffect(() => {
    if (hasView) loadViews();
  }, [hasView]);
  useKeys('Everywhere', [
    { key: '?', says: 'these keys', run: () => setOver('help') },
    { key: '/', says: 'search tasks, agents and views', run: () => setOver('search') },
    ...VIEWS.map((view) => ({ key: view.key, says: view.title, run: () => go(view.name) })),
  ]);
  if (standing === 'refused') return <NoToken />;
  const shown = VIEWS.find((view) => view.name === name) ?? VIEWS[0]!;
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <Bar shown={shown.name} search={() => setOver('search')} help={() => setOver('help')} />
      {hasView && standing !== 'open' && (
        <p className="banner warn" role="status">
          {standing === 'busy' ? BUSY : LOST}
        </p>
      )}
      {outdated && <p className="banner">furrow was updated: reload this page.</p>}
      <ReadOnly />
      <main id="main" tabIndex={-1} aria-label={shown.title}>
        {hasView ? (
          <Fault key={shown.name}>
            <Suspense fallback={<p className="empty">Loading…</p>}>
              <Shown view={shown} rest={rest} />
            </Suspense>
          </Fault>
        ) : (
          <p className="empty" role="status">
            {standing === 'busy' ? BUSY : standing === 'lost' ? 'The farm does not answer; trying again.' : 'Connecting to the farm…'}
          </p>
        )}
      </main>
      {over === 'help' && <Help close={close} />}
      {over === 'search' && hasView && <Search close={close} />}
      <Tab />
      {hasView && <TrustQuestion />}
      <Notes />
    </>
  );
}

const BUSY = 'This machine is busy: the farm did not answer in time. Trying again.';
const LOST =
  'Connection lost; trying again. What you see may be old, and nothing can be answered. A daemon that ended is started by the next furrow command, such as furrow status.';

function ReadOnly() {
  const hello = useHello();
  if (!hello || hello.control) return null;
  return <p className="banner">This address is read-only. `furrow web` prints one that can also answer.</p>;
}

function NoToken() {
  return (
    <main className="empty">
      <h1>furrow</h1>
      <p>
        This address has no valid token, and no other open tab could sign it in. Type <code>furrow web</code> in the repository and open the
        address that it prints.
      </p>
    </main>
  );
}

/** The same component for as long as its view is shown: another one would begin with nothing chosen. */
function Shown({ view, rest }: { readonly view: (typeof VIEWS)[number]; readonly rest: string }) {
  const [Component] = useState(() => view.component);
  return <Component rest={rest} />;
}
