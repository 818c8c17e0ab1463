import { useSyncExternalStore } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { GROUPS, type Group } from '../../src/config/trust/line.ts';
import { Refused } from '../link/link.ts';
import { useCall, useLink } from '../link/use-farm.ts';
import { Dialog } from './dialog.tsx';
import { say } from './notes-store.ts';

type View = Out<'trust'>;
type Line = View['lines'][number];

/** The press that waits for a person's word about what the repository runs. */
let waiting: ((trusted: boolean) => void) | undefined;
const listeners = new Set<() => void>();

function set(next: typeof waiting): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Shows what the repository would run, and asks. True: the person agreed to exactly that. */
export function askTrust(): Promise<boolean> {
  waiting?.(false);
  return new Promise((resolve) => set(resolve));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The question of trust, when something was pressed that needs it. */
export function TrustQuestion() {
  const answer = useSyncExternalStore(subscribe, () => waiting);
  if (!answer) return null;
  const end = (trusted: boolean) => {
    set(undefined);
    answer(trusted);
  };
  return <TrustDialog end={end} />;
}

function TrustDialog({ end }: { readonly end: (trusted: boolean) => void }) {
  const link = useLink();
  const { data, error } = useCall('trust', {});
  const agree = (hash: string) =>
    link.call('giveTrust', { hash }).then(
      () => end(true),
      (why: Error) => {
        say(
          why instanceof Refused && why.code === 'RESTARTS' ? 'Trusted. The farm starts anew; press again when it is back.' : why.message,
          why,
        );
        end(false);
      },
    );
  return (
    <Dialog title="Trust what this repository runs?" close={() => end(false)} wide>
      {!data && <p className={error ? 'bad' : 'muted'}>{error?.message ?? 'Asking…'}</p>}
      {data && <Asked view={data} agree={agree} leave={() => end(false)} />}
    </Dialog>
  );
}

interface AskedProps {
  readonly view: View;
  readonly agree: (hash: string) => Promise<void>;
  readonly leave: () => void;
}

function Asked({ view, agree, leave }: AskedProps) {
  const { repository, lines, added, changed, gone, since, foreign, why, trusted, hash } = view;
  const refused = lines.some(({ refuses }) => refuses);
  const differs = since !== null && added.length + changed.length + gone.length > 0;
  return (
    <div className="stack trust">
      <p>
        {trusted ? 'You trust this already: ' : why && `${why}. `}
        All of it is listed here. It runs as you, with your files and logins, as far as the rules do not hold it back.
      </p>
      <p className="muted mono">{repository}</p>
      {foreign && (
        <p className="warn">
          The store in .furrow was not made here by you. It holds {foreign.tasks} tasks and {foreign.queued} queued entries.
        </p>
      )}
      {differs && <Lines title="changed since you trusted it" lines={[...changed.map(was), ...added, ...gone.map(isGone)]} />}
      {(Object.keys(GROUPS) as Group[]).map((group) => (
        <Lines key={group} title={GROUPS[group]} lines={lines.filter((line) => line.group === group)} />
      ))}
      {refused && <p className="bad">Not all of it can be read, so it cannot be trusted.</p>}
      <div className="row">
        <button type="button" className="main" disabled={refused || trusted} onClick={() => void agree(hash)}>
          Yes, I trust these {lines.length} lines
        </button>
        <button type="button" onClick={leave}>
          No
        </button>
      </div>
    </div>
  );
}

const was = (line: View['changed'][number]): Line => ({ ...line, text: `was ${line.before}, is ${line.text}` });
const isGone = (line: Line): Line => ({ ...line, text: `is gone: ${line.text}` });

/** The daemon has made every line printable. */
function Lines({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl className="trust-lines mono">
        {lines.map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
