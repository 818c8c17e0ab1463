import { useState } from 'react';

export interface TaskFields {
  readonly title: string;
  readonly body: string;
  readonly priority: string;
  /** Ids with commas between. */
  readonly after: string;
  readonly approve: boolean;
  readonly phase: string;
}

interface FormProps {
  readonly fields: TaskFields;
  readonly priorities: readonly string[];
  /** Only for a new task: to which phase it goes. */
  readonly phases?: readonly string[];
  readonly save: (fields: TaskFields) => Promise<void>;
  readonly word: string;
}

export function TaskForm({ fields, priorities, phases, save, word }: FormProps) {
  const [now, setNow] = useState(fields);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<TaskFields>) => setNow((old) => ({ ...old, ...change }));
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        void save(now).finally(() => setBusy(false));
      }}
    >
      <label>
        Title
        <input data-first required value={now.title} onChange={(event) => set({ title: event.target.value })} />
      </label>
      <label>
        Text
        <textarea rows={8} value={now.body} onChange={(event) => set({ body: event.target.value })} />
      </label>
      <div className="row">
        <label>
          Priority
          <select value={now.priority} onChange={(event) => set({ priority: event.target.value })}>
            {priorities.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label className="grow">
          After
          <input placeholder="ids of tasks that land first" value={now.after} onChange={(event) => set({ after: event.target.value })} />
        </label>
        {phases && phases.length > 1 && (
          <label>
            Phase
            <select value={now.phase} onChange={(event) => set({ phase: event.target.value })}>
              <option value="">(the usual one)</option>
              {phases.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {phases && (
        <label className="check">
          <input type="checkbox" checked={now.approve} onChange={(event) => set({ approve: event.target.checked })} /> Lands only after a
          yes
        </label>
      )}
      <button type="submit" className="main" disabled={busy || now.title.trim() === ''}>
        {word}
      </button>
    </form>
  );
}
