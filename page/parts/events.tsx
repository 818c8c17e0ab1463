import type { FarmEvent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { href } from '../shell/route.ts';
import { TaskLink } from './task-name.tsx';

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

/** Events one a line, the newest first. */
export function Events({ events }: { readonly events: readonly FarmEvent[] }) {
  return (
    <ol className="events">
      {events.map(({ seq, at, agent, task, title, text, kind }) => (
        <li key={seq}>
          <time dateTime={at} className="muted mono">
            {time.format(new Date(at))}
          </time>
          <span className="who">
            {agent && <a href={href('agents', agent)}>{visible(agent)}</a>}
            {task && <TaskLink task={task} title={title} />}
          </span>
          <span>{visible(text || kind)}</span>
        </li>
      ))}
    </ol>
  );
}
