import { type FormEvent, lazy, Suspense, useState } from 'react';
import type { ListedTask, Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { withoutAsides } from '../../src/tell/face/subject-names.ts';
import { useCall, useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useFits } from '../shell/kept.ts';
import { href } from '../shell/route.ts';
import { Markdown } from './markdown.tsx';
import { TaskStateTag } from './state.tsx';
import { TaskAttempts } from './task-attempts.tsx';
import { type TaskFields, TaskForm } from './task-form.tsx';
import { TaskTalk } from './task-talk.tsx';

const Terminal = lazy(async () => ({ default: (await import('./terminal.tsx')).AgentTerminal }));

interface NewProps {
  readonly priorities: readonly string[];
  readonly close: () => void;
}

const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Adds a task to the board, where the next free agent finds it. */
export function NewTask({ priorities, close }: NewProps) {
  const act = useAct();
  const phases = useView((view) => [...new Set(view.tasks.map(({ phase }) => phase))].join(' '));
  async function save({ title, body, priority, after, approve, phase }: TaskFields): Promise<void> {
    const added = await act(
      'add',
      {
        title,
        priority,
        depends_on: listed(after),
        ...(body.trim() && { body }),
        ...(approve && { land: 'approve' as const }),
        ...(phase && { phase }),
      },
      'Added to the board.',
    );
    if (added) close();
  }
  const empty = { title: '', body: '', priority: 'medium', after: '', approve: false, phase: '' };
  return (
    <Dialog title="New task" close={close} wide>
      <TaskForm fields={empty} priorities={priorities} phases={listed(phases)} save={save} word="Add" />
    </Dialog>
  );
}

interface TaskProps extends NewProps {
  readonly task: ListedTask;
}

/** All of one task: where it stands, why, what was tried; with the control token it can be edited, too. */
export function TaskDialog({ task, priorities, close }: TaskProps) {
  const control = useControl();
  const act = useAct();
  const [edits, setEdits] = useState(false);
  const { data, error } = useCall('show', { task: task.id }, JSON.stringify(task));
  async function save({ title, body, priority, after }: TaskFields): Promise<void> {
    const saved = await act('edit', { task: task.id, title, body, priority, depends_on: listed(after) }, `${task.id} is saved.`);
    if (saved) setEdits(false);
  }
  return (
    <Dialog title={`${visible(task.id)} ${visible(task.title)}`} close={close} wide>
      <div className="row">
        <TaskStateTag state={task.state} />
        <span className="muted">
          {task.priority}, {task.phase}
          {task.agent && `, ${visible(task.agent)}`}
          {task.attempt > 1 && `, try ${task.attempt}`}
        </span>
        <span className="grow" />
        {task.attempt > 0 && <a href={href('changes', task.id)}>See the change</a>}
        {control && data && !edits && task.state !== 'landed' && (
          <button type="button" onClick={() => setEdits(true)}>
            Edit
          </button>
        )}
        {control && task.state === 'parked' && (
          <button type="button" onClick={() => void act('retry', { task: task.id }, `${task.id} is tried again.`)}>
            Try again
          </button>
        )}
        {control && task.state === 'blocked' && (
          <button type="button" onClick={() => void act('unblock', { task: task.id }, `${task.id} is unblocked.`)}>
            Unblock
          </button>
        )}
      </div>
      {error && <p className="bad">{error.message}</p>}
      {data && edits && (
        <TaskForm
          fields={{
            title: data.title,
            body: data.body,
            priority: data.priority,
            after: data.depends_on.join(', '),
            approve: false,
            phase: '',
          }}
          priorities={priorities}
          save={save}
          word="Save"
        />
      )}
      {data && !edits && <WholeTask data={data} />}
    </Dialog>
  );
}

/** Its text, what was tried, what was said, and its terminal while an agent has it. */
function WholeTask({ data }: { readonly data: Out<'show'> }) {
  const { id, phase, reasons, body, attempts } = data;
  const control = useControl();
  const [fits] = useFits();
  const agent = useView((view) => view.agents).find((one) => one.task === id && one.phase === phase);
  return (
    <div className="stack task-whole">
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ code, text }) => (
            <li key={`${code} ${text}`}>{visible(withoutAsides(text))}</li>
          ))}
        </ul>
      )}
      {body.trim() && <Markdown text={body} />}
      {control && <Note task={id} />}
      {agent && (
        <section aria-label="Terminal">
          <h2>
            Terminal of <a href={href('agents', agent.name)}>{visible(agent.name)}</a>
          </h2>
          <div className="task-terminal">
            <Suspense fallback={<p className="muted">Loading…</p>}>
              <Terminal agent={agent} typing={false} fits={control && fits} pressed={() => {}} left={() => {}} />
            </Suspense>
          </div>
        </section>
      )}
      {attempts.length > 0 && (
        <section aria-label="Attempts">
          <h2>Attempts</h2>
          <TaskAttempts task={data} />
        </section>
      )}
      {attempts.length > 0 && (
        <section aria-label="Conversation">
          <h2>Conversation</h2>
          <TaskTalk task={id} phase={phase} attempts={attempts} />
        </section>
      )}
    </div>
  );
}

/** A line for whoever works on it next, below its text. */
function Note({ task }: { readonly task: string }) {
  const act = useAct();
  const [note, setNote] = useState('');
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (note.trim() !== '' && (await act('edit', { task, note }, `The note is in ${task}.`))) setNote('');
  }
  return (
    <form className="row" onSubmit={(event) => void send(event)}>
      <input
        className="grow"
        aria-label="A note"
        placeholder="A note for whoever works on it next"
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <button type="submit" disabled={note.trim() === ''}>
        Add the note
      </button>
    </form>
  );
}
