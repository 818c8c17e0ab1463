import { useMemo } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { reasonWithoutCommands } from '../../src/tell/face/subject-names.ts';
import { useCall, useEvents, useView } from '../link/use-farm.ts';
import { href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';

type Attempts = Out<'show'>['attempts'];

interface TalkProps {
  readonly task: string;
  readonly phase: string;
  readonly attempts: Attempts;
}

/** The talk about a task: the questions that are open, and the messages from and to an agent while it had the task. */
export function TaskTalk({ task, phase, attempts }: TalkProps) {
  const attention = useView((view) => view.attention);
  const last = useEvents().findLast(({ kind }) => /^(message|question)\./.test(kind))?.seq;
  const { data } = useCall('messages', {}, last);
  const questions = attention.filter(({ subject }) => subject === task || subject === `${phase}/${task}`);
  const messages = useMemo(() => messagesOf(data?.messages ?? [], attempts), [data, attempts]);
  if (questions.length === 0 && messages.length === 0) return <p className="muted">Nobody has asked or written anything.</p>;
  return (
    <ul className="stack">
      {questions.map(({ id, kind, reason, output, since }) => (
        <li key={`q${id}`} className="message">
          <p className="row">
            <span className="tag warn">{kind}</span>
            <a href={href('overview', id)}>answer it</a>
            <span className="grow" />
            <span className="muted">
              <Age at={since} />
            </span>
          </p>
          <pre className="words">{reasonWithoutCommands({ kind, reason, output }).split('\n').map(visible).join('\n')}</pre>
        </li>
      ))}
      {messages.map(({ id, from, to, kind, at, body, receipt, thread }) => (
        <li key={id} className="message">
          <p className="row">
            <strong>{visible(from)}</strong> <span className="muted">to {visible(to)}</span>
            <a className="muted" href={href('messages', thread)}>
              {kind}
            </a>
            <span className="grow" />
            <span className="row">
              <span className="tag">{receipt}</span>
              <span className="muted">
                <Age at={at} />
              </span>
            </span>
          </p>
          <pre className="words">{body.split('\n').map(visible).join('\n')}</pre>
        </li>
      ))}
    </ul>
  );
}

function messagesOf(messages: Out<'messages'>['messages'], attempts: Attempts) {
  const during = (at: string) =>
    attempts.filter(({ started, ended }) => at >= started && (ended === null || at <= ended)).map(({ agent }) => agent);
  return messages.filter(({ from, to, at }) => during(at).some((agent) => agent === from || agent === to));
}
