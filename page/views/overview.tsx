import { useControl, useEvents, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/notes.tsx';
import { Age } from '../shell/time.tsx';

export function Overview() {
  const attention = useView((view) => view.attention);
  const events = useEvents();
  const control = useControl();
  const act = useAct();
  return (
    <>
      <h1>Overview</h1>
      {attention.map(({ id, reason, since }) => (
        <p key={id}>
          {reason} <Age at={since} />
        </p>
      ))}
      {control && (
        <button type="button" onClick={() => void act('pause', {}, 'The farm is paused.')}>
          Pause
        </button>
      )}
      <p className="muted">{events.length} events</p>
    </>
  );
}
