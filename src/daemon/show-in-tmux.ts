import { cut } from '../platform/text-width.ts';
import type { People } from '../platform/tmux/people.ts';
import type { Badge } from '../platform/tmux/window-options.ts';
import { visible } from '../platform/visible.ts';
import { overview } from '../tell/face/overview.ts';
import { taskName } from '../tell/face/subject-names.ts';
import { summaryLine, summaryOf } from '../tell/face/summary.ts';
import type { View } from '../tell/face/view.ts';
import type { Desk } from './calls/context.ts';
import { readView } from './calls/watch.ts';
import { frameOf } from './host/home-window.ts';
import type { ShownInTmux, TmuxFace } from './host/tmux-face.ts';

/** The least time between two looks: nobody reads faster, and a farm at full speed changes hundreds of times a second. */
const PACE_MS = 250;

/** The status line, the names of windows and the first window of the farm's tmux. */
export interface InTmux {
  /** Something may have changed. Cheap, and never waits; while nobody is attached nothing is read or set. */
  follow(): void;
  close(): Promise<void>;
}

export function showInTmux(desk: Desk, face: TmuxFace): InTmux {
  let [at, ended, wanted] = [Number.NEGATIVE_INFINITY, false, false];
  let timer: NodeJS.Timeout | undefined;
  let showing: Promise<void> | undefined;
  const look = () => {
    timer = undefined;
    if (ended || showing) return;
    [at, wanted] = [performance.now(), false];
    showing = show(desk, face)
      .catch((error: Error) => {
        desk.farm.log.warn({ error: error.message }, 'the farm could not be shown in its tmux');
        return true;
      })
      .then((drawn) => {
        showing = undefined;
        if (wanted || !drawn) follow();
      });
  };
  const follow = () => {
    wanted = true;
    if (!ended && !showing) timer ??= setTimeout(look, Math.max(0, at + PACE_MS - performance.now())).unref();
  };
  return {
    follow,
    async close() {
      ended = true;
      clearTimeout(timer);
      await showing;
      face.close();
    },
  };
}

async function show(desk: Desk, face: TmuxFace): Promise<boolean> {
  const people = await face.people();
  if (!people) return true;
  return face.show(inTmux(await readView(desk, { kind: 'person' }), people));
}

/** The view as the people at its terminals see it. Pure. */
export function inTmux(view: View, people: People): ShownInTmux {
  const waiting = view.attention.flatMap(({ agent }) => (agent === null ? [] : [agent]));
  const seen = people.clients.filter(({ atHome }) => atHome);
  const nested = seen.length > 0 && seen.every(({ termname }) => /^(tmux|screen)/.test(termname));
  const prefix = nested && people.nestedPrefix !== '' ? people.nestedPrefix : 'C-b';
  return {
    status: summaryLine(summaryOf(view), Math.min(STATUS_COLUMNS, Math.floor(people.columns / 2))),
    badges: new Map(view.agents.map((agent) => [agent.name, badgeOf(agent, waiting.includes(agent.name))])),
    tasks: new Map(
      view.agents.flatMap(({ name, task, title }) => (task === null ? [] : [[name, cut(visible(taskName(task, title)), TASK_COLUMNS)]])),
    ),
    next: waiting[0] ?? null,
    frame: seen.length === 0 ? undefined : frameOf(overview(view, people, helpFor(prefix, people.columns))),
  };
}

/** The windows and the keys have the rest of the line, and at least half of it. */
const STATUS_COLUMNS = 60;

/** tmux itself cuts at the edge of the window; this keeps a line of the list of windows readable. */
const TASK_COLUMNS = 80;

function badgeOf({ state, paused }: View['agents'][number], waits: boolean): Badge {
  if (waits || state === 'waiting') return 'waits';
  if (state === 'dead') return 'dead';
  if (state === 'limited') return 'limited';
  return paused ? 'paused' : 'well';
}

/** The keys, as many on a line as have room. */
function helpFor(prefix: string, columns: number): string[] {
  const keys = [
    ['a', 'answer what needs you'],
    ['j', 'go to the agent that needs you'],
    ['v', 'its changes'],
    ['P', 'pause, R resume: an agent, here the farm'],
    ['n', 'p w: other windows'],
    ['d', 'leave; the agents work on'],
  ];
  const lines: string[] = [];
  for (const text of keys.map(([key, says]) => `${prefix} ${key}  ${says}`)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length + 4 < columns) lines[lines.length - 1] = `${last}    ${text}`;
    else lines.push(` ${text}`);
  }
  return lines;
}
