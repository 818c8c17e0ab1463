import type { ReactNode } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { useCall, useControl } from '../link/use-farm.ts';
import { Dialog } from '../shell/dialog.tsx';
import type { Readable } from './steps.ts';

interface ReadProps {
  readonly what: Readable;
  readonly subject: string;
  readonly close: () => void;
}

/** A look that needs no view of its own: why something does not move, the output of a check, the configuration. */
export function Read({ what, subject, close }: ReadProps) {
  const { title, Body } = BODIES[what];
  return (
    <Dialog title={title(visible(subject))} close={close} wide>
      <Body subject={subject} />
    </Dialog>
  );
}

interface Subject {
  readonly subject: string;
}

const Wait = ({ error }: { readonly error: Error | undefined }) => <p className={error ? 'bad' : 'muted'}>{error?.message ?? 'Asking…'}</p>;

function Why({ subject }: Subject) {
  const { data, error } = useCall('why', { subject });
  if (!data) return <Wait error={error} />;
  return (
    <ul className="stack">
      {data.reasons.map(({ code, text, lines }) => (
        <li key={`${code} ${text}`}>
          {visible(text)}
          {lines && lines.length > 0 && <pre className="quote">{lines.map(visible).join('\n')}</pre>}
        </li>
      ))}
      {data.reasons.length === 0 && <li className="muted">Nothing holds it up.</li>}
    </ul>
  );
}

function Logs({ subject }: Subject) {
  const { data, error } = useCall('logs', { subject });
  if (!data) return <Wait error={error} />;
  return (
    <ul className="stack">
      {data.logs.toReversed().map(({ path, name, state, detail, telling }) => (
        <li key={path}>
          {visible(name)} {state} {detail && `(${detail})`} <code className="muted">{visible(path)}</code>
          {telling.length > 0 && <pre className="quote">{telling.map(visible).join('\n')}</pre>}
        </li>
      ))}
    </ul>
  );
}

const SIGNS = { ok: 'good', warn: 'warn', bad: 'bad' } as const;

/** This machine, the repository and the farm. What to do about a finding is said in words of the command line, because it is done there. */
function Doctor() {
  const { data, error } = useCall('doctor', { fix: false });
  if (!data) return <Wait error={error} />;
  return (
    <ul className="stack">
      {data.findings.map(({ level, what, hint }) => (
        <li key={what}>
          <span className={`tag ${SIGNS[level]}`}>{level}</span> {visible(what)}
          {level !== 'ok' && hint !== null && <div className="muted">{visible(hint)}</div>}
        </li>
      ))}
    </ul>
  );
}

/** The checks on the target itself: they are run, unless this address may only look. */
function Checks() {
  const { data, error } = useCall('preflight', useControl() ? { ask: true, wait: true } : {});
  if (!data) return <Wait error={error} />;
  return (
    <>
      <p>{visible(data.text)}</p>
      {data.telling.length > 0 && <pre className="quote">{data.telling.map(visible).join('\n')}</pre>}
      {data.advice.map(({ text }) => (
        <p key={text} className="muted">
          {visible(text)}
        </p>
      ))}
    </>
  );
}

function Clean() {
  const { data, error } = useCall('clean', { dryRun: true });
  if (!data) return <Wait error={error} />;
  if (data.removed.length === 0) return <p className="muted">There is nothing that could be removed.</p>;
  return (
    <ul>
      {data.removed.map(({ path, what }) => (
        <li key={path}>
          {visible(what)} <code className="muted">{visible(path)}</code>
        </li>
      ))}
    </ul>
  );
}

function Locks() {
  const { data, error } = useCall('locks', {});
  if (!data) return <Wait error={error} />;
  return (
    <ul>
      {data.leases.map(({ id, holder, state, names }) => (
        <li key={id}>
          {visible(holder)} {state === 'waiting' ? 'waits for' : 'holds'} {names.map(visible).join(', ')}
        </li>
      ))}
    </ul>
  );
}

function Config() {
  const { data, error } = useCall('config', {});
  if (!data) return <Wait error={error} />;
  return (
    <>
      {data.invalid && <pre className="quote bad">{data.invalid.split('\n').map(visible).join('\n')}</pre>}
      {data.differs && <p className="warn">{visible(data.differs)}</p>}
      <p className="muted">In force: {visible(data.in_force.from)}</p>
    </>
  );
}

/** Each look by the name that a step has for it. */
const BODIES: Readonly<Record<Readable, { title: (subject: string) => string; Body: (props: Subject) => ReactNode }>> = {
  why: { title: (subject) => `Why ${subject} does not move`, Body: Why },
  logs: { title: (subject) => `Output of ${subject}`, Body: Logs },
  config: { title: () => 'Configuration', Body: Config },
  doctor: { title: () => 'This machine and the farm', Body: Doctor },
  checks: { title: () => 'The checks on the target', Body: Checks },
  clean: { title: () => 'What could be removed', Body: Clean },
  locks: { title: () => 'Who holds what, and who waits', Body: Locks },
};
