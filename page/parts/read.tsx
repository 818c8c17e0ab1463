import { visible } from '../../src/platform/visible.ts';
import { useCall } from '../link/use-farm.ts';
import { Dialog } from '../shell/dialog.tsx';

interface ReadProps {
  readonly what: 'why' | 'logs' | 'config';
  readonly subject: string;
  readonly close: () => void;
}

/** A look that needs no view of its own: why something does not move, the output of a check, the configuration. */
export function Read({ what, subject, close }: ReadProps) {
  const titles = { why: `Why ${visible(subject)} does not move`, logs: `Output of ${visible(subject)}`, config: 'Configuration' };
  const Body = { why: Why, logs: Logs, config: Config }[what];
  return (
    <Dialog title={titles[what]} close={close} wide>
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
