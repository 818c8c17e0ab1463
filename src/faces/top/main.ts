import { wantsAscii } from './ascii.ts';
import type { TopDoor, TopProgram } from './command-line.ts';
import { type Frame, frameOf } from './frame.ts';
import { MOUSE_OFF, MOUSE_ON } from './key-press.ts';
import { Keyboard } from './keyboard.ts';
import { Screen } from './screen.ts';
import { Session } from './session.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows the farm until the person quits. Answers the exit code. */
export const top: TopProgram['top'] = async (door: TopDoor) => {
  const { stdin, stdout } = process;
  const size = () => ({ width: stdout.columns || 80, height: stdout.rows || 24 });
  const quit = Promise.withResolvers<void>();
  const screen = new Screen(stdout, door.colours, wantsAscii(process.env));
  const session: Session = new Session(door, {
    changed: () => pace.ask(),
    seen: () => frame,
    async release(use) {
      leave();
      await use().finally(enter);
      pace.ask();
    },
    quit: quit.resolve,
  });
  const keyboard = new Keyboard(stdin, (press) => session.press(press));
  const make = () => frameOf(session.model, session.state, size(), Date.now(), session.peek.shown());
  let free = true;
  let frame: Frame = make();
  const pace = new Pace(() => {
    if (free) return Number.POSITIVE_INFINITY;
    frame = make();
    screen.draw(frame.lines);
    return frame.next;
  });
  const enter = () => {
    free = false;
    screen.enter();
    if (door.mouse) stdout.write(MOUSE_ON);
    keyboard.listen();
  };
  const leave = () => {
    if (free) return;
    free = true;
    keyboard.rest();
    if (door.mouse) stdout.write(MOUSE_OFF);
    screen.leave();
  };
  const resized = () => {
    screen.forget();
    pace.ask();
  };
  const killed = (signal: NodeJS.Signals) => {
    leave();
    process.kill(process.pid, signal);
  };
  process.on('exit', leave);
  for (const signal of SIGNALS) process.once(signal, killed);
  stdout.on('resize', resized);
  stdin.once('end', quit.resolve);
  enter();
  pace.ask();
  try {
    // A person may leave before a daemon answers.
    await Promise.race([session.connect(), quit.promise]);
    await quit.promise;
  } finally {
    pace.stop();
    session.close();
    door.close();
    leave();
    process.off('exit', leave);
    for (const signal of SIGNALS) process.off(signal, killed);
    stdout.off('resize', resized);
    stdin.off('end', quit.resolve);
  }
  return 0;
};

/** A person sees no more than this; a farm of 100 agents changes more often. */
const FRAME_MS = 100;
/** Ages move on once a second at most. */
const AGE_MS = 1000;

/** Draws soon after something changed, never twice within a tenth of a second, and never while nothing changes. */
class Pace {
  readonly #draw: () => number;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** `draw` answers when the picture changes by the clock alone. */
  constructor(draw: () => number) {
    this.#draw = draw;
  }

  /** Something changed. */
  ask(now = Date.now()): void {
    this.#plan(Math.max(now, this.#last + FRAME_MS), now);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }

  #plan(at: number, now: number): void {
    if (at >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = at;
    this.#timer = setTimeout(() => this.#fire(), Math.min(Math.max(0, at - now), MOST_MS));
  }

  #fire(): void {
    this.stop();
    this.#last = Date.now();
    const next = this.#draw();
    if (Number.isFinite(next)) this.#plan(Math.max(next, this.#last + AGE_MS), this.#last);
  }
}

/** Longer timers would fire at once. */
const MOST_MS = 2 ** 31 - 1;
