import type { Client } from '../../../api/client.ts';
import type { FarmEvent, Out } from '../../../api/contract.ts';
import { agentState, queueWords } from '../../../tell/face/states.ts';
import { type Paint, paintFor, stderr, write } from '../out.ts';
import { cut, pad, span } from './columns.ts';
import { eventLine, ofNote } from './event.ts';
import { bar } from './glyph.ts';
import { safe } from './safe.ts';

/** The progress that `furrow work` shows while it waits. All of it goes to stderr: stdout is for the answer. */
export interface Progress {
  begin(phase: string): void;
  heard(event: FarmEvent): void;
  say(text: string): void;
  end(): void;
}

export function lineByLine(): Progress {
  const paint = paintFor(stderr);
  return {
    begin: () => {},
    heard: (event) => {
      if (ofNote(event)) write(stderr, `${eventLine(event, paint)}\n`);
    },
    say: (text) => write(stderr, `furrow: ${text}\n`),
    end: () => {},
  };
}

interface Scene {
  readonly status: Out<'status'>;
  readonly landed: number;
  readonly total: number;
  readonly phase: string;
  readonly events: readonly FarmEvent[];
  readonly note: string;
}

const EVENTS_SHOWN = 5;
/** A burst of events is one question to the farm: often enough for the eye, rare enough for the daemon. */
const REFRESH_MS = 150;

/** Drawn over itself. The farm is asked again only after an event; between events only the clock moves. */
export function live(farm: Client, started: number): Progress {
  const paint = paintFor(stderr);
  const events: FarmEvent[] = [];
  let scene: Scene | undefined;
  let note = '';
  let height = 0;
  let phase: string | undefined;
  let asked: NodeJS.Timeout | undefined;

  const draw = () => {
    if (!scene) return;
    // A terminal that does not know its size says 0.
    const size = { columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 };
    const lines = frame({ ...scene, events, note }, started, Date.now(), size, paint);
    write(stderr, `${height > 0 ? `\x1b[${height}A` : ''}${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
    height = lines.length;
  };
  const refresh = async () => {
    asked = undefined;
    if (phase === undefined) return;
    const [status, { tasks }] = await Promise.all([farm.call('status', {}), farm.call('list', { phase })]);
    const counted = tasks.filter((task) => task.state !== 'archived');
    const landed = counted.filter((task) => task.state === 'landed').length;
    scene = { status: safe(status), landed, total: counted.length, phase, events, note };
    draw();
  };
  const ask = () => {
    asked ??= setTimeout(() => refresh().catch(() => {}), REFRESH_MS);
  };
  const clock = setInterval(draw, 1000);
  return {
    begin: (name) => {
      phase = name;
      ask();
    },
    heard: (event) => {
      if (ofNote(event)) events.push(event);
      if (events.length > EVENTS_SHOWN) events.shift();
      ask();
    },
    say: (text) => {
      note = text;
      draw();
    },
    end: () => {
      clearInterval(clock);
      clearTimeout(asked);
    },
  };
}

/** One picture of the work, never taller or wider than the terminal, or it could not be drawn over. */
export function frame(scene: Scene, started: number, now: number, size: { columns: number; rows: number }, paint: Paint): string[] {
  const { status } = scene;
  const fixed = 3 + scene.events.length + (scene.note === '' ? 0 : 1);
  const room = Math.max(1, size.rows - 1 - fixed);
  const agents = status.agents.filter((agent) => agent.phase === scene.phase);
  const shown = agents.length > room ? agents.slice(0, room - 1) : agents;
  const wide = Math.max(1, size.columns - 1);
  return [
    paint.bold(
      cut(`${scene.phase}  ${bar(scene.landed, scene.total, 24)} ${scene.landed}/${scene.total} landed  ${span(now - started)}`, wide),
    ),
    ...shown.map((agent) => {
      const since = span(now - Date.parse(agent.since));
      const task = agent.task === null ? '' : `${agent.task} ${agent.title ?? ''}`.replaceAll('\n', ' ');
      return cut(`  ${pad(agent.name, 16)} ${pad(agentState(agent).word, 9)} ${pad(since, 7)} ${task}`, wide);
    }),
    ...(shown.length < agents.length ? [paint.dim(cut(`  … and ${agents.length - shown.length} more agents`, wide))] : []),
    cut(`queue  ${queueWords(status.queue)}${needs(status.attention.length)}`, wide),
    paint.dim('─'.repeat(Math.min(wide, 60))),
    ...scene.events.map((event) => cut(eventLine(event, plain), wide)),
    ...(scene.note === '' ? [] : [paint.yellow(cut(scene.note, wide))]),
  ];
}

const needs = (count: number) => (count === 0 ? '' : `   ${count} ${count === 1 ? 'question' : 'questions'} for you: furrow next`);

const same = (text: string) => text;
const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };
