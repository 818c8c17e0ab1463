import type { TopDoor, TopProgram } from './door.ts';
import { type Frame, frameOf } from './frame.ts';
import { Keyboard } from './keyboard.ts';
import { MOUSE_OFF, MOUSE_ON } from './mouse.ts';
import { Pace } from './pace.ts';
import { Screen } from './screen.ts';
import { Session } from './session.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows the farm until the person quits. Answers the exit code. */
export const top: TopProgram['top'] = async (door: TopDoor) => {
  const { stdin, stdout } = process;
  const size = () => ({ width: stdout.columns || 80, height: stdout.rows || 24 });
  const quit = Promise.withResolvers<void>();
  const screen = new Screen(stdout, door.colours);
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
