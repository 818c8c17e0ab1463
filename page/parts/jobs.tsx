import { useState } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { useCall, useControl } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { Age } from '../shell/time.tsx';

type Job = Out<'jobList'>['jobs'][number];

const TONES: Readonly<Record<Job['state'], string>> = {
  queued: '',
  delivered: '',
  running: 'live',
  awaiting_input: 'warn',
  blocked: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: '',
  expired: 'bad',
  unavailable: 'bad',
};

/** Requests to agents that outlive a conversation, with their states. */
export function Jobs({ when }: { readonly when: unknown }) {
  const { data, error, again } = useCall('jobList', {}, when);
  const [cancelling, setCancelling] = useState<string>();
  const control = useControl();
  if (!data) return error ? <p className="bad">{visible(error.message)}</p> : null;
  return (
    <section className="panel" aria-label="Jobs">
      <h2>
        Jobs <span className="muted">{data.jobs.length}</span>
      </h2>
      {data.jobs.length === 0 && <p className="muted">Nobody has sent a job yet.</p>}
      <ul className="stack">
        {data.jobs.toReversed().map((job) => (
          <li key={job.id} className="job">
            <div className="row">
              <span className="mono muted">{visible(job.id)}</span>
              <span className={`tag ${TONES[job.state]}`}>{job.state.replace('_', ' ')}</span>
              <span>
                {visible(job.from)} → {visible(job.to)}
              </span>
              <span className="grow" />
              <span className="row">
                <span className="muted">
                  <Age at={job.changed} />
                </span>
                {control && job.ended === null && job.cancelling === null && (
                  <button
                    type="button"
                    className="quiet"
                    aria-expanded={cancelling === job.id}
                    aria-label={`Cancel job ${visible(job.id)}`}
                    onClick={() => setCancelling(cancelling === job.id ? undefined : job.id)}
                  >
                    cancel
                  </button>
                )}
              </span>
            </div>
            <p>{visible(job.text)}</p>
            {job.cancelling && <p className="warn">To be cancelled: {visible(job.cancelling)}</p>}
            {(job.result ?? job.note) && <p className="muted">{visible(job.result ?? job.note ?? '')}</p>}
            {job.artifacts.length > 0 && <p className="mono muted">{job.artifacts.map(visible).join(', ')}</p>}
            {cancelling === job.id && (
              <Cancel
                id={job.id}
                close={() => {
                  setCancelling(undefined);
                  again();
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Cancel({ id, close }: { readonly id: string; readonly close: () => void }) {
  const act = useAct();
  const [reason, setReason] = useState('');
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') void act('jobCancel', { id, reason }, `Job ${id} is to be cancelled.`).then(close);
      }}
    >
      <input
        className="grow"
        ref={(field) => field?.focus()}
        aria-label="Why it is cancelled"
        placeholder="Why"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="submit" className="main" disabled={reason.trim() === ''}>
        Cancel the job
      </button>
    </form>
  );
}
