import { useMemo, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import { TaskLink } from './task-name.tsx';

/** Questions that agents ask a person with `furrow ask`. Each goes on by itself meanwhile, and gets the answer as a message. */
export function Asks() {
  const attention = useView((view) => view.attention);
  const control = useControl();
  const act = useAct();
  const asks = useMemo(() => attention.filter(({ kind }) => kind === 'ask'), [attention]);
  if (asks.length === 0) return null;
  const send = (question: string, text: string, decline: boolean) =>
    void act('answer', { question, text: decline ? `I cannot answer this: ${text}` : text }, 'Your answer is on its way.');
  return (
    <section className="panel" aria-label="Asks you">
      <h2>
        Asks you <span className="muted">{asks.length}</span>
      </h2>
      <ul className="stack">
        {asks.map(({ id, agent, subject, reason, since }) => (
          <li key={id} className="message" aria-label={`question ${id}`}>
            <div className="row">
              {agent && <a href={href('agents', agent)}>{visible(agent)}</a>}
              <TaskLink task={subject} />
              <span className="grow" />
              <span className="muted">
                <Age at={since} />
              </span>
            </div>
            <pre>{reason.split('\n').map(visible).join('\n')}</pre>
            {control && <Reply send={(text, decline) => send(id, text, decline)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An answer, or the reason why there is none. */
export function Reply({ send }: { readonly send: (text: string, decline: boolean) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      className="stack reply"
      onSubmit={(event) => {
        event.preventDefault();
        send(text, false);
      }}
    >
      <textarea
        rows={2}
        aria-label="Your answer"
        placeholder="Your answer"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <button type="submit" className="main" disabled={text.trim() === ''}>
          Answer
        </button>
        <button type="button" disabled={text.trim() === ''} onClick={() => send(text, true)}>
          Decline, for this reason
        </button>
      </div>
    </form>
  );
}
