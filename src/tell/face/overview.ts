import { cut, pad } from '../../platform/text-width.ts';
import { visible } from '../../platform/visible.ts';
import { agentState, ENTRY_STATES, entryPlace, inQueue } from './states.ts';
import { subjectName, taskName } from './subject-names.ts';
import { summaryLine, summaryOf } from './summary.ts';
import type { Question, View } from './view.ts';

/** One line of a picture; a face that has colours shows the tone with them. */
export interface ToneLine {
  readonly tone: 'title' | 'calls' | 'plain' | 'quiet';
  readonly text: string;
}

interface Room {
  readonly columns: number;
  readonly rows: number;
}

const line = (tone: ToneLine['tone'], text: string): ToneLine => ({ tone, text });

/** A part of the picture: where there is no room for all of it, its first lines are shown and the rest is counted. */
interface Section {
  readonly title: string;
  readonly lines: readonly ToneLine[];
  /** Lines that it has in any case, as far as there are as many. */
  readonly least: number;
}

/**
 * The farm on one screen, for the first window of its tmux. Times of day and no ages: the picture changes when the farm does, and not
 * every minute. `help` stands at the bottom.
 */
export function overview(view: View, room: Room, help: readonly string[] = []): ToneLine[] {
  const summary = summaryOf(view);
  const first = line(summary.needsYou > 0 || summary.state === 'halted' ? 'calls' : 'title', ` ${summaryLine(summary, room.columns - 1)}`);
  const bottom = help.length > 0 && room.rows > help.length + LEAST_ROWS ? ['', ...help].map((text) => line('quiet', text)) : [];
  const sections = [attention(view, room), agents(view), queue(view), lately(view, room)].filter(({ lines }) => lines.length > 0);
  const body = fill(sections, room.rows - 1 - bottom.length);
  return [first, ...body, ...bottom].slice(0, room.rows).map(({ tone, text }) => line(tone, cut(text, room.columns)));
}

/** With fewer rows for the farm itself the help is left out. */
const LEAST_ROWS = 8;

/** Each section gets its least, then the earlier ones what they need. Two rows of each are an empty line and its title. */
function fill(sections: readonly Section[], rows: number): ToneLine[] {
  let left = rows - sections.reduce((sum, { least, lines }) => sum + 2 + Math.min(least, lines.length), 0);
  return sections.flatMap(({ title, lines, least }) => {
    const more = Math.max(0, Math.min(lines.length - least, left));
    left -= more;
    return [line('plain', ''), line('title', ` ${title}`), ...first(lines, Math.min(least, lines.length) + more)];
  });
}

function first(lines: readonly ToneLine[], count: number): readonly ToneLine[] {
  if (lines.length <= count) return lines;
  const shown = lines.slice(0, Math.max(0, count - 1));
  return [...shown, line('quiet', `   and ${lines.length - shown.length} more`)];
}

const attention = ({ attention: questions }: View, { columns }: Room): Section => ({
  title: 'needs you',
  least: 3,
  lines: questions.map((question) =>
    line('calls', ` ! ${clockTime(question.since)}  ${about(question, Math.floor(columns / 3))}: ${visible(question.reason)}`),
  ),
});

/** A title takes no more than `most` columns: the reason behind it has room, too. */
const about = (question: Question, most: number) =>
  `${question.agent === null || question.agent === question.subject ? '' : `${question.agent}, `}${cut(visible(subjectName(question)), most)} (${question.kind})`;

function agents({ agents: all }: View): Section {
  const name = Math.max(0, ...all.map((agent) => agent.name.length));
  return {
    title: 'agents',
    least: 3,
    lines: all.map((agent) => {
      const state = agentState(agent).word;
      const task = agent.task === null ? '' : visible(taskName(agent.task, agent.title));
      const tone = agent.state === 'waiting' || agent.state === 'dead' ? 'calls' : agent.state === 'stopped' ? 'quiet' : 'plain';
      return line(tone, ` ${pad(String(agent.index), 3)}${pad(agent.name, name)}  ${pad(state, 20)}  ${task}`.trimEnd());
    }),
  };
}

function queue({ entries, queue: { halted } }: View): Section {
  return {
    title: 'queue',
    least: 2,
    lines: [
      ...(halted === null ? [] : [line('calls', ` ! halted: ${visible(halted)}`)]),
      ...entries.filter(inQueue).map((entry) => {
        const { task, title, reason } = entry;
        return line(
          'plain',
          ` ${pad(ENTRY_STATES[entryPlace(entry)].word, 16)}${visible(`${taskName(task, title)}${reason ? `: ${reason}` : ''}`)}`,
        );
      }),
    ],
  };
}

const lately = ({ landings }: View, { columns }: Room): Section => ({
  title: 'landed lately',
  least: 1,
  lines: landings
    .toReversed()
    .slice(0, 10)
    .map(({ at, tasks, titles, commit, published }) => {
      const [before, after] = [`   ${clockTime(at)}  ${commit.slice(0, 8)}  `, published ? '' : '  not yet published'];
      const names = tasks.map((task, n) => taskName(task, titles?.[n])).join(', ');
      return line('quiet', `${before}${cut(visible(names), Math.max(1, columns - before.length - after.length))}${after}`);
    }),
});

/** The time of day where the person is. */
function clockTime(iso: string): string {
  const at = new Date(iso);
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
}
